"""The plan's training step fed by a DataLoader: the time of an example, read and learned from.

What is timed is the steady state of an epoch. At its beginning nothing has been read ahead, and at its end loader
processes would go on reading for nobody. A sample of a third of a second would make far more of both than an epoch of
minutes does: a batch that four processes take 0.1 s for would look like a third of the sample, though it is hidden
wholly behind the computation. So the window opens after as many steps as batches are read ahead, and closes while as
many are still on their way; these are then taken out unused, untimed, so that no setting works in the time of another.
Nothing that was read in idle time counts for free: as many batches are in flight at the end as were at the beginning.
Where nothing is read ahead, one step goes before the window too: what another setting pushed out of the caches comes back in it.

Of an epoch whose length is known the beginning counts as well where batches are read ahead, once in so many steps: that is what
small data pays.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from advisor.children.errors import CannotRunError, TooLongError
from advisor.networks.spec import check
from advisor.probes.benches.examples import FileOfExamples, dataset_of, source_of
from advisor.probes.benches.feeding import Feed, batch_bytes, in_plain_words, started_feed
from advisor.probes.child.lesson import Inputs
from advisor.probes.child.training_step import StepTrial, TrainingStep
from advisor.probes.judging.trial import Equipment, Tell, Trial
from advisor.probes.probe import Probe, Setting, Work
from advisor.probes.protocol import Note, Request, Told
from advisor.probes.settings.loading import BESIDE, Loader, loader
from advisor.probes.workload import Device, MemoryFormat, Workload

WINDOW_SECONDS = 0.3
SHARING_ROUNDS = 2
MOST_PROCESSES = 16
"""Loader processes of all settings together, apart from those of the recommended one, ..."""
PROCESSES_A_CORE = 2
"""... and not more than so many for each core: they only wait for their turn, but hold memory and take time to start."""


class FedStep(TrainingStep):
    """The training step on batches that it is given."""

    _fed: tuple[Inputs, Tensor] | None = None

    def feed(self, batch: Sequence[Tensor] | None, pinned: bool = False) -> None:
        """The batch of the next step, copied to its device; None for one that is kept there."""
        if batch is None:
            self._fed = None
            return
        moved = [values.to(self.device, non_blocking=pinned) for values in batch]
        if self.workload.memory_format is MemoryFormat.CHANNELS_LAST and moved[0].dim() == 4:
            moved[0] = moved[0].contiguous(memory_format=torch.channels_last)
        self._fed = (moved[0],), moved[-1]

    def _batch(self, size: int) -> tuple[Inputs, Tensor]:
        return super()._batch(size) if self._fed is None else self._fed


@dataclass
class LoaderTrial:
    """One setting. A step is a whole sample: an epoch of which a window is timed; the stopwatch has its seconds.

    With `fewer_threads`, as many as leave cores for the loader processes are tried beside the plan's own number.
    """

    feed: Feed | str
    """Gives the batches; the reason where it could not be started."""
    how: Loader
    network: FedStep
    setting: Setting
    epoch_steps: int | None
    stopwatch: Stopwatch
    fewer_threads: int | None = None
    tell: Tell | None = None

    def __post_init__(self) -> None:
        self._trial = StepTrial(self.network, self.network.workload, self.setting, Work.EXAMPLE)
        self._steps = max(1, self.how.workers)

    @property
    def work(self) -> float:
        """Examples in the window."""
        return self._steps * self._trial.work

    def warm_up(self, seconds: float) -> None:
        """The step alone with growing batches, then fed ones; chooses how long the window is.

        Raises CannotRunError where the loader could not be started, and where a sample would take longer than `seconds`.
        """
        if isinstance(self.feed, str):
            raise CannotRunError(self.feed)
        until = time.perf_counter() + seconds
        self.network.feed(None)
        with in_plain_words(self.how):
            self._trial.warm_up(seconds)
            self._sample(1)  # the first batch of a process is slow
            each = self._sample(self._steps)
        around = self._steps_before + self.how.read_ahead
        if each * (around + self._steps) > until - time.perf_counter():
            raise TooLongError(
                f"{around + self._steps} steps, the fewest that tell, would take about "
                f"{each * (around + self._steps):.1f} s, too long for the time left."
            )
        # Whole rounds: processes finish about together, and each gives one batch a round.
        self._steps *= math.ceil(WINDOW_SECONDS / (each * self._steps))
        with in_plain_words(self.how):
            self._share_cores()

    def _share_cores(self) -> None:
        """Keep the number of threads that is faster beside the loader processes."""
        threads = self.network.workload.threads
        if self.fewer_threads is not None:
            sharing = replace(self.network.workload, threads=self.fewer_threads)
            fewer = StepTrial(self.network, sharing, self.setting, Work.EXAMPLE)
            found: dict[StepTrial, list[float]] = {self._trial: [], fewer: []}
            for _ in range(SHARING_ROUNDS):
                for trial, seconds in found.items():
                    self._trial = trial
                    seconds.append(self._sample(self._steps))
            self._trial = min(found, key=lambda trial: min(found[trial]))
            threads = self.fewer_threads if self._trial is fewer else threads
        if self.tell is not None and threads is not None:
            self.tell(Told(self.setting, BESIDE, threads))

    def step(self) -> None:
        with in_plain_words(self.how):
            self.stopwatch.seconds += self._sample(self._steps) * self._steps

    def finish(self) -> None:
        """A step has ended when it returns."""

    def peak_memory_bytes(self) -> int:
        """Without that of the loader processes."""
        return self._trial.peak_memory_bytes()

    @property
    def _steps_before(self) -> int:
        """Steps of an epoch before its window."""
        return max(1, self.how.read_ahead)

    def _sample(self, steps: int) -> float:
        """Seconds per step of an epoch, from a window of so many steps of it."""
        if self.how.cached or isinstance(self.feed, str):
            self._train(itertools.repeat(None), 1)
            return self._train(itertools.repeat(None), steps) / steps
        before = min(self._steps_before, self.epoch_steps or self._steps_before)
        begun = time.perf_counter()
        batches = self.feed.epoch(before + steps + self.how.read_ahead)
        self._train(batches, before)
        beginning = time.perf_counter() - begun
        steady = self._train(batches, steps) / steps
        for _ in batches:
            pass
        if not self.how.read_ahead:
            return steady  # an epoch begins with a step like any other
        return seconds_per_step(beginning, before, steady, self.epoch_steps)

    def _train(self, batches: Iterator[Any], steps: int) -> float:
        """Seconds of so many steps."""
        begun = time.perf_counter()
        for batch in itertools.islice(batches, steps):
            self.network.feed(batch, self.how.pinned)
            self._trial.step()
        self._trial.finish()
        return time.perf_counter() - begun


def seconds_per_step(beginning: float, before: int, steady: float, epoch_steps: int | None) -> float:
    """Of an epoch whose first `before` steps take `beginning` seconds, and each further one `steady` seconds.

    An epoch of unknown length is as good as endless.
    """
    if epoch_steps is None:
        return steady
    return (beginning + (epoch_steps - before) * steady) / epoch_steps


class Stopwatch:
    """Counts the seconds of windows only."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def prepare(probe: Probe, request: Request, tell: Tell) -> Equipment:
    """One file and one network for all settings; each has loader processes of its own."""
    workload = request.step
    check(workload)
    source = source_of(workload, request.facts, request.folder)
    if (need := batch_bytes(workload)) > request.memory_bytes:
        raise CannotRunError(
            f"A batch of {workload.batch_size} examples takes {need / 1e6:,.0f} MB, "
            f"more than the {request.memory_bytes / 1e6:,.0f} MB that a probe may take."
        )
    data = dataset_of(workload, source, request.folder, request.seed)
    tell(Note(source.note()))
    if isinstance(data, FileOfExamples):
        tell(Note(data.note(request.folder)))
    here = request.surroundings
    ways = {setting: loader(probe.name, setting, workload, here) for setting in request.settings}
    usable = here.usable_cores or here.compute_threads
    refused = too_many(ways, request.before, usable)
    feeds = {
        setting: refused.get(setting) or started_feed(data, way, workload, request) for setting, way in ways.items()
    }
    if workload.threads is not None:
        torch.set_num_threads(workload.threads)
    step = FedStep(workload, request.memory_bytes, request.seed)
    stopwatch = Stopwatch()
    epoch_steps = math.ceil(here.examples / workload.batch_size) if here.examples else None
    shares = BESIDE in probe.also
    trials: dict[Setting, Trial] = {
        setting: LoaderTrial(
            feeds[setting], way, step, setting, epoch_steps, stopwatch,
            fewer_threads=fewer_threads(workload, way, usable) if shares else None,
            tell=tell if shares else None,
        )
        for setting, way in ways.items()
    }  # fmt: skip
    return Equipment(
        trials,
        torch=torch.__version__,
        threads=torch.get_num_threads(),
        meter=stopwatch,
        close=[feed.close for feed in feeds.values() if isinstance(feed, Feed)],
    )


def fewer_threads(workload: Workload, how: Loader, usable_cores: int) -> int | None:
    """As many as leave each loader process a core, where these are fewer than the plan's and the plan uses the processor."""
    left = max(1, usable_cores - how.workers)
    own = how.workers > 0 and workload.device is Device.CPU and workload.threads is not None and left < workload.threads
    return left if own else None


def too_many(ways: Mapping[Setting, Loader], before: Setting, usable_cores: int) -> dict[Setting, str]:
    """Settings whose processes are not started, with the reason: all are started before anything is timed.

    The recommended setting always is, and so is the first of the others that needs processes.
    """
    most = min(MOST_PROCESSES, PROCESSES_A_CORE * usable_cores)
    refused: dict[Setting, str] = {}
    started = 0
    for setting, way in ways.items():
        if setting == before:
            continue
        if started and way.workers and started + way.workers > most:
            refused[setting] = (
                f"{way.workers} loader processes beside the {started} of the settings before would be more than the {most} "
                "that a probe starts here."
            )
        else:
            started += way.workers
    return refused
