"""Lines for a terminal: wrapped by words to any width, plain or coloured, never more than the text that was given."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from typing import TypeAlias

from advisor.wording import CONTROLS, printable

NARROWEST, WIDEST = 24, 100
SCREEN = 24
"""Lines of a terminal as it usually is."""


class Style(StrEnum):
    """The look of a piece of text where there is colour; no meaning depends on it alone."""

    PLAIN = ""
    HEADING = "1;36"
    STRONG = "1"
    FAINT = "2"
    GOOD = "32"
    CARE = "33"
    BAD = "31"


_PAINT = rf"\x1b\[(?:0|{'|'.join(style.value for style in Style if style)})m"
_TAKEN_OUT, _TAKEN_OUT_OF_PAINTED = re.compile(f"[{CONTROLS}]"), re.compile(f"({_PAINT})|[{CONTROLS}]")


def harmless(text: str, *, painted: bool = False) -> str:
    """Text without control characters, for a terminal or a file that somebody shows on one.

    Args:
        painted: colours as a `Page` sets them are kept.
    """
    if not painted:
        return _TAKEN_OUT.sub("", text)
    return _TAKEN_OUT_OF_PAINTED.sub(lambda match: match[1] or "", text)


Piece: TypeAlias = "str | tuple[str, Style]"
Item: TypeAlias = "Piece | list[Piece]"


@dataclass(frozen=True, slots=True)
class Look:
    """The abilities of the reader's screen. Lines longer than about 100 columns are hard to read, so no more is used."""

    width: int = 80
    unicode: bool = True
    colour: bool = False

    @property
    def columns(self) -> int:
        return max(NARROWEST, min(self.width, WIDEST))


@dataclass(frozen=True, slots=True)
class Branch:
    """A line of a tree with the lines below it. A verbatim one keeps its blanks and is never broken."""

    pieces: tuple[Piece, ...]
    children: tuple[Branch, ...] = ()
    verbatim: bool = False


