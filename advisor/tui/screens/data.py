"""Inspecting a dataset: its properties become facts, and one column becomes the target to predict."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from advisor.datasets.dataset import UNSAID, Weight
from advisor.errors import InputError
from advisor.facts.values import with_unit
from advisor.report.found.inspection import inspect_command
from advisor.report.page import Look, Page, Style
from advisor.tui.dialogs.pick import PickScreen
from advisor.tui.labels import answer_label
from advisor.tui.screen import Palette, WizardScreen
from advisor.tui.text import FAINT, plain, problem_text, shape
from advisor.tui.widgets.album_view import NO_PICTURES, AlbumView
from advisor.tui.widgets.columns import Columns, Fitting
from advisor.tui.widgets.mouse import Choosing
from advisor.tui.widgets.page_view import PageView
from advisor.wording import printable, shorten

if TYPE_CHECKING:
    from advisor.datasets.dataset import Column, Inspection
    from advisor.knowledge.model import Knowledge

NAME_WIDTH = 18
BARS = 8
"""Cells of a histogram."""
PICTURES = "image"
NOTHING = "nothing to predict, or something else"


class DataScreen(WizardScreen[bool]):
    """Closes with True if the facts of a dataset are used."""

    TITLE = "Your data"
    HELP_TEXT = (
        "Choose a file or a folder. What can be seen in it (its kind, the number of examples, the classes, what is odd) becomes "
        "facts that you need not be asked for. Then choose the column to predict. Nothing leaves this machine."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "go_on", "Use these facts", id="data.go_on", tooltip="Go on with what was found."),
        Binding("f2", "pick", "Other data", id="data.pick", tooltip="Choose another file or folder."),
    ]
    PALETTE: ClassVar[Palette] = (
        ("Data: Use these facts", "Go on with what was found", "go_on"),
        ("Data: Choose others", "Another file or folder", "pick"),
    )

    def __init__(self) -> None:
        super().__init__()
        self.inspection: Inspection | None = None
        """The dataset that is shown; its facts are used when they are accepted."""

    def contents(self) -> Iterable[Widget]:
        yield Static("", id="state", markup=False)
        yield Vertical(
            Choosing(markup=False, id="targets", classes="cards"),
            AlbumView(id="album"),
            PageView(id="findings"),
            Static("", id="in_a_shell", classes="faint", markup=False),
            id="data_sides",
        )

    def on_mount(self) -> None:
        found = self.wizard.desk.inspection
        if found is None:
            self.action_pick()
        else:
            self.show_found(found)

    @work
    async def action_pick(self) -> None:
        path = await self.app.push_screen_wait(PickScreen("Your data: a file, or a folder of files", folders=True))
        if path is not None:
            self.look_into(path, None)
        elif self.inspection is None:
            self.dismiss(False)

    @work(exclusive=True, group="inspect")
    async def look_into(self, path: Path, target: str | None) -> None:
        """Inspect in a thread that may outlive the screen; its result means nothing once other data are chosen."""
        self.query_one("#state", Static).update(plain(f"Inspecting {shorten(path)} …"))
        self.query_one("#targets", OptionList).disabled = True
        try:
            self.show_found(await asyncio.to_thread(self.wizard.desk.look_into, path, target))
        except InputError as error:
            self.query_one("#state", Static).update(
                plain(f"✗ {error.title}: {problem_text(error)}  F2 chooses other data.")
            )
            self.query_one("#targets", OptionList).disabled = False

    def show_found(self, found: Inspection) -> None:
        self.inspection = found
        question = "Which column should be predicted? " if found.columns else ""
        self.query_one("#state", Static).update(plain(f"{question}Ctrl+S goes on with what was found."))
        targets = self.query_one("#targets", OptionList)
        targets.clear_options()
        targets.add_options(_targets(found))
        targets.disabled = False
        targets.display = bool(found.columns)
        if found.columns:
            names = [column.name for column in found.columns]
            likely = found.target or next(iter(_likely(found)), None)
            targets.highlighted = names.index(likely) if likely in names else len(names)
            targets.focus()
        targets.border_title = f"{shorten(Path(found.path).name, 40)}: {found.examples:,} examples"
        page = self.query_one(PageView)
        page.border_title = "What this tells the advisor"
        page.show(lambda look: told_page(found, self.wizard.desk.knowledge, look))
        self.query_one("#in_a_shell", Static).update(plain(f"In a shell: {inspect_command(found)}"))
        album = self.query_one(AlbumView)
        album.display = found.modality == PICTURES
        if album.display:
            self._show_album(found)

    @work(exclusive=True, group="album")
    async def _show_album(self, found: Inspection) -> None:
        view = self.query_one(AlbumView)
        view.say("Drawing …")
        try:
            album = await asyncio.to_thread(self.wizard.desk.album, found)
        except InputError as error:
            view.say(problem_text(error))
            return
        if album is None or not album.thumbnails:
            view.say(NO_PICTURES if album is None else "None of the first pictures can be read.")
        else:
            view.show(album)

    @on(OptionList.OptionSelected, "#targets")
    def _target_chosen(self, event: OptionList.OptionSelected) -> None:
        found = self.inspection
        assert found is not None  # noqa: S101 - its columns are shown
        target = found.columns[event.option_index].name if event.option_index < len(found.columns) else None
        if target == found.target:
            self.action_go_on()
        else:
            self.look_into(Path(found.path), target)

    @work
    async def action_go_on(self) -> None:
        found = self.inspection
        if found is not None and not self.query_one("#targets", OptionList).disabled:  # others are not looked into yet
            await self.wizard.think(lambda: self.wizard.desk.use_data(found))
            await self.wizard.take_stock()
            self.dismiss(True)


def told_page(found: Inspection, knowledge: Knowledge, look: Look) -> str:
    """Warnings, and the questions that the data have answered."""
    page = Page(look)
    for remark in sorted(found.remarks, key=lambda remark: remark.weight is not Weight.WARNING):
        care = remark.weight is Weight.WARNING
        remedy = "" if "--" in remark.remedy else f" {remark.remedy}"  # an option of the command line helps nobody here
        page.add((remark.what, Style.CARE if care else Style.PLAIN), remedy, first="! " if care else "· ")
    vocabulary = knowledge.vocabulary.facts
    known = [(vocabulary[name], value) for name, value in found.facts.items() if name in vocabulary]
    asked = [(fact, value) for fact, value in known if fact.question and fact.ask]
    page.heading(f"{len(asked)} questions need not be asked")
    for fact, value in asked:
        said = shorten(answer_label(fact, value), 60)
        page.add(f"{fact.question} ", (said, Style.STRONG), (f"  {fact.name}", Style.FAINT), first="✓ ")
    page.heading("the data")
    page.add(f"{shorten(found.path, 200)}: {found.written or found.format}, {with_unit(found.bytes, 'bytes')}.")
    if found.sampled:
        page.add(found.sampled)
    return page.text()


def _likely(found: Inspection) -> tuple[str, ...]:
    """The columns that look like what one would predict, the likeliest first; none once one is chosen."""
    return next((remark.columns for remark in found.remarks if remark.what == UNSAID), ())


def _targets(found: Inspection) -> Iterator[Option]:
    """A line for each column: name, kind, the share that is missing, its histogram, some of the first values."""
    likely = next(iter(_likely(found)), None)
    for column in found.columns:
        yield Option(_line(column, chosen=column.name == found.target, likely=column.name == likely))
    mark = "● " if found.target is None and likely is None else "  "
    yield Option(Content.assemble(mark, (NOTHING, FAINT)))


def _line(column: Column, *, chosen: bool, likely: bool) -> Fitting:
    mark = Content("●" if chosen else " "), 1
    name = Content.styled(shorten(column.name, NAME_WIDTH - 1), "bold"), NAME_WIDTH
    kind = Content.styled(column.kind.value, FAINT)
    guess = "predict this?" if likely else ""
    missing = f"{column.missing:.0%} missing" if column.missing else ""
    values = printable(", ".join(column.examples))
    told = Content.assemble((f"{guess}  " if guess else "", "bold $text-accent"), values)
    bars = shape(column.counts), BARS
    wide = Columns(mark, name, (kind, 12), (Content.styled(missing, "$text-warning"), 12), bars, (told, 0), gap=1)
    beside = (Content.assemble(kind, (f"  {guess}" if guess else "", "bold $text-accent")), 0)
    return Fitting(wide, Columns(mark, name, bars, beside, gap=1), columns=70)
