"""A cluster that is to be simulated: a strategy, workers, how long their steps take, links and faults. No numpy, no torch here.

All times are seconds, all sizes bytes. Everything goes through `advisor.plain.encode` and `decode`; what nobody can have is
refused with an InputError, all of it at once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from advisor.distributed.strategies import DECLARED, MOST_STRAGGLING, Kind, Strategy
from advisor.errors import InputError, Problem, did_you_mean, input_error
from advisor.facts.values import number_text, parse_value
from advisor.facts.vocabulary import Fact, FactType
from advisor.wording import shorten

MOST_WORKERS = 10_000
MOST_STEPS = 20_000_000
"""Of all workers together; a server takes about a minute for them."""
LONGEST = 1e9
"""Seconds; thirty years."""
_MOST_SAMPLES = 100_000
_MOST_BYTES = 2**62
"""Of all messages."""
_TITLE = "This cannot be simulated"
_SPLIT = re.compile(r"(.*[\d.])\s*([^\d.\s]*)", re.DOTALL)
_UNITS = {
    "": 1.0, "s": 1.0, "sec": 1.0, "second": 1.0, "min": 60.0, "minute": 60.0, "h": 3600.0, "hour": 3600.0,
}  # fmt: skip
_RATES = "For example 100Mbit/s, 1 GB/s or inf."
_PARTS = {"ms": 1e3, "us": 1e6, "µs": 1e6, "μs": 1e6, "ns": 1e9}
"""Of a second: how many make one."""
_TIMES = "For example 1s, 200 ms or 2 min."
_STEP_TIMES = "For example constant:1s, exponential:1s, lognormal:1s:0.3 or gamma:1s:0.2."


def _wrong_seconds(where: str, value: float) -> Problem | None:
    what = f"{value:g} s is not from 0 to {LONGEST:,.0f} s."
    return None if 0 <= value <= LONGEST else Problem(where, what, _TIMES)


def _wrong_share(where: str, value: float, most: float) -> Problem | None:
    fits = 0 <= value <= most
    return None if fits else Problem(where, f"{value} is no number from 0 to {number_text(most)}.", "For example 0.3.")


def _wrong_count(where: str, value: int, least: int, most: int) -> Problem | None:
    if least <= value <= most:
        return None
    remedy = f"Write a whole number of at most {most:,}." if value > most else f"For example {max(least, 1)}."
    return Problem(where, f"{value:,} is not from {least:,} to {most:,}.", remedy)


def _refuse(*problems: Problem | None) -> None:
    found = [problem for problem in problems if problem is not None]
    if found:
        raise InputError(_TITLE, found)


class Law(StrEnum):
    """The kind of distribution of a step's time."""

    CONSTANT = "constant"
    EXPONENTIAL = "exponential"
    LOGNORMAL = "lognormal"
    GAMMA = "gamma"
    SAMPLES = "samples"


@dataclass(frozen=True, slots=True)
class StepTime:
    """The time a worker computes for one step, drawn anew for each."""

    law: Law = Law.CONSTANT
    seconds: float = 1.0
    """The time if constant; its mean if exponential or gamma; its median if lognormal."""
    spread: float = 0.0
    """The standard deviation of the time's logarithm if lognormal; deviation through mean if gamma."""
    samples: tuple[tuple[float, ...], ...] = ()
    """Measured seconds, of which one is drawn with replacement: of each worker, or of one for all; worker w takes the one at w
    modulo their number."""

    def __post_init__(self) -> None:
        _refuse(
            _wrong_seconds("step time", self.seconds),
            _wrong_share("step time, spread", self.spread, 10.0),
            *self._odd(),
        )

    def _odd(self) -> Iterable[Problem | None]:
        if self.law is Law.SAMPLES:
            if not self.samples or not all(self.samples):
                yield Problem("step time", "there is no measured time of a step.", "Give at least one for each worker.")
            elif sum(map(len, self.samples)) > _MOST_SAMPLES:
                yield Problem("step time", f"there are more than {_MOST_SAMPLES:,} measured times.", "Give fewer.")
            else:
                yield next(
                    filter(None, (_wrong_seconds("step time", one) for some in self.samples for one in some)), None
                )

    @property
    def mean(self) -> float:
        """Of all workers, in seconds, without stragglers and pauses."""
        if self.law is Law.SAMPLES:
            return sum(sum(some) / len(some) for some in self.samples) / len(self.samples)
        return self.seconds * math.exp(self.spread**2 / 2) if self.law is Law.LOGNORMAL else self.seconds

    def __str__(self) -> str:
        """As `step_time` reads it; measured times say only what they are."""
        if self.law is Law.SAMPLES:
            return f"measured, {number_text(self.mean)} s on average"
        told = f"{self.law}:{number_text(self.seconds)}s"
        return f"{told}:{number_text(self.spread)}" if self.law in _WITH_SPREAD else told


