"""The number of workers that pay: by the time of a step that they share, and by the time to a loss where they keep no step."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from advisor.agent.settling.strategies import strategy_outcome
from advisor.agent.unfinished import Ends, capped
from advisor.distributed.comparing import Comparison, Interval, geometric, seconds_to
from advisor.distributed.job import SCALED
from advisor.distributed.strategies import DECLARED, strategy
from advisor.distributed.task import Task
from advisor.facts.experiments import SIMULATE
from advisor.facts.verdict import Verdict
from advisor.probes.outcome import SPEED_UP, Outcome
from advisor.simulation.result import Result
from advisor.simulation.scenario import Scenario, StepTime

SEEDS = 5
NEARLY = 1.05
"""A time that is no more than so many times the shortest is as good."""
WORK = "work of each worker"
"""The unit of how much more each of fewer workers gets done."""
SOONER = "speed to the loss with "
"""Begins the unit of how much sooner all workers are there than fewer, before the name of the strategy."""
IN_STEP = "examples/s if all keep step"
"""The unit where it is not known how soon they are under the plan's strategy, which keeps no step."""
WORTH = 0.8
"""Of the best that could be: while workers reach it, they pay by price."""
_INSTANT = 1e-12
"""Seconds, for steps that take no time."""


@dataclass(frozen=True, slots=True)
class Sooner:
    """All workers under another strategy than sharing a batch at every step, beside the fewer that are soonest at the loss."""

    strategy: str
    beside: int
    """The number of the fewer."""
    ratio: Interval | None = None
    """Times as fast as these; None where too little was simulated."""
    pairs: int = 0
    """Of trainings with the same seed."""
    exact: bool = True
    """False where the fewer did not come to the loss while it was looked at: then they are slower still."""

    @property
    def verdict(self) -> Verdict:
        """Of the bet that all workers pay."""
        if self.ratio is not None and self.ratio.low > NEARLY:
            return Verdict.CONFIRMED
        fewer_do = self.ratio is not None and self.exact and self.ratio.high <= NEARLY
        return Verdict.OVERTURNED if fewer_do else Verdict.UNDECIDED


@dataclass(frozen=True, slots=True)
class Sweep:
    """The time for a step of the whole batch by the number of workers that share it."""

    times: Mapping[int, Sequence[float]]
    """Seconds by the number of workers, one for each seed, in the same order."""
    sooner: Sooner | None = None
    """None unless a step of the whole batch gets hardly shorter with all of them, and the strategy is another one."""

    @property
    def seconds(self) -> dict[int, float]:
        """The means."""
        return {workers: statistics.fmean(own) for workers, own in self.times.items()}

    def speed_up(self, workers: int, beside: int) -> Interval:
        """The factor by which so many workers are faster than others, with its 95 % interval over seeds."""
        return geometric_of(self.times[beside], self.times[workers])

    def work(self, workers: int, beside: int) -> Interval:
        """The factor by which each of so many workers gets more done than each of others."""
        ratio = self.speed_up(workers, beside)
        share = beside / workers
        return Interval(share * ratio.value, share * ratio.low, share * ratio.high)

    @property
    def best(self) -> int:
        """The fewest workers with which it surely takes hardly longer than at best."""
        return min(workers for workers in self.times if self.speed_up(self._quickest, workers).high <= NEARLY)

    @property
    def perhaps(self) -> int:
        """The fewest of which that can be said within the noise."""
        return min(workers for workers in self.times if self.speed_up(self._quickest, workers).low <= NEARLY)

    @property
    def advised(self) -> int | None:
        """The workers that pay under the strategy that is soonest; None where that is not decided."""
        if self.sooner is None:
            return self.best
        of_verdict = {Verdict.CONFIRMED: max(self.times), Verdict.OVERTURNED: self.sooner.beside}
        return of_verdict.get(self.sooner.verdict)

    @property
    def best_by_price(self) -> int:
        """The most workers whose time together is at most 1 / WORTH of the least."""
        prices = {workers: workers * seconds for workers, seconds in self.seconds.items()}
        return max(workers for workers, price in prices.items() if price * WORTH <= min(prices.values()))

    @property
    def _quickest(self) -> int:
        seconds = self.seconds
        return min(seconds, key=lambda workers: seconds[workers])


def geometric_of(slower: Sequence[float], faster: Sequence[float]) -> Interval:
    """The ratio of times, pair by pair, with its 95 % interval; 1 where neither takes any time."""
    ratios = [max(a, _INSTANT) / max(b, _INSTANT) for a, b in zip(slower, faster, strict=True)]
    return Interval(1.0, 1.0, 1.0) if set(ratios) == {1.0} else capped(geometric(ratios))


