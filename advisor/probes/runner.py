"""Run a probe in a child process within a time budget. Whatever the child does costs this one result at most."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Any

from advisor.children.command import module_command, own_module_command
from advisor.children.stopping import STOPPED, Stop
from advisor.children.supervise import End, Ending, Limits, supervise
from advisor.facts.verdict import Verdict
from advisor.machine.detection.limits import read_limits
from advisor.machine.host import Tree
from advisor.probes.conditions import Moment
from advisor.probes.judging.record import Record
from advisor.probes.outcome import Outcome
from advisor.probes.probe import Probe, Setting, Varies
from advisor.probes.protocol import MESSAGES, Failed, Message, Ready, Request, Result, request_line
from advisor.probes.verdict import FEWEST_PAIRS
from advisor.probes.workload import Workload

_CHILD = "advisor.probes.child.main"
_LIMITS_ON_THREADS = (
    "OMP_THREAD_LIMIT",
    "OMP_DYNAMIC",
    "OMP_PROC_BIND",
    "OMP_PLACES",
    "GOMP_CPU_AFFINITY",
    "KMP_AFFINITY",
)
"""Variables of the user that would keep threads from processors that a setting asks for."""


def run(
    probe: Probe,
    workload: Workload | None,
    *,
    before: Setting,
    budget_seconds: float,
    facts: Mapping[str, Any] | None = None,
    settings: Sequence[Setting] | None = None,
    folder: str | None = None,
    python: str = "",
    date: str = "",
    machine: str = "",
    on_event: Callable[[Message], None] | None = None,
    limits: Limits = Limits(),  # noqa: B008  frozen
    command: Sequence[str] | None = None,
    seed: int = 0,
    stop: Stop | None = None,
) -> Outcome:
    """Time the recommended setting against its best rival and says which is faster.

    Takes `budget_seconds` and at most 2 s more, the start of torch in the child included. Never raises for what the
    child does: a crash, a hang, too much memory or nonsense becomes the outcome's `failure`. An interrupt, or an error
    in `on_event`, ends the child and its children and is raised again.

    Args:
        before: what the plan recommends.
        facts: of the machine, by the names of the vocabulary, to choose the settings and the memory limit from.
        settings: what to try, instead of the choice from the facts.
        folder: where files may be written for a moment, on the disk that holds the data; the working folder if None.
        python: the interpreter in which it is measured, which has torch; that of this program if empty.
        date: when it is measured, ISO 8601.
        machine: its fingerprint, for the scope of the outcome.
        on_event: is told every message of the child as it comes.
        command: starts another child than our own; the number of this process is added to it.
        stop: is looked at while the child works; what was stopped is undecided, with what was timed by then.
    """
    stop = stop or Stop()
    begun, start = Moment.now(), time.monotonic()
    facts = facts or {}
    if settings is None:
        settings = probe.settings(workload, facts, before)
    settings = tuple(dict.fromkeys([*settings, before]))
    record = Record(probe, workload, before, settings, seed)
    memory = limits.memory(facts.get("machine.memory_bytes"), read_limits(Tree(Path("/"))).memory_left_bytes)
    request = Request(
        probe=probe.name,
        workload=workload,
        before=before,
        settings=settings,
        seconds=budget_seconds,
        memory_bytes=memory * 8 // 10,
        seed=seed,
        facts={name: sorted(value) if isinstance(value, Set) else value for name, value in facts.items()},
        folder=folder or str(Path.cwd()),
    )

    def hear(line: bytes) -> bool:
        message = MESSAGES.read(line)
        record.add(message)
        if isinstance(message, Ready):
            record.start_seconds = time.monotonic() - start
        if on_event is not None:
            on_event(message)
        return isinstance(message, Result | Failed)

    changed = variables(probe, workload, settings)
    child = module_command(_CHILD, changed, instead=command)
    if python and command is None:
        child = own_module_command(_CHILD, python, changed)
    ending = supervise(
        child,
        hear,
        deadline=start + budget_seconds + limits.grace_seconds,
        request=request_line(request),
        memory_bytes=memory,
        limits=limits,
        stopped=lambda: stop.now,
    )
    record.misunderstood = ending.rubbish
    record.late = record.late or ending.end is End.LATE
    if record.ready is None:
        record.start_seconds = time.monotonic() - start
    if ending.end is End.STOPPED:
        record.notes.append(STOPPED)
    ended = Moment.now()
    ended = replace(ended, ours=ended.ours + ending.unwaited_seconds)
    outcome = record.outcome(_failure(ending, record), begun, ended, date, machine)
    if STOPPED in record.notes:  # whoever ends a comparison at will could end it when it suits
        return replace(outcome, verdict=Verdict.UNDECIDED, after=None, also={})
    return outcome


def variables(probe: Probe, workload: Workload | None, settings: Sequence[Setting]) -> dict[str, str | None]:
    """Changes in the environment: pools of threads as large as the largest setting, and no other limit on them."""
    pinned: dict[str, str | None] = dict.fromkeys(_LIMITS_ON_THREADS)
    wanted = [setting for setting in settings if probe.varies is Varies.THREADS and isinstance(setting, int)]
    planned = [workload.threads] if workload is not None and probe.needs_network and workload.threads else []
    threads = max([*wanted, *planned], default=None)
    if threads is not None:
        pinned |= {"OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
    return pinned | {"OMP_DYNAMIC": "FALSE", "MKL_DYNAMIC": "FALSE"}


def _failure(ending: Ending, record: Record) -> str | None:
    """The reason why there is no result, a sentence or two; None where there is one, or where somebody stopped it."""
    match ending.end:
        case End.SAID_ALL:
            return record.failed
        case End.STOPPED:
            return None
        case End.LATE if len(record.pairs()) >= FEWEST_PAIRS:
            return None
        case End.LATE if record.ready is None:
            reason = "Its time was over before it was ready to measure."
        case End.LATE:
            reason = "It had no result when its time was over."
        case End.FAILED:
            reason = ending.reason
    return ending.explain(reason) if reason else None
