"""Timelines of workers: a line a worker, a character for each stretch of time. For any terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from advisor.report.page import Look, Page

COMPUTING, EXCHANGING, WAITING, APPLYING = "computing", "exchanging", "waiting", "applying"
_MARKS = {COMPUTING: ("█", "#"), EXCHANGING: ("▒", "="), WAITING: ("·", "."), APPLYING: ("▓", "+")}
"""In Unicode, and without."""
_ABSENT = " "


@dataclass(frozen=True, slots=True)
class Stretch:
    """One worker's activity from `begin` to `end`, in seconds."""

    worker: str
    begin: float
    end: float
    doing: str


def drawn(stretches: Sequence[Stretch], look: Look, columns: int) -> list[tuple[str, str]]:
    """Each worker with its line of `columns` characters; each shows what the worker did most in that stretch of time."""
    if not stretches:
        return []
    begin = min(one.begin for one in stretches)
    whole = max(one.end for one in stretches) - begin
    if whole <= 0:
        return []
    place = 0 if look.unicode else 1
    workers = dict.fromkeys(one.worker for one in stretches)
    lines = []
    for worker in workers:
        own = [one for one in stretches if one.worker == worker]
        cells = (_most(own, begin + whole * n / columns, begin + whole * (n + 1) / columns) for n in range(columns))
        lines.append((worker, "".join(_MARKS[doing][place] if doing in _MARKS else _ABSENT for doing in cells)))
    return lines


def legend(stretches: Sequence[Stretch], look: Look) -> str:
    """The meaning of the characters that stand for these."""
    place, done = 0 if look.unicode else 1, {one.doing for one in stretches}
    return ", ".join(f"{marks[place]} {doing}" for doing, marks in _MARKS.items() if doing in done)


def timeline_lines(page: Page, stretches: Sequence[Stretch], seconds: str) -> None:
    """The picture with its legend.

    Args:
        seconds: in words, how long the time is that it shows.
    """
    width = max((len(one.worker) for one in stretches), default=0) + 2
    for worker, line in drawn(stretches, page.look, page.look.columns - width - 2):
        page.verbatim(line.rstrip(), first=f"  {worker:<{width}}")
    page.add(f"{legend(stretches, page.look)}; {seconds} from left to right", first="  ")


def _most(own: Iterable[Stretch], begin: float, end: float) -> str:
    """The main activity between these two times; empty for nothing."""
    shares: dict[str, float] = {}
    for one in own:
        shared = min(one.end, end) - max(one.begin, begin)
        if shared > 0:
            shares[one.doing] = shares.get(one.doing, 0.0) + shared
    return max(shares, key=shares.__getitem__) if shares else ""
