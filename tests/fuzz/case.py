"""A case: files, and one command that reads them. A format: where its cases come from."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis.strategies import SearchStrategy

STATE = ".state/here"
"""Where a case's command remembers things (its ADVISOR_STATE and host): files of a case may lie there too."""
_COMMAND = "command.json"
_FILES = "files"


@dataclass(frozen=True)
class Link:
    """A symbolic link in place of a file."""

    to: str


@dataclass(frozen=True)
class Pipe:
    """A FIFO in place of a file; nobody writes to it."""


Content = bytes | Link | Pipe


@dataclass(frozen=True)
class Case:
    """Files by their names within the folder in which the command runs, and the words of the command.

    Attributes:
        writes: names of files and folders that the command is asked to write.
        names: one of them stands in the message when the command refuses its input; without any, one of the files.
        typed: what is typed to the command.
    """

    command: tuple[str, ...]
    files: Mapping[str, Content] = field(default_factory=dict)
    writes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    typed: str = ""

    def lay_out(self, folder: Path) -> None:
        """Write the files."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Link):
                path.symlink_to(content.to)
            elif isinstance(content, Pipe):
                os.mkfifo(path)
            else:
                path.write_bytes(content)

    def save(self, folder: Path) -> None:
        """Write the case, so that it can be read again. Words that are no Unicode survive."""
        (folder / _FILES).mkdir(parents=True)
        self.lay_out(folder / _FILES)
        told = {"command": self.command, "writes": self.writes, "names": self.names, "typed": self.typed}
        text = json.dumps({name: value for name, value in told.items() if value}, indent=1)
        (folder / _COMMAND).write_text(f"{text}\n", encoding="ascii")


def load(folder: Path) -> Case:
    """A case that was saved."""
    told = json.loads((folder / _COMMAND).read_text("ascii"))
    files: dict[str, Content] = {}
    for path in sorted((folder / _FILES).rglob("*")):
        name = str(path.relative_to(folder / _FILES))
        if path.is_symlink():
            files[name] = Link(str(path.readlink()))
        elif path.is_fifo():
            files[name] = Pipe()
        elif path.is_file():
            files[name] = path.read_bytes()
    lists = {name: tuple(told.get(name, ())) for name in ("command", "writes", "names")}
    return Case(files=files, typed=told.get("typed", ""), **lists)


@dataclass(frozen=True)
class Format:
    """A format of input.

    Attributes:
        name: as the table shows it, and the folder of its corpus.
        valid: cases that are right as they are, and end with 0; they are made when they are needed.
        mutated: draws a valid case with some of its values changed.
        accepted_share: the least share of mutated cases that end with 0, so that a fuzzer that has come to be refused
            at the door is seen.
        at_the_door: what is said of files that are refused before their values are looked at; it may be said of every
            second case at most.
        starts_processes: whether the command may start children.
        one_of: run one case for so many of FUZZ_CASES, where each takes seconds.
        around: what else has to hold while a command runs, such as that yesterday is today.
    """

    name: str
    valid: Callable[[], Sequence[Case]]
    mutated: Callable[[], SearchStrategy[Case]]
    accepted_share: float = 0.5
    at_the_door: tuple[str, ...] = ()
    starts_processes: bool = False
    one_of: int = 1
    around: Callable[[], AbstractContextManager[object]] = nullcontext
