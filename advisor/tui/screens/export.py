"""Saving files: a report, the plan, the answers, a starter project."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Button, Input, OptionList, Static
from textual.widgets.option_list import Option

from advisor.errors import InputError, input_error
from advisor.files.output import write_text
from advisor.report.contents import NOTHING
from advisor.session.inputs import Inputs, plan_if
from advisor.session.reporting import report_of
from advisor.tui.dialogs.ask import Ask
from advisor.tui.saving import Kind, Made
from advisor.tui.screen import Palette, WizardScreen
from advisor.tui.text import FAINT, plain, problem_text
from advisor.tui.widgets.columns import Columns
from advisor.tui.widgets.mouse import Choosing
from advisor.wording import shorten

if TYPE_CHECKING:
    from advisor.inference.plan import Plan
    from advisor.knowledge.model import Knowledge
    from advisor.session.desk import Desk


def _report(format_: str) -> Callable[[Plan, Knowledge, Desk | None], str]:
    def made(plan: Plan, knowledge: Knowledge, desk: Desk | None) -> str:
        text = report_of(plan, knowledge, format_, lambda: NOTHING if desk is None else desk.evidence(plan))
        return text.rstrip("\n") + "\n"

    return made


def _answers(_plan: Plan, _knowledge: Knowledge, desk: Desk | None) -> str:
    assert desk is not None  # noqa: S101 - a saved plan has no answers to offer
    return desk.interview.answers_text()


def _starter(plan: Plan, knowledge: Knowledge, desk: Desk | None) -> Mapping[str, str]:
    from advisor.starter.kept import plan_to_keep
    from advisor.starter.planning import blueprint_of
    from advisor.starter.project import project_files, refuse_unkept, refuse_unreadable

    seen = None if desk is None else desk.inspection
    inputs = Inputs(knowledge, plan.stated, plan.school) if desk is None else desk.inputs_now()
    plan, _ = plan_to_keep(plan, partial(plan_if, inputs))  # the project's README tells the plan that it was made from
    if seen is None:
        blueprint = blueprint_of(plan)
        refuse_unkept(plan, blueprint)
        return project_files(plan, knowledge, blueprint)
    blueprint = blueprint_of(plan, Path(seen.path), seen.target, seen.delimiter, inspection=seen)
    refuse_unkept(plan, blueprint)
    refuse_unreadable(seen, seen.target, blueprint)
    return project_files(plan, knowledge, blueprint)


KINDS = (
    Kind("markdown", "Report as Markdown", "plan, reasons and sources to read and send on", "report.md", _report("markdown")),
    Kind("html", "Report as HTML", "the same as one page for a browser, with pictures", "report.html", _report("html")),
    Kind("json", "Plan as JSON", "for `advisor report` and other programs", "plan.json", _report("json")),
    Kind("answers", "Answers as YAML", "to go on with, or for `advisor recommend`", "answers.yaml", _answers),
    Kind("starter", "Starter project", "a folder with a training project for this plan", "starter", _starter),
)  # fmt: skip
ANSWERS, FOLDER = "answers", "starter"
"""The kind that needs a conversation, and the one that is a folder."""


def path_of(name: str, kind: Kind, desk: Desk) -> Path:
    """The path to save to. Raises InputError if it is no valid path, or that of the dataset."""
    title = "This cannot be saved there"
    if not name.strip():
        raise input_error(title, "there is no name", remedy=f"Write one, such as {kind.file}.")
    try:
        path = Path(name.strip()).expanduser().absolute()
        seen = None if desk is None else desk.inspection
        is_the_data = seen is not None and path.exists() and path.samefile(seen.path)
    except (OSError, RuntimeError, ValueError):
        raise input_error(title, "this is no name of a file", where=shorten(name), remedy="Check it.") from None
    if is_the_data:
        raise input_error(title, "these are the data", where=shorten(path, 200), remedy="They are never rewritten.")
    return path


def in_the_way(path: Path, kind: Kind) -> str:
    """The details of a question about replacing files; empty if nothing would be replaced."""
    if kind.name == FOLDER:
        inhabited = path.is_dir() and any(path.iterdir())
        return "Files of the project are replaced; all others in it stay." if inhabited else ""
    return "What it holds is lost then." if path.is_file() else ""


def write(path: Path, made: Made, *, force: bool) -> None:
    """Write a file or a folder. Raises InputError if that fails."""
    if isinstance(made, str):
        write_text(path, made, force=force)
    else:
        from advisor.starter.writing import write_project

        write_project(path, made, force=force)


class ExportScreen(WizardScreen[None]):
    """Saves from a saved `plan`, or else from the conversation; or files of another `kinds`."""

    TITLE = "Export"
    HELP_TEXT = (
        "Choose what to save, then its name: Enter in the line, or ^s, saves it. A name without a folder goes into the folder "
        "that you started from. Nothing is replaced before you are asked."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", id="export.save", tooltip="Save what is highlighted under this name.")
    ]
    PALETTE: ClassVar[Palette] = (("Export: Save", "What is highlighted, under the name in the line", "save"),)
    CSS = """
    ExportScreen #export_asks, ExportScreen #kinds, ExportScreen #named, ExportScreen #export_said { margin: 1 2 0 2; }
    ExportScreen.-low #export_asks, ExportScreen.-low #kinds { margin: 0 2; }
    ExportScreen #named, ExportScreen #export_said { height: auto; }
    ExportScreen #export_hint { margin: 0 2; }
    ExportScreen #file_name { width: 1fr; margin: 0 1 0 0; }
    ExportScreen #save { height: 1; min-width: 10; border: none; }
    """

    def __init__(self, plan: Plan | None = None, kind: str = "", kinds: Sequence[Kind] = ()) -> None:
        """
        Args:
            kind: name of the one that is highlighted at first.
            kinds: offered in place of those of a plan.
        """
        super().__init__()
        self.plan = plan
        self.kinds = {kind.name: kind for kind in kinds or KINDS if plan is None or kind.name != ANSWERS}
        self.kind: Kind = self.kinds.get(kind, next(iter(self.kinds.values())))
        self.names = {kind.name: kind.file for kind in self.kinds.values()}
        """By kind, as last edited."""

    def contents(self) -> Iterable[Widget]:
        yield Static("Save what, and under which name?", id="export_asks", markup=False)
        yield Choosing(*map(_card, self.kinds.values()), markup=False, id="kinds", classes="cards")
        with Horizontal(id="named"):
            yield Input(self.kind.file, id="file_name")
            yield Button(plain("Save"), id="save")
        yield Static("", id="export_hint", classes="faint", markup=False)
        yield Static("", id="export_said", markup=False)

    def on_mount(self) -> None:
        self.query_one("#kinds", OptionList).highlighted = list(self.kinds).index(self.kind.name)

    @on(OptionList.OptionHighlighted, "#kinds")
    def _marked(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self.kind = self.kinds[str(event.option_id)]
        self.query_one("#file_name", Input).value = self.names[self.kind.name]
        self._say("")

    @on(OptionList.OptionSelected, "#kinds")
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.query_one("#file_name", Input).focus()

    @on(Input.Changed, "#file_name")
    def _written(self, event: Input.Changed) -> None:
        event.stop()
        self.names[self.kind.name] = event.value
        self._hint()

    def on_descendant_focus(self) -> None:
        self._hint()

    def _hint(self) -> None:
        """Say which key saves, and where to."""
        try:
            path = path_of(self.names[self.kind.name], self.kind, self.wizard.desk)
            where = f", in {shorten(path.parent, 200)}"
        except InputError:  # said in place of the result where it is tried
            where = ""
        writing = isinstance(self.focused, Input)
        key = "Enter saves it" if writing else "Enter goes to its name, ^s saves it at once"
        self.query_one("#export_hint", Static).update(plain(f"{key}{where}."))

    @on(Input.Submitted, "#file_name")
    @on(Button.Pressed, "#save")
    def _asked(self, event: Message) -> None:
        event.stop()
        self.action_save()

    @work(exclusive=True, group="saving")
    async def action_save(self) -> None:
        kind, name, desk = self.kind, self.names[self.kind.name], self.wizard.desk
        try:
            path = path_of(name, kind, desk)
            replaced = in_the_way(path, kind)
            if replaced and not await self.app.push_screen_wait(Ask(f"Replace {shorten(path, 200)}?", replaced)):
                self._say("Nothing was saved.")
                return
            self._say("Being made …")
            plan = self.plan or await self.wizard.full_plan()
            ours = desk if self.plan is None else None
            made = await self.wizard.think(lambda: kind.make(plan, desk.knowledge, ours))
            write(path, made, force=bool(replaced))
            if self.app.is_web and path.is_file():
                self.app.deliver_binary(path)  # a download
        except InputError as error:
            self._say(f"✗ {error.title}. {problem_text(error)}", "bad")
            return
        except OSError as error:  # a folder that cannot be looked into
            self._say(f"✗ {shorten(name)}: {error.strerror or type(error).__name__}. Name another one.", "bad")
            return
        self._say(f"✓ Saved: {kind.title}, {path}", "good")

    def _say(self, text: str, look: str = "") -> None:
        said = self.query_one("#export_said", Static)
        said.set_classes(look)
        said.update(plain(text))


def _card(kind: Kind) -> Option:
    return Option(
        Columns((Content.styled(kind.title, "bold"), 18), (Content.styled(kind.meaning, FAINT), 0)), id=kind.name
    )
