"""Standard simulations of the clusters that the seed documents speak of, seeded: nobody needs to have one."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from advisor.agent.strategies import MOST_RATE, OF_2017, OF_2017_BYTES
from advisor.distributed.comparing import Comparison, Curve, compared, geometric
from advisor.distributed.strategies import strategy
from advisor.distributed.task import DIGITS, Task
from advisor.facts.verdict import Verdict
from advisor.simulation.result import Result
from advisor.simulation.scenario import Link, Scenario, step_time

Run = Callable[[Sequence[Scenario], Task | None], Sequence[Result]]
"""Simulates; with a task it is learned meanwhile."""
VERSION = 1
"""Of all that is simulated here: what was kept of another one is simulated again."""
SEEDS = 5
_FEW_SEEDS = 3
_PAYS = 0.8
"""The least share of the time that goes into computing while more workers are worth their price."""
_EVEN, _UNEVEN = 0.05, 0.3
_LINK = Link(1e9)
_RATES = {"sgd": 0.1, "adagrad": 0.01}
"""Learning rates: for each the best of five (docs/studies/report-of-2017.md)."""
_DIVERGED = 100.0
"""In place of a loss that is no number."""


@dataclass(frozen=True, slots=True)
class Standard:
    """The finding of one standard simulation."""

    verdict: Verdict
    says: str
    """The numbers, in a sentence or two."""
    conditions: str
    """The simulated workers, network and links, in words."""


def synchronous_to_forty(run: Run) -> Standard:
    """Synchronous training works well up to 40 workers; beyond, waiting costs too much."""
    counts, spreads = (40, 1024), (_EVEN, _UNEVEN)
    asked = [
        Scenario(strategy("synchronous"), workers, 100, step_time=step_time(f"lognormal:100ms:{spread}"), seed=seed)
        for spread in spreads
        for workers in counts
        for seed in range(_FEW_SEEDS)
    ]
    found = [1 - one.waiting_share for one in run(asked, None)]
    shares = [statistics.fmean(found[begin : begin + _FEW_SEEDS]) for begin in range(0, len(found), _FEW_SEEDS)]
    even, even_beyond, uneven, uneven_beyond = shares
    holds = min(even, uneven) >= _PAYS > max(even_beyond, uneven_beyond)
    says = (
        f"Computing takes {even:.0%} of the time with 40 even workers and {even_beyond:.0%} with 1,024, {uneven:.0%} and "
        f"{uneven_beyond:.0%} with uneven ones: the spread of their steps decides, not a limit of 40."
    )
    conditions = f"steps that spread by {_EVEN:.0%} and {_UNEVEN:.0%}, free links"
    return Standard(Verdict.CONFIRMED if holds else Verdict.OVERTURNED, says, conditions)


def mixed_with_slow_units(run: Run) -> Standard:
    """Groups that keep step, with a server between them, are the fastest where workers are slow or many."""
    mixed = "mixed_asynchronous:groups=4"
    found = _race(run, [mixed, "synchronous", "local_sgd", "asynchronous"], workers=8, steps=60, law="lognormal:20ms:0.5",
                  inside=Link(10e9))  # fmt: skip
    verdicts = {one.verdict for one in found.standings if one.strategy != mixed}
    verdict = Verdict.UNDECIDED
    if Verdict.OVERTURNED in verdicts:
        verdict = Verdict.OVERTURNED
    elif verdicts == {Verdict.CONFIRMED}:
        verdict = Verdict.CONFIRMED
    return Standard(
        verdict, f"{_times(found, mixed)}.", "8 workers in 4 groups, steps that spread by 50%, links of 8 Gbit/s"
    )


def asynchronous_viable(run: Run) -> Standard:
    """A parameter server without waiting is an effective way to use several machines."""
    names = ["asynchronous", "delay_compensated", "synchronous"]
    found = _race(run, names, workers=4, steps=100, law="lognormal:20ms:0.1", alone=True)
    of = {one.strategy: one.verdict for one in found.standings}
    late = {of["asynchronous"], of["delay_compensated"]}
    verdict = Verdict.CONFIRMED if late == {Verdict.OVERTURNED} else Verdict.UNDECIDED
    if Verdict.CONFIRMED in late:
        verdict = Verdict.OVERTURNED
    return Standard(
        verdict, f"{_times(found, 'one worker')}.", "4 workers, steps that spread by 10%, links of 8 Gbit/s"
    )


def adagrad(run: Run) -> Standard:
    """Adagrad on the server works better than plain steps."""
    ends: dict[str, list[float]] = {}
    for server, rate in _RATES.items():
        asked = [
            replace(_scenario(f"asynchronous:server={server}", 4, 60, "lognormal:20ms:0.1"), seed=seed)
            for seed in range(SEEDS)
        ]
        ends[server] = [_end(one) for one in run(asked, replace(_task(4), rate=rate))]
    ratio = geometric([plain / other for plain, other in zip(ends["sgd"], ends["adagrad"], strict=True)])
    verdict = Verdict.CONFIRMED if ratio.low > 1 else Verdict.OVERTURNED if ratio.high < 1 else Verdict.UNDECIDED
    plain, other = (statistics.fmean(ends[server]) for server in ("sgd", "adagrad"))
    says = (
        f"Each at its best rate, the loss ends at {other:.3g} with Adagrad and at {plain:.3g} with plain steps "
        f"({ratio.value:.3g} times as much, {ratio.low:.3g} to {ratio.high:.3g})."
    )
    return Standard(verdict, says, "4 workers, 60 steps each, links of 8 Gbit/s")


STANDARDS: Mapping[str, Callable[[Run], Standard]] = MappingProxyType({
    "several.synchronous-to-forty": synchronous_to_forty,
    "several.mixed-with-slow-units": mixed_with_slow_units,
    "several.asynchronous-viable": asynchronous_viable,
    "training.adagrad": adagrad,
})  # fmt: skip
"""By the claim that each judges."""


def _task(workers: int) -> Task:
    """The network of the report of 2017 on scikit-learn's digits."""
    return replace(OF_2017, batch=32, data=DIGITS, inputs=64, rate=min(OF_2017.rate, MOST_RATE / workers))


