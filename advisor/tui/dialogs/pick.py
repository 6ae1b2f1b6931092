"""A file or folder, picked from a tree or written as a path."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from rich.text import Text, TextType
from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import DirectoryTree, Input, Static

from advisor.tui.screen import WizardScreen
from advisor.tui.text import plain
from advisor.tui.widgets.mouse import OneClick
from advisor.wording import printable


class PickScreen(WizardScreen[Path | None]):
    """`path = await self.app.push_screen_wait(PickScreen("What to open", suffixes=(".json",)))` in a worker."""

    TITLE = "Choose a file"
    HELP_TEXT = (
        "Choose a file in the tree with Enter or a click, or write its path. A folder is opened by Enter; where a whole folder "
        "can be chosen, write its path, or press Enter in the line while it stands there."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "into_tree", "Tree", show=False, id="picking.tree", tooltip="Go from the line to the tree."),
    ]

    def __init__(
        self, what: str, *, suffixes: tuple[str, ...] = (), folders: bool = False, folder: Path | None = None
    ) -> None:
        """
        Args:
            folder: root of the tree; the working directory if none is given.
        """
        super().__init__()
        self.what, self.suffixes, self.folders = what, suffixes, folders
        self.folder = folder or Path.cwd()
        self.named: dict[str, Path] = {}
        """Folders by the text that the line shows for them: a name may hold characters that cannot be shown."""

    def contents(self) -> Iterable[Widget]:
        yield Static(plain(self.what), markup=False)
        yield Input(placeholder="the path of a file" + (" or folder" if self.folders else ""), id="path")
        yield Static("", id="refused", classes="bad", markup=False)
        yield Files(self.folder, self.suffixes)

    def action_into_tree(self) -> None:
        self.query_one(Files).focus()

    @on(DirectoryTree.DirectorySelected)
    def _folder(self, event: DirectoryTree.DirectorySelected) -> None:
        if self.folders:
            shown = " ".join(printable(str(event.path)).split("\n"))
            self.named[shown] = event.path
            self.query_one("#path", Input).value = shown

    @on(DirectoryTree.FileSelected)
    def _file(self, event: DirectoryTree.FileSelected) -> None:
        self.dismiss(event.path)

    @on(Input.Submitted)
    def _written(self, event: Input.Submitted) -> None:
        refused = self.query_one("#refused", Static)
        try:
            path = self.named.get(event.value) or Path(event.value.strip()).expanduser()
            there = path.is_file() or (self.folders and path.is_dir())
        except (OSError, RuntimeError, ValueError):
            there = False
        if not event.value.strip() or not there:
            refused.update(plain(f"✗ There is no such file{' or folder' if self.folders else ''}. Check the path."))
            return
        self.dismiss(path)


class Files(OneClick, DirectoryTree):
    """Files that are not hidden; if `suffixes` are given, only those that end so."""

    ICON_NODE = "▸ "
    ICON_NODE_EXPANDED = "▾ "
    ICON_FILE = "  "

    def __init__(self, path: Path, suffixes: tuple[str, ...]) -> None:
        super().__init__(path)
        self.suffixes = suffixes

    def process_label(self, label: TextType) -> Text:
        """Keep the name on one line, without control characters."""
        return Text(" ".join(printable(str(label)).split("\n")) or "?")

    def filter_paths(self, paths: Iterable[Path]) -> Iterable[Path]:
        for path in paths:
            if not path.name.startswith(".") and (
                not self.suffixes or path.suffix.lower() in self.suffixes or path.is_dir()
            ):
                yield path
