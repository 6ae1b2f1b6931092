"""The work of one process of a group: the lesson, the calibration, then one run after another."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import torch

from advisor.distributed.job import Began, Launch, Message, Paced, Progress, Ready, Run, Segment, Staleness, Undone
from advisor.distributed.launching.pulse import Phase, Pulse
from advisor.distributed.learning.lesson import Prepared, lesson_of, prepared
from advisor.distributed.running import part
from advisor.distributed.running.calibrating import calibrated
from advisor.distributed.running.diary import Diary, Doing, Limits
from advisor.distributed.running.judging import Judgement, judged, points_for
from advisor.distributed.running.parts import judge_of, part_of, teller_of
from advisor.distributed.running.team import Team
from advisor.distributed.strategies import Kind, Strategy
from advisor.distributed.wires.pacing import Pace, ServerLink
from advisor.errors import InputError
from advisor.plain import decode, encode

_STEPS_TOLD, _SEGMENTS_TOLD = 1000, 400
"""Of all ranks together, so that what is told of many runs stays small."""
_AROUND = 0.7
"""Seconds of a run besides training, before any is known."""
_LEAST = 0.1
"""Of the time that was planned for a training: less is not worth it."""
_DIGITS = 6
"""Of seconds after the point."""


class Allotment:
    """The seconds of each training: as planned, or what is left of the time, shared among all that are left.

    All strategies have as long with the same seed, for they are compared by it.

    Args:
        until: when all should be done; None where there is time for all as planned.
    """

    def __init__(self, planned: float, until: float | None) -> None:
        self._planned, self._until = planned, until
        self._around: list[float] = []
        """Seconds of each run with the seed besides training."""

    def of_seed(self, left: int, now: float) -> float:
        """Of each run with the next seed, of so many runs that are left with it and all that follow."""
        around = max(_AROUND, statistics.fmean(self._around or [0.0]))
        self._around.clear()
        if self._until is None:
            return self._planned
        return min(self._planned, max(_LEAST * self._planned, (self._until - now) / left - around))

    def took(self, whole: float, trained: float) -> None:
        """A run took so long, with so much of it for training."""
        self._around.append(whole - trained)


class Session:
    """One rank's work, from the meeting of all ranks to the last run."""

    def __init__(self, launch: Launch, device: torch.device, say: Callable[[Message], None], pulse: Pulse) -> None:
        self._launch, self._job, self._say = launch, launch.job, say
        timeout = timedelta(seconds=launch.job.timeout)
        folder = Path(launch.store).parent if launch.store else None
        self._pulse = pulse
        self._time = Allotment(launch.job.seconds, launch.until)
        self._team = Team(launch.rank, launch.ranks, launch.job.workers, timeout, device, pulse, folder)
        self._pace = _pace(launch.pace, folder) if launch.pace else None
        pulse.enter(launch.rank, Phase.READING)
        dtype = torch.float64 if launch.job.precision == "float64" else torch.float32
        self._lesson = lesson_of(launch.job.task, self._examples(), dtype)
        self._weights = sum(one.numel() for one in self._lesson.network.parameters())

    def hold(self) -> None:
        """All of it. Raises CannotRunError and InputError with what is to be said, and RuntimeError where a rank is lost."""
        job, first = self._job, self._launch.rank == 0
        self._team.wait_for_all()
        if first:
            batches = len(self._lesson.inputs) // self._lesson.stream(job.task.batch, 0).batch
            self._say(Ready(torch.__version__, self._weights, self._lesson.how, batches))
        if job.calibrates:
            self._pulse.enter(self._launch.rank, Phase.CALIBRATING)
            found = calibrated(job, self._lesson, self._team, self._pace)
            if first:
                self._say(found)
        done_before = [seed for _, seed in job.runs[: job.skips]]
        settled = done_before[-1] if done_before and done_before.count(done_before[-1]) > 1 else None
        seconds = job.seconds  # that of the others with this seed, where some were done before
        for number, (strategy, seed) in enumerate(job.runs):
            if number < job.skips:
                continue
            if first:
                self._say(Began(str(strategy), seed, number + 1, len(job.runs)))
            begun = time.monotonic()
            if seed != settled:
                settled, seconds = seed, self._team.gathered(self._time.of_seed(len(job.runs) - number, begun))[0]
            done = self._one(number, strategy, seed, seconds)
            self._time.took(time.monotonic() - begun, seconds)
            if first:
                self._say(done)

    def _examples(self) -> Prepared:
        """Data are read by the first rank where all are on one computer: reading takes each seconds and memory."""
        launch = self._launch
        if launch.job.task.data is None or not launch.store:
            return prepared(launch.job.task)
        path = Path(launch.store).with_suffix(".examples")
        if launch.rank == 0:
            prepared(launch.job.task).save(path)
        self._team.wait_for_all()
        return Prepared.load(path)

    def _one(self, number: int, strategy: Strategy, seed: int, seconds: float) -> Run | Undone:
        job, rank = self._job, self._launch.rank
        self._pulse.enter(rank, Phase.PREPARING, number)
        stream = self._lesson.stream(job.task.batch, seed)
        gradients = None if job.examples is None else max(1, job.examples // (stream.batch * job.workers))
        bytes_each = next(self._lesson.network.parameters()).element_size()
        limits = Limits(seconds, gradients, points_for(self._weights, bytes_each, job.points))
        diary = Diary(rank, self._pulse, number, limits)
        run = part.Assignment(job, self._lesson, strategy, seed, self._team, diary, self._pace)
        if rank == teller_of(run):
            diary.tell = lambda seconds, examples, updates, loss: self._say(
                Progress(str(strategy), seed, seconds, examples, updates, loss)
            )
        try:
            mine = part_of(run)
        except InputError as error:  # of all ranks alike
            return Undone(str(strategy), seed, " ".join(map(str, error.problems)))
        mine.train()
        self._pulse.enter(rank, Phase.JUDGING, number)
        judgement = self._judgement(run, mine)
        told = self._team.gathered([_told(diary, self._team.ranks), encode(judgement) if judgement else None])
        return _merged(run, judge_of(run), told, self._lesson.metric)

    def _judgement(self, run: part.Assignment, mine: part.Part) -> Judgement | None:
        snapshots = run.diary.snapshots
        if run.strategy.kind in (Kind.SHARDED, Kind.PIPELINE):
            found = [one for one in run.team.brought([one.weights for one in snapshots]) if one]
            wholes = map(mine.joined, zip(*found, strict=True))
            snapshots = [replace(one, weights=whole) for one, whole in zip(snapshots, wholes, strict=False)]
        if run.team.rank != judge_of(run):
            return None
        if self._job.weights is not None:
            name = f"{str(run.strategy).replace(':', '-')}-{run.seed}.pt"
            torch.save(snapshots[-1].weights.cpu(), Path(self._job.weights) / name)
        alive = partial(self._pulse.beat, run.team.rank, 0)
        device = torch.device("cuda", 0) if run.team.is_server and self._job.device == "cuda" else run.team.device
        return judged(self._lesson, run.seed, snapshots, device, run.diary.seconds, alive)


def _pace(paced: Paced, folder: Path | None) -> Pace:
    """The link that is acted, with that of the server where all ranks share a folder."""
    server = ServerLink(folder / "server_link") if folder is not None else None
    return Pace(paced.bytes_per_second or math.inf, paced.latency, server)


def _told(diary: Diary, ranks: int) -> Mapping[str, Any]:
    """The words of a rank on a run."""
    most = _STEPS_TOLD // ranks
    every = math.ceil(len(diary.gradients) / most) or 1
    segments = diary.segments[: _SEGMENTS_TOLD // ranks]
    return {
        "seconds": diary.seconds,
        "computing": diary.spent[Doing.COMPUTING],
        "steps": [round(one, _DIGITS) for one in diary.gradients[::every]],
        "segments": [[round(begin, _DIGITS), round(end, _DIGITS), doing.value] for begin, end, doing in segments],
        "staleness": sorted(diary.staleness.items()),
        "bytes": diary.bytes,
        "examples": diary.examples,
        "updates": diary.updates,
        "dropped": diary.dropped,
    }


def _merged(run: part.Assignment, judge: int, told: Sequence[Any], metric: str) -> Run:
    """All that the ranks say, as one run."""
    ranks, decided = [one[0] for one in told], told[judge][0]
    workers = ranks[: 1 if run.strategy.kind is Kind.ALONE else run.team.workers]
    judgement = decode(Judgement, told[judge][1], "judgement")
    return Run(
        strategy=str(run.strategy),
        seed=run.seed,
        seconds=decided["seconds"],
        examples=decided["examples"],
        updates=decided["updates"],
        dropped=decided["dropped"],
        examples_per_s=decided["examples"] / decided["seconds"],
        curve=judgement.curve,
        metric=metric,
        held_out=judgement.held_out,
        staleness=_staleness(dict(decided["staleness"]) or {0: max(1, decided["updates"])}),
        bytes=round(sum(one["bytes"] for one in ranks)),
        waiting=tuple(max(0.0, 1 - one["computing"] / max(one["seconds"], 1e-9)) for one in workers),
        steps=tuple(tuple(one["steps"]) for one in workers),
        timeline=tuple(
            Segment(rank, begin, end, doing) for rank, one in enumerate(ranks) for begin, end, doing in one["segments"]
        ),
        notes=_notes(run),
    )


def _staleness(counts: Mapping[int, int]) -> Staleness:
    listed = [counts.get(one, 0) for one in range(max(counts) + 1)]
    return Staleness(tuple(listed), _quantile(listed, 0.5), _quantile(listed, 0.95))


def _quantile(counts: Sequence[int], share: float) -> float:
    """The least staleness that this share of the gradients does not exceed."""
    reached, total = 0, sum(counts)
    for staleness, count in enumerate(counts):
        reached += count
        if reached >= share * total:
            return float(staleness)
    return float(len(counts) - 1)


def _notes(run: part.Assignment) -> tuple[str, ...]:
    notes = []
    idle = run.team.workers - run.strategy.whole("stages", run.team.workers)
    if idle:
        notes.append(f"{idle} of the workers had nothing to do, as there are fewer stages.")
    if run.strategy.kind in (Kind.SHARDED, Kind.PIPELINE):
        notes.append("Computing is told from waiting by the time of the processor, within steps where both are mixed.")
    return tuple(notes)