def sweep(scenario: Scenario) -> list[Scenario]:
    """The batch of all workers shared by one, two, four and so on, synchronously; a step takes as long as its share is large.

    Every number of workers comes with every seed, in this order.
    """
    together = scenario.batch * scenario.workers
    counts = [count for count in (*(2**power for power in range(14)), scenario.workers) if count <= scenario.workers]
    return [
        replace(
            scenario,
            strategy=strategy("synchronous"),
            workers=count,
            batch=max(1, together // count),
            steps=max(20, min(200, 200_000 // count)),
            step_time=_longer(scenario.step_time, scenario.workers / count),
            straggler=scenario.straggler if count > 1 else 1.0,
            cores=None,
            seed=scenario.seed + seed,
        )
        for count in sorted(set(counts))
        for seed in range(SEEDS)
    ]


def alone(scenario: Scenario, task: Task, name: str) -> list[tuple[list[Scenario], Task]]:
    """One worker with its own batch and the examples of all, with each seed: with steps as large as its own, and as it works
    under a strategy of all, with steps as large as theirs together."""
    averages = name if DECLARED[strategy(name).name].topic == "local_sgd" else "synchronous"
    larger = task.rate * (scenario.workers if task.optimizer in SCALED else 1)
    one = replace(scenario, workers=1, steps=scenario.steps * scenario.workers, straggler=1.0, cores=None)
    return [
        (
            [replace(one, strategy=strategy(way), seed=scenario.seed + seed) for seed in range(SEEDS)],
            replace(task, rate=rate),
        )
        for way, rate in (("synchronous", task.rate), (averages, larger))
    ]


def with_sooner(
    found: Sweep, name: str, comparison: Comparison, ends: Ends, one_worker: Sequence[Sequence[Result]] = ()
) -> Sweep:
    """The sweep with the answer whether all workers pay with a strategy that keeps no step, where they do not by keeping it.

    Workers that share the batch of all at every step do the same work however many they are: their time to the loss follows
    from that of all by the times of a step.

    Args:
        name: of the strategy that the plan takes after the comparison.
        comparison: of strategies with all workers.
        ends: of its trainings.
        one_worker: each set of `alone` with the same seeds; empty where there was no time for them.
    """
    most, fewer = max(found.times), found.best
    if fewer == most or name == "synchronous":
        return found
    standings = {one.strategy: one for one in comparison.standings}
    soonest = [one for one in standings[name].seconds if one is not None]
    if not one_worker or len(soonest) < max(2, len(standings[name].seconds)):
        return replace(found, sooner=Sooner(name, fewer))
    rivals = [
        (1, [_until(one, comparison.goal) for one in way], _all_reach(way, comparison.goal)) for way in one_worker
    ]
    if (together := standings.get("synchronous")) is not None:
        whole = [own or end for own, end in zip(together.seconds, ends["synchronous"], strict=True)]
        steps = zip(whole, found.times[fewer], found.times[most], strict=False)
        rivals.append((fewer, [seconds * few / all_ for seconds, few, all_ in steps], None not in together.seconds))
    ratios = [(workers, geometric_of(some[: len(soonest)], soonest), exact) for workers, some, exact in rivals]
    workers, ratio, exact = min(ratios, key=lambda one: one[1].low)
    return replace(found, sooner=Sooner(name, workers, ratio, len(soonest), exact))


def _until(one: Result, goal: float) -> float:
    """Seconds to the goal, or as long as the training went on, or would have gone on."""
    there = seconds_to(one.loss, goal)
    return one.seconds if there is None else there


def _all_reach(results: Sequence[Result], goal: float) -> bool:
    return all(seconds_to(one.loss, goal) is not None for one in results)


def swept(results: Sequence[Result]) -> Sweep:
    """By the workers: seconds of a step, one for each seed."""
    found: dict[int, list[float]] = {}
    for one in results:
        found.setdefault(one.workers, []).append(one.seconds / max(1, one.updates))
    return Sweep(found)


def of_workers(found: Sweep, scope: Mapping[str, str], date: str) -> Outcome:
    """The verdict on the plan's number of workers."""
    all_, sooner = max(found.times), found.sooner
    verdict, unit, rival, ratio, after = _by_steps(found) if sooner is None else _by_losses(found, sooner)
    n, ratio = sooner.pairs if sooner is not None and sooner.pairs else len(found.times[all_]), capped(ratio)
    return strategy_outcome(
        SIMULATE, "parallelism.strategy", "sim.workers.best", before=all_, rival=rival, after=after, verdict=verdict,
        ratio=(ratio.value, ratio.low, ratio.high), n=n, applies=scope, date=date, unit=unit,
        besides={"sim.workers.best_by_price": found.best_by_price},
    )  # fmt: skip


def _by_steps(found: Sweep) -> tuple[Verdict, str, int, Interval, int | None]:
    """The verdict by the time of a step of the whole batch: with its unit, the rival, the ratio and what holds now."""
    all_, best, perhaps, fewest = max(found.times), found.best, found.perhaps, min(found.times)
    if best < all_ and (work := found.work(best, all_)).low > NEARLY:  # as fast with fewer, of whom each gets more done
        return Verdict.OVERTURNED, WORK, best, work, best
    if perhaps < best and found.work(perhaps, all_).value > NEARLY:  # perhaps as fast with fewer
        return Verdict.UNDECIDED, SPEED_UP, perhaps, found.speed_up(all_, perhaps), None
    return Verdict.CONFIRMED, SPEED_UP, fewest, found.speed_up(all_, fewest), all_


def _by_losses(found: Sweep, sooner: Sooner) -> tuple[Verdict, str, int, Interval, int | None]:
    """The same by the times to the loss under another strategy than the synchronous one."""
    all_, ratio = max(found.times), sooner.ratio
    if ratio is None:
        return Verdict.UNDECIDED, IN_STEP, sooner.beside, found.speed_up(all_, sooner.beside), None
    if sooner.verdict is Verdict.OVERTURNED:
        share = all_ / sooner.beside
        work = Interval(share / ratio.value, share / ratio.high, share / ratio.low)
        return Verdict.OVERTURNED, WORK, sooner.beside, work, sooner.beside
    after = all_ if sooner.verdict is Verdict.CONFIRMED else None
    return sooner.verdict, f"{SOONER}{sooner.strategy}", sooner.beside, ratio, after


def _longer(law: StepTime, factor: float) -> StepTime:
    """The distribution of so many times the time."""
    samples = tuple(tuple(factor * one for one in some) for some in law.samples)
    return replace(law, seconds=factor * law.seconds, samples=samples)
