"""Data as a strategy draws them, and the commands that look at them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ..case import Case, Link, Pipe

Entry = bytes | Link | Pipe


@dataclass(frozen=True, slots=True)
class Made:
    """A file, or a folder of entries by their names within it.

    Attributes:
        name: of the file or folder; its ending may say what format it is.
        targets: to be given to --target.
        rows: examples that an inspection must count; None where the data were changed.
        columns: of an unchanged table.
    """

    name: str
    content: bytes | tuple[tuple[bytes, Entry], ...]
    targets: tuple[str, ...] = ()
    rows: int | None = None
    columns: int | None = None

    @property
    def path(self) -> str:
        return f"./{self.name}" if self.name.startswith("-") else self.name

    def case(self, command: Sequence[str], writes: tuple[str, ...] = (), names: tuple[str, ...] = ()) -> Case:
        """A command that looks at these data, and names them, or one of `names`, if it refuses."""
        files: dict[str, Entry] = {}
        if isinstance(self.content, bytes):
            files[self.name] = self.content
        else:
            for name, entry in self.content:
                _place(files, os.path.normpath(f"{self.name}/{os.fsdecode(name)}"), entry)
        return Case(tuple(command), files, writes, names or (" ".join(self.name.split()),))


def _place(files: dict[str, Entry], name: str, entry: Entry) -> None:
    """Put an entry into a folder, if it can lie there: it is below no file or link, and nothing is below it."""
    above = name.split("/")
    taken = any("/".join(above[:depth]) in files for depth in range(1, len(above) + 1))
    taken = taken or any(other.startswith(f"{name}/") for other in files)
    if not taken and above[0] != ".." and max(len(os.fsencode(part)) for part in above) < 256:
        files[name] = entry


def data_of(case: Case) -> tuple[str, str | None]:
    """The data that a command looks at, and the target."""
    command = list(case.command)
    path = command[command.index("--data") + 1] if "--data" in command else command[1]
    return path, command[command.index("--target") + 1] if "--target" in command else None


@st.composite
def cases(draw: DrawFn, data: SearchStrategy[Made]) -> Case:
    """Looks at drawn data, half of them with a target, plans with them, and now and then a project for them."""
    made = draw(data)
    how = draw(st.integers(0, 99))
    aim = ("--target", draw(st.sampled_from(made.targets))) if made.targets and draw(st.integers(0, 2)) == 0 else ()
    if any("\0" in word or _is_half(word) for word in aim):  # no command line can hold them
        aim = ()
    if how < 50:
        return made.case(("inspect", made.path, *aim))
    if how < 98:
        return made.case(("inspect", made.path, *aim, "--format", "json"))
    task = draw(st.sampled_from(((), (), ("--set", "task.kind=classify"), ("--set", "task.kind=regress"))))
    plan = ("--machine", "none", "--data", made.path, *aim, *task)
    if how < 99:  # advice takes a hundred times as long as a look
        return made.case(("recommend", *plan, "--format", draw(st.sampled_from(("text", "json")))))
    return made.case(("starter", "--output", "project", *plan), writes=("project",), names=(made.name, "network.type"))


def _is_half(word: str) -> bool:
    try:
        word.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return True
    return False


def valid(data: Sequence[Made]) -> list[Case]:
    """Every way to look at some unchanged data."""
    return [
        made.case(command)
        for made in data
        for command in (
            ("inspect", made.path),
            ("inspect", made.path, "--format", "json"),
            ("recommend", "--machine", "none", "--data", made.path),
        )
    ]