_WITH_SPREAD = (Law.LOGNORMAL, Law.GAMMA)


def measured(samples: Sequence[Sequence[float]]) -> StepTime:
    """Step times as they were measured: the seconds of each worker's steps, or of one worker for all."""
    return StepTime(Law.SAMPLES, 0.0, samples=tuple(map(tuple, samples)))


@dataclass(frozen=True, slots=True)
class Link:
    """The time of a message from one machine to another: the latency, and its bytes through the rate."""

    bytes_per_second: float | None = None
    """None, or infinity, which becomes None, for a link without limit."""
    latency: float = 0.0

    def __post_init__(self) -> None:
        if self.bytes_per_second == math.inf:
            object.__setattr__(self, "bytes_per_second", None)
        rate, wrong = self.bytes_per_second, None
        if rate is not None and not rate > 0:
            wrong = Problem("link", f"{rate} bytes per second carry nothing.", _RATES)
        _refuse(wrong, _wrong_seconds("link, latency", self.latency))

    def seconds(self, count: float) -> float:
        """The time of so many bytes, without the latency."""
        return count / self.bytes_per_second if self.bytes_per_second is not None else 0.0


@dataclass(frozen=True, slots=True)
class Faults:
    """Faults of workers. Failures and preemptions come at random, at the same rate at any time.

    Where all workers keep step, a failure sends all back to the last checkpoint, and a preemption lets all wait and begin the
    step anew. At a parameter server the worker alone is away, loses what it has not pushed, and begins anew with fresh weights.
    The server itself does not fail.
    """

    between_failures: float | None = None
    """The mean time between failures of one worker; None for a worker that never fails."""
    restart: float = 0.0
    """From a failure until the work goes on."""
    checkpoint_every: float | None = None
    """Seconds of work between two checkpoints; None for none but the beginning."""
    checkpoint_cost: float = 0.0
    """Seconds in which all wait for a checkpoint, or in which the server serves nobody."""
    pauses_per_second: float = 0.0
    """Of computing: how often a worker is held up."""
    pause: float = 0.0
    """The length of each."""
    between_preemptions: float | None = None
    """The mean time until a worker is taken away; None for never."""
    away: float = 0.0
    """Seconds until it is back."""

    def __post_init__(self) -> None:
        often = ("between_failures", "between_preemptions", "checkpoint_every")
        wrong = [_wrong_seconds(f"faults, {name}", getattr(self, name)) for name in _TIMES_OF_FAULTS]
        for name in often:
            value = getattr(self, name)
            if value is not None and not 0 < value <= LONGEST:
                wrong.append(Problem(f"faults, {name}", f"{value} seconds is no such time.", "Write more than 0 s."))
        wrong.append(_wrong_share("faults, pauses_per_second", self.pauses_per_second, 1e6))
        _refuse(*wrong)

    @property
    def leaves(self) -> bool:
        """True if workers fail or are taken away."""
        return self.between_failures is not None or self.between_preemptions is not None


_TIMES_OF_FAULTS = ("restart", "checkpoint_cost", "pause", "away")


