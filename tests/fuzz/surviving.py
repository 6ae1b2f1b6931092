"""One question for every case: did the program survive it?"""

from __future__ import annotations

import json
import shlex
import shutil
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import psutil

from advisor.cli.console import BAD_INPUT, DONE, FAILED

from .case import STATE, Case, Format
from .marks import ANCHOR, ELEMENT, MARKED, SHOWN
from .running import Ran, run


class End(StrEnum):
    ACCEPTED = "accepted"
    GAVE_UP = "gave up"
    REFUSED = "refused"
    FAILED = "failed"


_REAPED_SECONDS = 60.0
"""Until a process that was told to end is gone."""
_LONGEST_REFUSAL = 20_000
"""Characters on stderr."""
_ENDS = {DONE: End.ACCEPTED, FAILED: End.GAVE_UP, BAD_INPUT: End.REFUSED}


@dataclass(frozen=True)
class Outcome:
    """How a case ended, and what is wrong with that: nothing, where it survived."""

    end: End
    faults: tuple[str, ...]
    ran: Ran

    def __str__(self) -> str:
        said = (self.ran.raised or self.ran.err).strip()
        return "\n".join([*self.faults, *(f"    {line}" for line in said.splitlines()[-30:])])


def survive(case: Case, folder: Path, format_: Format | None = None) -> Outcome:
    """Run a case in a folder of its own, which is made, and look at everything that it did.

    The case is written before it runs, so that it is still there if the process dies of it.
    """
    case.save(folder)
    files = folder / "files"
    before = _content(files)
    ran = run(case, folder, format_)
    faults = [
        *_ended_wrongly(ran),
        *ran.deeds,
        *left_alive(folder),
        *_left_behind(case, folder, before),
        *_told_wrongly(case, folder, ran),
    ]
    end = End.FAILED if faults or ran.code is None else _ENDS[ran.code]
    return Outcome(end, tuple(faults), ran)


def keep(case: Case, folder: Path, outcome: Outcome) -> None:
    """Save a case in place of an older one, without what its command has written; beside it, in words, how it ended."""
    put_away(folder)
    case.save(folder)
    (folder / "outcome.txt").write_text(f"{outcome}\n", encoding="utf-8")


def put_away(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def _ended_wrongly(ran: Ran) -> list[str]:
    faults = [ran.spent.exceeded] if ran.spent.exceeded else []
    if ran.raised:
        faults.append(f"raised {ran.raised.strip().splitlines()[-1]}")
    elif ran.code not in _ENDS and not faults:
        faults.append(f"ended with {ran.code}")
    faults += [f"{sign!r} on stderr" for sign in ("Traceback (most recent", "panicked at") if sign in ran.err]
    return faults


def _left_behind(case: Case, folder: Path, before: dict[str, bytes | str]) -> list[str]:
    faults = [f"left {name} in {place}" for place in ("home", "tmp") for name in _content(folder / place)]
    after = _content(folder / "files")
    asked = (str(Path(STATE).parent), *case.writes)
    for name in before.keys() | after.keys():
        if name.startswith(tuple(f"{one}/" for one in asked)) or name in asked:
            continue
        if before.get(name) != after.get(name):
            faults.append(f"{'changed' if name in before else 'wrote'} {name}")
    return faults


def left_alive(folder: Path) -> list[str]:
    """End every process that the command has left, and name it: all below it inherit the folder in their environment."""
    mark = f"={folder / 'files' / Path(STATE).parent}\0".encode()
    alive = [process for process in psutil.process_iter() if mark in _environment(process.pid)]
    _, alive = psutil.wait_procs(alive, timeout=_REAPED_SECONDS)
    faults = []
    for process in alive:
        with suppress(psutil.Error):
            faults.append(f"left process {process.pid}: {shlex.join(process.cmdline())}")
            process.kill()
    return faults


def _environment(process: int) -> bytes:
    """With which a process was started; empty for one that has ended, or where the system does not say."""
    try:
        return Path(f"/proc/{process}/environ").read_bytes()
    except OSError:
        return b""


def _content(folder: Path) -> dict[str, bytes | str]:
    """Of files and links, by their names."""
    found: dict[str, bytes | str] = {}
    for path in folder.rglob("*"):
        if path.is_symlink():
            found[str(path.relative_to(folder))] = str(path.readlink())
        elif path.is_file():
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _told_wrongly(case: Case, folder: Path, ran: Ran) -> list[str]:
    said = ran.out + ran.err
    faults = []
    if controls := {c for c in said if c not in "\n\t" and _takes_over(c)}:
        faults.append(f"control characters reach the terminal: {sorted(controls)!r}")
    plain = (
        _on_one_line(said.replace("\\", "")).replace(SHOWN, "").replace(ANCHOR, "")
    )  # Markdown has a \ before brackets
    if MARKED in plain:
        faults.append("markup of the input was eaten")
    page = ran.out.lstrip().startswith("<!")
    written = [folder / "files" / name for name in case.writes if name.endswith(".html")]
    pages = [ran.out] * page + [path.read_text("utf-8") for path in written if path.exists()]
    if any(ELEMENT in one for one in pages):
        faults.append("an element of the input stands in the page")
    if ran.code == DONE and case.command[0] == "inspect" and ran.err:
        faults.append(f"noise on stderr: {ran.err[:100]!r}")
    if ran.code == BAD_INPUT:
        if len(ran.err) > _LONGEST_REFUSAL:
            faults.append(f"the refusal has {len(ran.err):,} characters")
        if ran.out:
            faults.append(f"refused, but wrote to stdout: {ran.out[:100]!r}")
        named = case.names or tuple(case.files)
        if named and not any(
            _on_one_line(name.rstrip("/").rpartition("/")[2]) in _on_one_line(ran.err) for name in named
        ):
            faults.append(f"the message names none of {', '.join(named)}")
    if ran.code == DONE and not page and "json" in case.command:
        try:
            json.loads(ran.out or "null", parse_constant=_no_json)
        except ValueError as error:
            faults.append(f"stdout is no JSON: {error}")
    return faults


def _takes_over(character: str) -> bool:
    return (
        unicodedata.category(character) == "Cc"
        or character in "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    )


def _no_json(name: str) -> object:
    raise ValueError(name)
