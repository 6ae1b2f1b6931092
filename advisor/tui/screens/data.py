"""Inspecting a dataset: its properties become facts, and one column becomes the target to predict."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from advisor.errors import InputError
from advisor.report.found.inspection import inspection_page
from advisor.tui.dialogs.pick import PickScreen
from advisor.tui.screen import Palette, WizardScreen
from advisor.tui.text import FAINT, plain, problem_text
from advisor.tui.widgets.mouse import Choosing
from advisor.tui.widgets.page_view import PageView
from advisor.wording import shorten

if TYPE_CHECKING:
    from advisor.datasets.dataset import Inspection

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
        yield Horizontal(
            Choosing(markup=False, id="targets", classes="cards"),
            PageView(id="findings"),
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
            targets.highlighted = names.index(found.target) if found.target in names else len(names)
            targets.focus()
        self.query_one(PageView).show(lambda look: inspection_page(found, look))

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


def _targets(found: Inspection) -> Iterator[Option]:
    for column in found.columns:
        mark = "● " if column.name == found.target else "  "
        yield Option(Content.assemble(mark, (shorten(column.name, 24), "bold"), (f"  {column.kind.value}", FAINT)))
    mark = "● " if found.target is None else "  "
    yield Option(Content.assemble(mark, (NOTHING, FAINT)))