@dataclass(frozen=True, slots=True)
class Scenario:
    """A training to simulate.

    All workers together take `workers * steps` steps: as many each where they keep step; at a parameter server whoever is faster
    takes more of them.
    """

    strategy: Strategy
    workers: int
    steps: int
    """Of each worker on average: gradients that it computes."""
    batch: int = 32
    """Examples of one worker's step."""
    step_time: StepTime = StepTime()
    link: Link = Link()
    message_bytes: int | None = None
    """All weights, or their gradient, in 32 bits; None for those of the task's network, or nothing where there is no task."""
    straggler: float = 1.0
    """The last worker takes so many times as long."""
    overlap: float = 0.0
    """The share of a step's computing during which its gradient can already be averaged, as buckets of it are ready; of
    strategies that average gradients, not of those that average weights or have a server."""
    bucket_bytes: int | None = None
    """In place of a share: gradients are averaged in buckets of at most so many bytes, each as soon as the backward pass has
    filled it, as DistributedDataParallel does; None for `overlap`."""
    servers: int = 1
    """Of the parameter server: so many processes on machines of their own hold an equal share of the weights each."""
    apply_seconds: float = 0.0
    """Of the server, for an update."""
    after_exchange: float = 0.0
    """Seconds that a worker's first step after an exchange takes longer than others: messages have filled its caches."""
    between_pushes: float | None = None
    """Seconds from an answer of the server until the next push begins that it asks for: None for what its link and latency make
    likely."""
    seed: int = 0
    cores: tuple[int, ...] | None = None
    """For each worker the core that it is pinned to. Those that compute at the same time on one share it equally."""
    faults: Faults = Faults()
    group_link: Link | None = None
    """Inside groups of the mixed strategy; None if it is the same as `link`."""
    activation_bytes: int | None = 0
    """Of a pipeline: what each stage passes to the next for one worker's batch; None where that is not known, and left out."""
    between_stages: tuple[int, ...] = ()
    """The same where stages pass on different sizes: of each stage but the last."""
    value_bytes: int = 4
    """Of a weight, a gradient or an activation, as workers exchange them: 4 in fp32, 2 in bf16 or fp16."""
    compressed_bytes: int | None = None
    """Of PowerSGD: what stands for a gradient."""
    shapes: tuple[tuple[int, ...], ...] = ()
    """Of PowerSGD: rows and columns of the matrices of weights, from which `compressed_bytes` follows."""

    def __post_init__(self) -> None:
        _refuse(*self._ranges(), *self._of_strategy(), *self._of_cores())

    def _ranges(self) -> Iterable[Problem | None]:
        yield _wrong_count("workers", self.workers, 1, MOST_WORKERS)
        yield _wrong_count("steps", self.steps, 1, MOST_STEPS)
        if self.workers * self.steps > MOST_STEPS:
            what = f"{self.workers:,} workers x {self.steps:,} steps are more than {MOST_STEPS:,}."
            yield Problem("steps", what, "Take fewer of either.")
        yield _wrong_count("batch", self.batch, 1, 10**9)
        for name in ("message_bytes", "activation_bytes", "compressed_bytes"):
            yield _wrong_count(name, getattr(self, name) or 0, 0, 10**15)
        if not all(0 <= one <= 10**15 for one in self.between_stages):
            yield Problem("between_stages", "not all are from 0 to 10^15 bytes.", "For example [1000, 500].")
        if self.value_bytes not in (1, 2, 4, 8):
            yield Problem("value_bytes", f"{self.value_bytes} is none of 1, 2, 4 and 8.", "Write 4 for fp32.")
        if self.workers * self.steps * (3 * self.size + 2 * sum(self.passed)) > _MOST_BYTES:
            yield Problem(
                "message_bytes", f"all messages together are more than {_MOST_BYTES:.0e} bytes.", "Take fewer steps."
            )
        yield _wrong_count("seed", self.seed, 0, 2**63 - 1)
        if not 1 <= self.straggler <= MOST_STRAGGLING:
            yield Problem(
                "straggler", f"{self.straggler} is no number from 1.", "Write 2 for a worker of half the speed."
            )
        yield _wrong_share("overlap", self.overlap, 1.0)
        yield _wrong_count("bucket_bytes", 1 if self.bucket_bytes is None else self.bucket_bytes, 1, 10**15)
        yield _wrong_count("servers", self.servers, 1, MOST_WORKERS)
        yield _wrong_seconds("apply_seconds", self.apply_seconds)
        yield _wrong_seconds("after_exchange", self.after_exchange)
        yield _wrong_seconds("between_pushes", self.between_pushes or 0.0)
        if not all(len(shape) == 2 and min(shape) > 0 for shape in self.shapes):
            yield Problem("shapes", "not all are rows and columns.", "For example [[64, 10]].")

    def _of_strategy(self) -> Iterable[Problem | None]:
        one, workers = self.strategy, self.workers
        if one.name not in DECLARED:
            yield Problem(
                "strategy", f"there is none called {shorten(one.name)}.", did_you_mean(one.name, list(DECLARED))
            )
            return
        if set(one.settings) != set(one.declared.settings):
            yield Problem("strategy", f"{one.name} has other settings than these.", "Read it with `strategy`.")
            return
        if (groups := one.whole("groups", 0)) > workers:
            yield Problem(
                "strategy, groups", f"{groups} groups need as many workers; there are {workers}.", "Take fewer groups."
            )
        if "backups" in one.settings and (backups := one.whole("backups")) >= workers:
            what = f"of {workers} workers {backups} cannot be left out."
            yield Problem("strategy, backups", what, "At least one must be waited for.")
        if self.between_stages and len(self.between_stages) != one.whole("stages") - 1:
            what = f"{len(self.between_stages)} sizes for {one.whole('stages')} stages."
            yield Problem("between_stages", what, "Give one for each stage but the last.")
        if one.kind is Kind.PIPELINE and workers % one.whole("stages"):
            what = f"{workers} workers cannot be divided into pipelines of {one.whole('stages')} stages."
            yield Problem("strategy, stages", what, "Take a multiple of the stages.")

    def _of_cores(self) -> Iterable[Problem | None]:
        if self.cores is None:
            return
        if len(self.cores) != self.workers:
            yield Problem(
                "cores", f"there are {len(self.cores)} for {self.workers} workers.", "Give one for each worker."
            )
        if self.faults.leaves:
            yield Problem(
                "cores", "failures of workers that share cores are not simulated.", "Leave out one of the two."
            )

    @property
    def size(self) -> int:
        """Of a message, in bytes."""
        return self.message_bytes or 0

    @property
    def passed(self) -> tuple[int, ...]:
        """Of a pipeline: bytes that each stage but the last passes on for one worker's batch; what is not known counts 0."""
        each = self.activation_bytes or 0
        return self.between_stages or (each,) * (self.strategy.whole("stages") - 1)

    @property
    def sends_unknown(self) -> bool:
        """True where the workers exchange something whose size is not known, so that it takes no time here."""
        unknown = self.activation_bytes is None and not self.between_stages
        return self.strategy.kind is Kind.PIPELINE and self.strategy.whole("stages") > 1 and unknown

    @property
    def inside(self) -> Link:
        """The link inside groups."""
        return self.group_link or self.link