def _scenario(name: str, workers: int, steps: int, law: str, inside: Link | None = None) -> Scenario:
    return Scenario(
        strategy(name),
        workers,
        steps,
        step_time=step_time(law),
        link=_LINK,
        message_bytes=OF_2017_BYTES,
        group_link=inside,
    )


def _race(
    run: Run, names: Sequence[str], *, workers: int, steps: int, law: str, inside: Link | None = None, alone: bool = False
) -> Comparison:  # fmt: skip
    """The strategies by the time to a loss, beside the first of them, or beside one worker alone with all examples."""
    asked = {name: _scenario(name, workers, steps, law, inside) for name in names}
    if alone:
        asked = {"one worker": _scenario("synchronous", 1, steps * workers, law), **asked}
    each = [replace(one, seed=seed) for one in asked.values() for seed in range(SEEDS)]
    results = run(each, _task(workers))
    curves: dict[str, list[Curve]] = {
        name: [one.loss for one in results[SEEDS * place : SEEDS * (place + 1)]] for place, name in enumerate(asked)
    }
    return compared(curves, next(iter(asked)))


def _times(found: Comparison, reference: str) -> str:
    told = [
        f"{one.strategy} {one.ratio.value:.3g} times as fast ({one.ratio.low:.3g} to {one.ratio.high:.3g})"
        if one.ratio is not None
        else f"{one.strategy} in {one.reached} of {len(one.seconds)} trainings"
        for one in found.standings
        if one.strategy != found.reference
    ]
    return f"To the same loss, beside {reference}: {'; '.join(told)}"


def _end(one: Result) -> float:
    """The last loss."""
    loss = one.loss[-1][1] if one.loss and one.diverged_at is None else _DIVERGED
    return loss if math.isfinite(loss) else _DIVERGED
