"""A plan that was saved as JSON, to look through."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from advisor.errors import InputError
from advisor.report import contents, words
from advisor.report.numbers import figure_words, known_figures
from advisor.report.plan.brief import summary
from advisor.tui.requests import ToExport, ToTopic
from advisor.tui.screen import Palette, WizardScreen
from advisor.tui.text import lines, plain, problem_text
from advisor.tui.widgets.plan_list import PlanList
from advisor.wording import printable, shorten

if TYPE_CHECKING:
    from advisor.inference.plan import Plan
    from advisor.knowledge.model import Knowledge

NEXT = (
    ("Enter", "on a line of the plan: why, why not otherwise, what would flip it"),
    ("x", "saves it as a report, or as a starter project that trains it"),
    ("Escape", "then Begin or Go on: a plan of your own can be changed, measured here and tried on your data"),
)
"""Keys, and what each does with the plan."""


class SavedPlanScreen(WizardScreen[None]):
    TITLE = "Saved plan"
    HELP_TEXT = (
        "A plan as it was saved, only to be read: Enter on a line shows its reasons, the text beside it the summary of the plan "
        "and its facts. Your own conversation is not touched."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x", "export", "Export", id="report.export", tooltip="Save it as a report or a starter project."),
        Binding("question_mark", "open('Glossary')", "Words", id="report.glossary", tooltip="Technical terms in plain words."),
    ]  # fmt: skip
    PALETTE: ClassVar[Palette] = (
        ("Plan: Export", "As a report or a starter project", "export"),
        ("Words: Glossary", "Technical terms in plain words", "open('Glossary')"),
    )
    CSS = """
    SavedPlanScreen #summary { width: 1fr; height: 1fr; padding: 0 1; }
    SavedPlanScreen PlanList .option-list--option-highlighted { background: $primary-muted; color: $text; }
    SavedPlanScreen.-narrow Horizontal { layout: vertical; }
    SavedPlanScreen.-narrow #saved_plan, SavedPlanScreen.-narrow #saved_plan:focus { height: 12; }
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.plan: Plan | None = None

    def contents(self) -> Iterable[Widget]:
        with Horizontal():
            yield PlanList(self.wizard.desk.knowledge, id="saved_plan")
            yield VerticalScroll(Static("", id="said_of_plan", markup=False), id="summary")

    def on_mount(self) -> None:
        self.retitle(f"Saved plan · {shorten(self.path, 100)}")
        self._read()

    @work
    async def _read(self) -> None:
        from advisor.report.plan.json_plan import OTHER_RULES, read_saved

        knowledge, path = self.wizard.desk.knowledge, self.path
        said = self.query_one("#said_of_plan", Static)
        try:
            saved = await self.wizard.think(lambda: read_saved(path, knowledge))
        except InputError as error:
            self.query_one(PlanList).display = False
            said.set_classes("bad")
            said.update(plain(f"✗ {error.title}\n{problem_text(error)}"))
            self.refresh_bindings()
            return
        plan = self.plan = saved.plan
        if saved.remark:
            self.wizard.tell(saved.remark, title=OTHER_RULES, severity="warning")
        self.query_one(PlanList).show(plan)
        self.query_one(PlanList).focus()
        said.update(lines(_summary(plan, knowledge)))
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "export":
            return self.plan is not None
        return super().check_action(action, parameters)

    @on(PlanList.Opened)
    def _open(self, event: PlanList.Opened) -> None:
        event.stop()
        self.wizard.open(ToTopic(event.topic, self.plan, whose="saved"))

    def action_export(self) -> None:
        self.wizard.open(ToExport(self.plan))


def _summary(plan: Plan, knowledge: Knowledge) -> Iterator[Content]:
    """The summary of the plan, its numbers, open questions, facts and remarks."""
    yield Content.styled(printable(contents.title(plan)), "bold $text-primary")
    yield plain(f"by {words.SCHOOL_WORDS[plan.school]}")
    for start, said in summary(plan, knowledge):
        yield _line(start, said)
    yield _heading("What next")
    for key, does in NEXT:
        yield _line(key, does)
    figures = [figure for figure in known_figures(plan) if figure.headline]
    if figures:
        yield _heading("Numbers")
    for figure in figures:
        yield _line(figure.title, figure_words(figure))
    ends = list(contents.open_ends(plan, knowledge))
    if ends:
        yield _heading("Still open")
    for end in ends:
        yield _line(end.code, end.says)
    yield _heading("Facts")
    for name, known in plan.facts.items():
        yield _line(name, words.known_words(knowledge, name, known))
    remarks = [*contents.left_out(plan), *words.remarks_on(plan, knowledge)]
    if remarks:
        yield _heading("Please note")
    for remark in remarks:
        yield plain(remark)


def _heading(text: str) -> Content:
    return Content.styled(f"\n{text}", "bold $text-primary")


def _line(start: str, said: str) -> Content:
    return Content.assemble((printable(start), "bold"), f": {printable(said)}")
