"""Runs a probe in a child process within a time budget. Whatever the child does costs this one result at most."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil

from advisor.children.process import ChildProcess, Closed, Flood, Line
from advisor.children.stopping import STOPPED, Stop
from advisor.facts.verdict import Verdict
from advisor.machine.detection.limits import read_limits
from advisor.machine.host import Tree
from advisor.probes.conditions import Moment
from advisor.probes.judging.record import Record
from advisor.probes.outcome import Outcome
from advisor.probes.probe import Probe, Setting, Varies
from advisor.probes.protocol import Failed, Message, Request, Result, decode, encode_request
from advisor.probes.verdict import FEWEST_PAIRS
from advisor.probes.workload import Workload

LAST_WORDS_SHOWN = 300
_LIMITS_ON_THREADS = (
    "OMP_THREAD_LIMIT",
    "OMP_DYNAMIC",
    "OMP_PROC_BIND",
    "OMP_PLACES",
    "GOMP_CPU_AFFINITY",
    "KMP_AFFINITY",
)
"""Variables of the user that would keep threads from processors that a setting asks for."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a child may take."""

    memory_share: float = 0.7
    """Of the memory that is free when it starts."""
    memory_bytes: int | None = None
    """At most this much in any case."""
    grace_seconds: float = 1.0
    """After its budget, until it is ended."""
    rubbish_lines: int = 1000
    """Lines that could not be understood, until it is ended."""
    poll_seconds: float = 0.1


def run(
    probe: Probe,
    workload: Workload | None,
    *,
    before: Setting,
    budget_seconds: float,
    facts: Mapping[str, Any] | None = None,
    settings: Sequence[Setting] | None = None,
    folder: str | None = None,
    date: str = "",
    machine: str = "",
    on_event: Callable[[Message], None] | None = None,
    limits: Limits = Limits(),
    command: Sequence[str] | None = None,
    seed: int = 0,
    stop: Stop | None = None,
) -> Outcome:
    """Times the recommended setting against its best rival and says which is faster.

    Takes `budget_seconds` and at most 2 s more, the start of torch in the child included. Never raises for what the
    child does: a crash, a hang, too much memory or nonsense becomes the outcome's `failure`. An interrupt, or an error
    in `on_event`, ends the child and its children and is raised again.

    Args:
        before: what the plan recommends.
        facts: of the machine, by the names of the vocabulary, to choose the settings and the memory limit from.
        settings: what to try, instead of the choice from the facts.
        folder: where files may be written for a moment, on the disk that holds the data; the working folder if None.
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
    memory = memory_limit(limits, facts.get("machine.memory_bytes"), read_limits(Tree(Path("/"))).memory_left_bytes)
    request = Request(
        probe=probe.name,
        workload=workload.to_json() if workload is not None else None,
        before=before,
        settings=settings,
        seconds=budget_seconds,
        memory_bytes=memory * 8 // 10,
        seed=seed,
        facts={name: sorted(value) if isinstance(value, Set) else value for name, value in facts.items()},
        folder=folder or str(Path.cwd()),
    )
    command = [*(command or own_child()), str(os.getpid())]
    deadline = start + budget_seconds + limits.grace_seconds
    with ChildProcess(command, environment(probe, workload, settings)) as child:
        child.send(encode_request(request))
        failure = _listen(child, record, deadline, memory, limits, on_event, stop)
    if failure and record.failed is None and (words := child.last_words()):
        failure = f"{failure} Its last words: {words[-LAST_WORDS_SHOWN:]}"
    ended = Moment.now()
    ended = replace(ended, ours=ended.ours + child.unwaited_seconds)
    outcome = record.outcome(failure, begun, ended, date, machine)
    if STOPPED in record.notes:  # whoever ends a comparison at will could end it when it suits
        return replace(outcome, verdict=Verdict.UNDECIDED, after=None, also={})
    return outcome


def own_child() -> list[str]:
    """-P: a file of the user's folder that is called torch.py is not taken for torch."""
    return [sys.executable, "-P", "-m", "advisor.probes.child.main"]


def environment(probe: Probe, workload: Workload | None, settings: Sequence[Setting]) -> dict[str, str]:
    """This process's, with the pools of threads as large as the largest setting and no other limit on them."""
    pinned = {name: value for name, value in os.environ.items() if name not in _LIMITS_ON_THREADS}
    wanted = [setting for setting in settings if probe.varies is Varies.THREADS and isinstance(setting, int)]
    planned = [workload.threads] if workload is not None and probe.needs_network and workload.threads else []
    threads = max([*wanted, *planned], default=None)
    if threads is not None:
        pinned |= {"OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
    return pinned | {"OMP_DYNAMIC": "FALSE", "MKL_DYNAMIC": "FALSE"}


def memory_limit(limits: Limits, machine_bytes: int | None, left_bytes: int | None) -> int:
    """Bytes that a child may hold; inside a container the system tells of more free memory than may be used.

    Args:
        machine_bytes: of the machine, or of the container where that has a limit; None where unknown.
        left_bytes: what the container may still take; None without a limit.
    """
    known = (psutil.virtual_memory().available, machine_bytes, left_bytes)
    share = int(min(value for value in known if value is not None) * limits.memory_share)
    return share if limits.memory_bytes is None else min(share, limits.memory_bytes)


def _listen(
    child: ChildProcess,
    record: Record,
    deadline: float,
    memory_bytes: int,
    limits: Limits,
    on_event: Callable[[Message], None] | None,
    stop: Stop,
) -> str | None:
    """Takes down what the child says, until it has said everything or must be ended: then why."""
    looked = 0.0
    while True:
        now = time.monotonic()
        if stop.now:
            record.notes.append(STOPPED)
            return None
        if now >= deadline:
            return None if len(record.pairs()) >= FEWEST_PAIRS else _out_of_time(record)
        if now - looked >= limits.poll_seconds:
            looked, held = now, child.resident_bytes()
            if held > memory_bytes and (held := child.own_bytes()) > memory_bytes:
                return f"It held {held / 1e6:,.0f} MB of memory and may take {memory_bytes / 1e6:,.0f} MB."
        event = child.event(min(limits.poll_seconds, deadline - now))
        match event:
            case None:
                continue
            case Closed():
                return _how_it_ended(child.ending(limits.poll_seconds * 5))
            case Flood():
                return "It wrote without end."
            case Line(content):
                try:
                    message = decode(content)
                except (ValueError, TypeError, OverflowError):
                    record.misunderstood += 1
                else:
                    record.add(message)
                    if on_event is not None:
                        on_event(message)
                    if isinstance(message, Result):
                        return None
                    if isinstance(message, Failed):
                        return message.reason
            case _:
                record.misunderstood += 1
        if record.misunderstood > limits.rubbish_lines:
            return f"It wrote {record.misunderstood} lines that are no messages of a probe."


def _out_of_time(record: Record) -> str:
    if record.ready is None:
        return "Its time was over before it was ready to measure."
    return "It had no result when its time was over."


def _how_it_ended(status: int | None) -> str:
    if status is None:
        return "It closed its output before there was a result."
    if status < 0:
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = f"signal {-status}"
        return f"It was ended by {name} before there was a result."
    return f"It ended with status {status} before there was a result."