@dataclass
class Page:
    """Collector of lines. Control characters and line breaks in what is added are taken out."""

    look: Look
    lines: list[str] = field(default_factory=list)

    def add(self, *pieces: Piece, first: str | Sequence[tuple[str, Style]] = "", rest: str | None = None) -> None:
        """A paragraph; `first` stands before its first line, `rest` (by default as many blanks) before the others."""
        marks = [(first, Style.PLAIN)] if isinstance(first, str) else first
        mark = [(_one_line(text), style) for text, style in marks]
        size = sum(cells(text) for text, _ in mark)
        before = " " * size if rest is None else rest
        for number, line in enumerate(wrap(pieces, self.look.columns - max(size, cells(before)))):
            self.lines.append((before if number else self._painted(mark)) + self._painted(line))

    def verbatim(self, text: str, *, first: str = "") -> None:
        """A line to be copied, such as a command: its blanks are kept and it is never broken."""
        self.lines.append(first + _one_line(text))

    def heading(self, text: str) -> None:
        if self.lines:
            self.blank()
        self.add((text, Style.HEADING))

    def apart(self, *pieces: Piece) -> None:
        """A paragraph after an empty line."""
        self.blank()
        self.add(*pieces)

    def items(self, items: Iterable[Item], first: str = "- ") -> None:
        """An item a line; braces in what stands before each are its number."""
        for number, item in enumerate(items, start=1):
            self.add(*(item if isinstance(item, list) else [item]), first=first.format(number))

    def section(self, heading: str, items: Iterable[Item], first: str = "- ") -> None:
        """A heading with an item a line below it; nothing where there are no items."""
        found = list(items)
        if found:
            self.heading(heading)
            self.items(found, first)

    def reasons(self, heading: str, names: Mapping[str, Sequence[str]]) -> None:
        """A heading, and below it what was left out, by the reason for that; nothing where nothing was."""
        self.section(heading, [[(", ".join(names[reason]), Style.STRONG), f": {reason}"] for reason in names])

    def labelled(self, lines: Iterable[tuple[str, str]]) -> None:
        """Texts behind their labels, which take the same room."""
        known = list(lines)
        width = max(len(label) for label, _ in known) + 2
        for label, text in known:
            self.add(text, first=[(f"{label:<{width}}", Style.FAINT)])

    def blank(self) -> None:
        self.lines.append("")

    def columns(self, cells_: Sequence[tuple[Piece, ...]], widths: Sequence[int]) -> None:
        """Cells side by side, each wrapped within its own width, two blanks apart."""
        wrapped = [wrap(pieces, width) for pieces, width in zip(cells_, widths, strict=True)]
        for number in range(max(len(lines) for lines in wrapped)):
            row = ""
            for lines, width in zip(wrapped, widths, strict=True):
                line = lines[number] if number < len(lines) else []
                row += self._painted(line) + " " * (width + 2 - sum(cells(text) for text, _ in line))
            self.lines.append(row.rstrip())

    def tree(self, root: Branch) -> None:
        self.add(*root.pieces)
        self._children(root.children, "")

    def _children(self, branches: Sequence[Branch], before: str) -> None:
        tee, elbow, bar = ("├─ ", "└─ ", "│  ") if self.look.unicode else ("|- ", "`- ", "|  ")
        for number, branch in enumerate(branches):
            last = number == len(branches) - 1
            first, rest = before + (elbow if last else tee), before + ("   " if last else bar)
            if branch.verbatim:
                self.verbatim("".join(map(_text, branch.pieces)), first=first)
            else:
                self.add(*branch.pieces, first=first, rest=rest + bar if branch.children else rest)
            self._children(branch.children, rest)

    @property
    def fits(self) -> bool:
        """True where a terminal of this width and SCREEN lines shows the whole page; asked of one without colours."""
        return sum(max(1, -(-cells(line) // self.look.columns)) for line in self.lines) <= SCREEN

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def _painted(self, line: Iterable[tuple[str, Style]]) -> str:
        if not self.look.colour:
            return "".join(text for text, _ in line)
        runs = [(style, "".join(text for text, _ in run)) for style, run in groupby(line, key=lambda part: part[1])]
        return "".join(f"\x1b[{style.value}m{text}\x1b[0m" if style else text for style, text in runs)


def _one_line(text: str) -> str:
    return printable(text).replace("\n", " ")


def wrap(pieces: Iterable[Piece], width: int) -> list[list[tuple[str, Style]]]:
    """The pieces as lines of at most `width` columns, broken between words (within one that is longer than a line)."""
    width = max(width, 8)
    lines: list[list[tuple[str, Style]]] = [[]]
    used = 0
    for word in _words(pieces):
        size = sum(cells(text) for text, _ in word)
        if used and used + 1 + size > width:
            lines.append([])
            used = 0
        if used:
            before = lines[-1][-1][1]
            lines[-1].append((" ", before if before == word[0][1] else Style.PLAIN))
            used += 1
        for text, style in word:
            for part in _parts(text, width - used, width):
                if used + cells(part) > width:
                    lines.append([])
                    used = 0
                lines[-1].append((part, style))
                used += cells(part)
    return lines


def _words(pieces: Iterable[Piece]) -> list[list[tuple[str, Style]]]:
    """Words, each as its parts: a word can change its style within."""
    words: list[list[tuple[str, Style]]] = []
    glued = False
    for piece in pieces:
        style = Style.PLAIN if isinstance(piece, str) else piece[1]
        for part in re.split(r"(\s+)", printable(_text(piece))):
            if part.isspace():
                glued = False
            elif part and glued:
                words[-1].append((part, style))
            elif part:
                words.append([(part, style)])
                glued = True
    return words


def _text(piece: Piece) -> str:
    return piece if isinstance(piece, str) else piece[0]


def _parts(text: str, room: int, width: int) -> Iterator[str]:
    """The text cut to fit: into the room left on this line, then into whole lines."""
    if cells(text) <= max(room, 0):
        yield text
        return
    start = used = 0
    for position, character in enumerate(text):
        if used + _cell(character) > room and position > start:
            yield text[start:position]
            start, used, room = position, 0, width
        used += _cell(character)
    yield text[start:]


def cells(text: str) -> int:
    """The columns that a text takes: East Asian wide characters take two, combining ones none."""
    return len(text) if text.isascii() else sum(map(_cell, text))


def _cell(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