def step_time(text: str, where: str = "step time") -> StepTime:
    """The step time that somebody writes: `constant:1s` or `1s`, `exponential:1s` (its mean), `lognormal:1s:0.3`
    (its median, and the standard deviation of its logarithm) or `gamma:1s:0.2` (its mean, and deviation through mean).

    Raises InputError naming the text.
    """
    name, *rest = (part.strip() for part in text.split(":"))
    law = next((one for one in Law if one.value == name.lower() and one is not Law.SAMPLES), None)
    if law is None and not rest and name[:1].isdigit():
        law, rest = Law.CONSTANT, [name]
    if law is None:
        what = f"{shorten(text)!r} names no distribution."
        raise input_error("This is no step time", what, where=where, remedy=_STEP_TIMES)
    if len(rest) != (2 if law in _WITH_SPREAD else 1):
        wanted = "a time and a spread" if law in _WITH_SPREAD else "one time"
        raise input_error(
            "This is no step time", f"{shorten(text)!r}: {law} has {wanted}.", where=where, remedy=_STEP_TIMES
        )
    spread = _number(rest[1], text, where, _STEP_TIMES) if law in _WITH_SPREAD else 0.0
    return StepTime(law, seconds(rest[0], where), spread)


def link(text: str, latency: str = "0 s", where: str = "link") -> Link:
    """The link of a rate that somebody writes: `100Mbit/s`, `1 GB/s`, or `inf`. Raises InputError naming the text."""
    waits = seconds(latency, f"{where}, latency")
    if text.strip().lower() in ("inf", "infinite", "unlimited"):
        return Link(None, waits)
    fact = Fact("link", "", FactType.NUMBER, "bytes/s", minimum=1.0, maximum=1e15)
    rate = parse_value(fact, text, where=where)
    if not isinstance(rate, float):
        raise input_error("This is no rate", repr(shorten(text)), where=where, remedy=_RATES)
    return Link(rate, waits)


def size_of(text: str, where: str = "bytes") -> int:
    """The bytes that somebody writes: `800kB`, `3.2 MB`. Raises InputError naming the text."""
    found = parse_value(Fact("bytes", "", FactType.NUMBER, "bytes", minimum=0.0, maximum=1e15), text, where=where)
    if not isinstance(found, float):
        raise input_error("This is no size", repr(shorten(text)), where=where, remedy="For example 800kB or 3.2MB.")
    return int(found)


def seconds(text: str, where: str = "time") -> float:
    """The seconds that somebody writes: `1s`, `200 ms`, `2 min`, `0.5`. Raises InputError naming the text."""
    match = _SPLIT.fullmatch(text.strip())
    number, unit = match.groups() if match else ("", "")
    unit = unit.casefold()
    per_second = _PARTS.get(unit)
    factor = _UNITS.get(unit) or _UNITS.get(unit.removesuffix("s"))
    if not match or (per_second is None and factor is None):
        raise input_error("This is not a time", repr(shorten(text)), where=where, remedy=_TIMES)
    found = _number(number, text, where, _TIMES)
    return found / per_second if per_second is not None else found * (factor or 1.0)


def _number(number: str, text: str, where: str, example: str) -> float:
    """Raises InputError naming the whole text."""
    try:
        found = parse_value(Fact("number", "", FactType.NUMBER, maximum=LONGEST), number, where=where)
    except InputError as error:
        raise input_error(
            error.title, repr(shorten(text)), where=where, remedy=f"Write a number from 0. {example}"
        ) from None
    if not isinstance(found, float):
        raise input_error("This is not a number", repr(shorten(text)), where=where, remedy=example)
    return found
