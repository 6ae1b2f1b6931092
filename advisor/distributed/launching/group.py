"""The processes of a group as their launcher sees them: how they are started and watched, and who is to blame when one is lost.

No torch here.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.children.command import Command, module_command
from advisor.children.ending import how_it_ended
from advisor.children.errors import NonsenseError
from advisor.children.process import ChildProcess, Sign
from advisor.children.stopping import STOPPED, Stop
from advisor.distributed.job import (
    LOOPBACK,
    MESSAGES,
    Calibrated,
    Ended,
    Failed,
    Job,
    Launch,
    Message,
    Paced,
    Progress,
    Ready,
    Run,
    Undone,
    name_of,
)
from advisor.distributed.launching.pulse import Phase, Pulse
from advisor.distributed.launching.results import Results
from advisor.distributed.launching.watching import LONGEST_WORK, LOOK_EVERY, Watch, look_at
from advisor.distributed.wires.links import Links, Place
from advisor.plain import encode

_EXPLAINED_WITHIN = 1.0
"""Seconds to find out which process is to blame, once one is missed."""
_BEFORE = {
    Phase.STARTING: "before training began.",
    Phase.READING: "while it read the examples.",
    Phase.CALIBRATING: "while its steps and exchanges were timed.",
}
_REST = 0.01
_LAST_WORDS = 300


@dataclass(frozen=True, slots=True)
class End:
    """The end of a group."""

    reason: str = ""
    """A sentence where it ended early."""
    diverged: bool = False
    run: int = 0
    """From 0: the one that was under way."""


class Group:
    """The processes, what they have said, and who is to blame for their end."""

    def __init__(
        self,
        job: Job,
        links: Links | None,
        folder: Path,
        hear: Callable[[Message], None],
        stop: Stop,
        until: float | None = None,
    ) -> None:
        self._job, self._links, self._folder, self._hear, self._stop = job, links, folder, hear, stop
        self._until = until
        self._ranks = job.ranks
        self._pulse = Pulse.make(folder / "pulse", self._ranks)
        self._processors, self._notes = processors_for(job)
        self._children: list[ChildProcess] = []
        self._runs: list[Run] = []
        self._undone: list[Undone] = []
        self._heard: dict[type[Message], Message] = {}
        """The last of each kind."""
        self._ended: set[int] = set()
        self._statuses: dict[int, int | None] = {}
        """Of processes that have closed their output."""
        self._said: dict[int, Failed] = {}
        self._watch = Watch(job.timeout)
        self._begun = time.monotonic()
        self._rubbish = False

    def children(self, command: Sequence[str] | None) -> Sequence[ChildProcess]:
        """Not started yet."""
        places: Sequence[Place | None] = self._links.places if self._links is not None else [None] * self._ranks
        self._children = [ChildProcess(_command(self._job, place, command)) for place in places[: self._ranks]]
        return self._children

    def tell_all(self) -> None:
        """Each rank's own launch."""
        pace = self._links.pace if self._links is not None else None
        rate = pace.bytes_per_second if pace is not None and math.isfinite(pace.bytes_per_second) else None
        told = Launch(
            self._job, 0, self._ranks, str(self._folder / "store"), str(self._folder / "pulse"),
            pace=None if pace is None else Paced(rate, pace.latency), until=self._until,
        )  # fmt: skip
        for rank, child in enumerate(self._children):
            launch = replace(told, rank=rank, processors=self._processors[rank])
            child.send(json.dumps(encode(launch), allow_nan=False).encode() + b"\n")

    def listen(self) -> End:
        """Until all have ended, or one cannot go on."""
        looked = self._begun = time.monotonic()
        while len(self._ended) < self._ranks:
            if self._stop.now:
                return End(STOPPED)
            heard = self._hear_all()
            now = time.monotonic()
            lost = self._statuses.keys() | self._said.keys()
            if lost - self._ended or self._rubbish:
                return self._explained()
            if now - looked > LOOK_EVERY:
                wrong = self._looked(now - looked, now - self._begun)
                looked = now
                if wrong:
                    return End(wrong)
            if not heard:
                time.sleep(_REST)
        return End()

    def results(self, failed: str) -> Results:
        """Everything that was heard."""
        ready, calibrated, progress = (self._heard.get(kind) for kind in (Ready, Calibrated, Progress))
        return Results(
            ready=ready if isinstance(ready, Ready) else None,
            calibrated=calibrated if isinstance(calibrated, Calibrated) else None,
            runs=tuple(self._runs),
            undone=tuple(self._undone),
            failed=failed,
            under_way=progress if failed and isinstance(progress, Progress) else None,
            notes=self._notes,
        )

    def _hear_all(self) -> bool:
        """True where anybody said anything."""
        heard = False
        for rank, child in enumerate(self._children):
            while rank not in self._statuses and (event := child.event(0)) is not None:
                heard = True
                if event is Sign.CLOSED:
                    self._statuses[rank] = child.ending(_EXPLAINED_WITHIN)
                elif isinstance(event, bytes):
                    self._take(rank, event)
                else:
                    self._rubbish = True
        return heard

    def _take(self, rank: int, line: bytes) -> None:
        try:
            message = MESSAGES.read(line)
        except NonsenseError:
            self._rubbish = True
            return
        match message:
            case Failed():
                self._said.setdefault(rank, message)
                return
            case Ended():
                self._ended.add(rank)
                return
            case Run():
                self._runs.append(message)
                self._heard.pop(Progress, None)
            case Undone():
                self._undone.append(message)
            case _:
                self._heard[type(message)] = message
        self._hear(message)

    def _looked(self, since: float, all_seconds: float) -> str:
        """A sentence where a process is suspended or hangs, or the network is gone.

        Args:
            since: seconds since the look before.
            all_seconds: since the beginning.
        """
        if self._links is not None and (broken := self._links.broken()):
            return broken
        going = [rank for rank in range(self._ranks) if rank not in self._ended]
        stuck = self._watch.look({rank: look_at(self._pulse, rank) for rank in going}, since)
        if stuck is not None:
            return f"{self._name(stuck.rank)} {stuck.how} {self._where(stuck.rank)}"
        if Ready not in self._heard and all_seconds > LONGEST_WORK:
            return f"After {LONGEST_WORK:g} s the processes were not ready to train."
        return ""

    def _explained(self) -> End:
        """Find who is to blame: first a process that a signal has ended, then one that says what is wrong with itself."""
        until = time.monotonic() + _EXPLAINED_WITHIN
        while not (found := self._blamed()) and time.monotonic() < until:
            self._hear_all()
            time.sleep(_REST)
        return found or End(self._at_least())

    def _blamed(self) -> End | None:
        for rank, status in self._statuses.items():
            if status is not None and status < 0:
                return End(f"{self._name(rank)} {how_it_ended(status)} {self._where(rank)}")
        for rank, said in self._said.items():
            if not said.lost:
                return End(_sentence(said.reason, self._where(rank)), said.diverged, self._pulse.of(rank).run)
        for rank in range(self._ranks):
            if look_at(self._pulse, rank).stopped:
                return End(f"{self._name(rank)} was suspended {self._where(rank)}")
        return None

    def _at_least(self) -> str:
        """A sentence for when nobody is seen to be to blame."""
        if self._said:
            beats = {rank: self._pulse.of(rank) for rank in range(self._ranks)}
            heard = self._said.keys() | self._ended
            working = [rank for rank, beat in beats.items() if not beat.waits and rank not in heard]
            if working:
                slowest = min(working, key=lambda rank: beats[rank].at)
                silent = time.monotonic() - max(beats[slowest].at, self._begun)
                return f"{self._name(slowest)} answered nobody for {silent:.1f} s {self._where(slowest)}"
            rank, said = next(iter(self._said.items()))
            return f"{self._name(rank)} waited for the others in vain {self._where(rank)} ({said.reason[:_LAST_WORDS]})"
        for rank, status in self._statuses.items():
            words = self._children[rank].last_words()[-_LAST_WORDS:]
            shown = f" Its last words: {words}" if words else ""
            return f"{self._name(rank)} {how_it_ended(status)} {self._where(rank)}{shown}"
        return "A process wrote what is no message."

    def _name(self, rank: int) -> str:
        return name_of(rank, self._job.workers)

    def _where(self, rank: int) -> str:
        """The point that a rank had come to, at the end of a sentence."""
        beat = self._pulse.of(rank)
        if beat.phase <= Phase.CALIBRATING:
            return _BEFORE[beat.phase]
        strategy, seed = self._job.runs[beat.run]
        told = f"{strategy}, seed {seed}" if len(self._job.seeds) > 1 else str(strategy)
        if beat.phase is Phase.PREPARING:
            return f"before it trained ({told})."
        if beat.phase is Phase.JUDGING:
            return f"{'after it had trained' if beat.waits else 'while it looked at held-out examples'} ({told})."
        unit = "updates" if rank >= self._job.workers else "gradients"
        return f"while it trained ({told}), {beat.steps:,} {unit} in."


