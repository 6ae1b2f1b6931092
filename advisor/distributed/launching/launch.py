"""Starts the processes of a group, hears what they say, and ends all of them when one is lost. No torch here.

Whatever happens to a process ends in one sentence, with what was measured until then, and with no process left: one that
dies is noticed at once, one that is suspended within two seconds, one that hangs when an exchange has taken too long.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace

from advisor.children import temporary
from advisor.children.stopping import Stop
from advisor.distributed.job import Job, Message, Undone
from advisor.distributed.launching.group import End, Group
from advisor.distributed.launching.results import Results
from advisor.distributed.wires.links import Links

__all__ = ["Results", "run"]


def run(
    job: Job,
    *,
    links: Links | None = None,
    hear: Callable[[Message], None] = lambda _: None,
    stop: Stop | None = None,
    command: Sequence[str] | None = None,
    until: float | None = None,
) -> Results:
    """Train under all strategies of a job, with each seed.

    A run whose loss is no number any more ends its processes; the others are done in new ones, unless two in a row end so.

    Args:
        links: places for all ranks, the server's last; the loopback interface if None.
        hear: is told every message as it comes.
        stop: ends it; what was finished is kept.
        command: another program than our own worker, for tests.
        until: when all should be done, by the clock of `time.monotonic`: trainings are shorter than the job has them where
            starting, or what is around each, takes longer than was planned for.

    Nothing that a process does raises. Whatever `hear` raises, and an interrupt, end all processes first.
    Raises InputError where the job is not right, and OSError where no process can be started.
    """
    job.check()
    stop = stop or Stop()
    found = Results()
    while True:
        more, ended = _once(job, links, hear, stop, command, until)
        found = found.with_(more)
        last, again = ended.run + 1 == len(job.runs), bool(job.skips) and not more.runs
        if not ended.diverged or (again and not last):
            return found.told()
        strategy, seed = job.runs[ended.run]
        undone = Undone(str(strategy), seed, found.failed)
        found = replace(found, failed="", under_way=None, undone=(*found.undone, undone))
        hear(undone)
        if last:
            return found.told()
        shortest = min([job.seconds, *(one.seconds for one in found.runs if one.seed == seed)])
        job = replace(job, skips=ended.run + 1, calibrates=False, seconds=shortest)


def _once(
    job: Job,
    links: Links | None,
    hear: Callable[[Message], None],
    stop: Stop,
    command: Sequence[str] | None,
    until: float | None,
) -> tuple[Results, End]:
    """With one start of the processes."""
    with contextlib.ExitStack() as closing:
        folder = closing.enter_context(temporary.temporary_folder())
        group = Group(job, links, folder, hear, stop, until)
        for child in group.children(command):
            closing.enter_context(child)
        group.tell_all()
        ended = group.listen()
        return group.results(ended.reason), ended