def processors_for(job: Job) -> tuple[Sequence[tuple[int, ...] | None], tuple[str, ...]]:
    """The hardware threads of each rank, those of workers apart as far as there are enough; a server may run on any.

    A note says where workers share them.
    """
    if job.processors:
        return [job.processors[rank] if rank < len(job.processors) else None for rank in range(job.ranks)], ()
    if sys.platform != "linux":
        return [None] * job.ranks, ()
    there = sorted(os.sched_getaffinity(0))
    wanted = job.workers * job.threads
    places = [
        tuple({there[(worker * job.threads + thread) % len(there)] for thread in range(job.threads)})
        for worker in range(job.workers)
    ]
    note = f"{job.workers} workers share {len(there)} hardware threads, so they compute more slowly than on as many computers."
    return [*places, *[None] * (job.ranks - job.workers)], (note,) if wanted > len(there) else ()


def _command(job: Job, place: Place | None, instead: Sequence[str] | None) -> Command:
    """Of one rank, which uses no network interface but one."""
    interface = place.interface if place is not None else LOOPBACK
    variables: Mapping[str, str | None] = {
        **dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"), str(job.threads)),
        **dict.fromkeys(("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME"), interface),
        "TORCH_DISTRIBUTED_DEBUG": None,
        "TORCH_CPP_LOG_LEVEL": "ERROR",
    }
    command = module_command("advisor.distributed.worker", variables, instead=instead)
    return replace(command, arguments=(*place.prefix, *command.arguments)) if place is not None else command


def _sentence(reason: str, where: str) -> str:
    """The words of a rank, with where it was."""
    return f"{reason.removesuffix('.')}, {where}" if "\n" not in reason else reason
