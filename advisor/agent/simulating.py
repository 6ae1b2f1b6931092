"""The questions of a plan to a simulator: scenarios, and the meaning of their results for its recommendations.

Three questions: which strategy comes to a loss first; how many workers pay, for the same batch of all together; how often to
save where workers fail.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from advisor.agent.settling.strategies import strategy_outcome
from advisor.agent.strategies import reference_of
from advisor.distributed.comparing import Comparison, Curve, Interval, compared
from advisor.distributed.strategies import DECLARED, strategy
from advisor.facts.experiments import SIMULATE
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Plan
from advisor.probes.outcome import SPEED_UP, Outcome
from advisor.simulation.request import Failing, Saved
from advisor.simulation.result import Result
from advisor.simulation.scenario import Scenario, StepTime

RIVALS = (
    "synchronous", "local_sgd", "diloco:every=20", "asynchronous", "delay_compensated", "mixed_asynchronous",
)  # fmt: skip
"""Compared with the plan's own strategy by when they come to the loss."""
COMPRESSED = ("fp16_compression", "powersgd")
"""Compared with gradients as they are."""
SEEDS = 5
FEWEST_STEPS, MOST_STEPS, MOST_GRADIENTS = 40, 200, 60_000
RESTART = 300.0
"""Seconds from a failure until the work goes on, where nobody has said another time: starting processes and reading weights."""
NEARLY = 1.05
"""A time that is no more than so many times the shortest is as good."""
_LEAST = 1e-6
"""Of a ratio, so that its reciprocal is a number."""
WORTH = 0.8
"""Of the best that could be: while workers reach it, they pay by price."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """The time for a step of the whole batch by the number of workers that share it."""

    seconds: Mapping[int, float]

    @property
    def best(self) -> int:
        """The fewest workers with which it takes hardly longer than at best."""
        least = min(self.seconds.values())
        return min(workers for workers, seconds in self.seconds.items() if seconds <= NEARLY * least)

    @property
    def best_by_price(self) -> int:
        """The most workers whose time together is at most 1 / WORTH of the least."""
        prices = {workers: workers * seconds for workers, seconds in self.seconds.items()}
        return max(workers for workers, price in prices.items() if price * WORTH <= min(prices.values()))


def contestants(plan: Plan, scenario: Scenario) -> list[str]:
    """The strategies to compare, the plan's own first; those that so few workers can have."""
    own = reference_of(plan)
    names = [own, *RIVALS, *(COMPRESSED if own == "synchronous" else ())]
    return [name for name in dict.fromkeys(names) if strategy(name).whole("groups", 0) <= scenario.workers]


def steps_for(workers: int, strategies: int) -> int:
    """Steps of each worker, so that all gradients of a comparison take about a minute."""
    return max(FEWEST_STEPS, min(MOST_STEPS, MOST_GRADIENTS // (strategies * SEEDS * workers)))


def race(scenario: Scenario, names: Sequence[str]) -> list[Scenario]:
    """The scenarios of the comparison: each strategy with each seed, in this order."""
    return [
        replace(scenario, strategy=strategy(name), seed=scenario.seed + seed) for name in names for seed in range(SEEDS)
    ]


def raced(names: Sequence[str], results: Sequence[Result]) -> Comparison:
    """The comparison of what `race` asked for, by the first of the names."""
    return compared(curves_of(names, results), names[0])


def curves_of(names: Sequence[str], results: Sequence[Result]) -> dict[str, list[Curve]]:
    """The losses of each strategy against time, a curve for each seed."""
    return {
        name: [one.loss for one in results[SEEDS * place : SEEDS * (place + 1)]] for place, name in enumerate(names)
    }


def sweep(scenario: Scenario) -> list[Scenario]:
    """The batch of all workers shared by one, two, four and so on, synchronously; a step takes as long as its share is large."""
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
            cores=None,
        )
        for count in sorted(set(counts))
    ]


def swept(results: Sequence[Result]) -> Sweep:
    """By the workers: seconds of a step."""
    return Sweep({one.workers: one.seconds / max(1, one.updates) for one in results})


def failing(plan: Plan, seed: int = 0) -> Failing | None:
    """The failures that the plan expects of its workers, and the time of a checkpoint; None where its figures do not say."""
    figures = {figure.name: figure.value for figure in plan.figures}
    cost, mean = figures.get("checkpoint.seconds"), figures.get("failure.mean_seconds")
    several = plan.value("fault_tolerance") in ("checkpoint_interval", "elastic")
    return Failing(max(1.0, cost), mean, RESTART, seed) if several and cost is not None and mean else None


def settled(
    plan: Plan,
    scope: Mapping[str, str],
    date: str,
    comparison: Comparison | None,
    found: Sweep | None,
    saved: Saved | None = None,
) -> list[Outcome]:
    """Outcomes for the plan, which count for these workers and links alone.

    Args:
        scope: the conditions of the plan (`advisor.agent.settling.scope.scope_of`).
        date: ISO 8601.
        comparison: of strategies that trained the plan's own network.
    """
    outcomes = []
    if comparison is not None:
        outcomes += [*_of_strategies(plan, comparison, scope, date), *_of_compression(comparison, scope, date)]
    if found is not None and len(found.seconds) > 1:
        outcomes.append(_of_workers(found, scope, date))
    if saved is not None:
        outcomes += _of_checkpoints(plan, saved, scope, date)
    return outcomes


def of_strategies(
    experiment: str, fact: str, comparison: Comparison, scope: Mapping[str, str], date: str
) -> list[Outcome]:
    """The verdict on the plan's own strategy, by real workers or simulated ones; nothing where there was no rival, or only one
    seed, which has no interval.

    Strategies are compared as the rules know them: accumulating gradients is a form of the synchronous one.
    """
    own = comparison.reference
    before = DECLARED[strategy(own).name].topic
    best = comparison.best
    after = DECLARED[strategy(best.strategy).name].topic
    if best.strategy != own and after != before and best.ratio is not None:
        return [
            _outcome(
                experiment, fact, before, after, after, Verdict.OVERTURNED, best.ratio, len(best.seconds), scope, date
            )
        ]
    others = [
        one
        for one in comparison.standings
        if one.strategy != own
        and one.ratio is not None
        and len(one.seconds) > 1
        and DECLARED[strategy(one.strategy).name].topic != before
    ]
    if not others:
        return []
    rival = max(others, key=lambda one: one.ratio.value if one.ratio else 0.0)
    assert rival.ratio is not None  # noqa: S101 - chosen so
    open_ = any(
        one.verdict is Verdict.UNDECIDED and DECLARED[strategy(one.strategy).name].topic != before
        for one in comparison.standings
        if one.strategy != own
    )  # one that may be faster leaves all open
    decided = not open_ and rival.verdict in (Verdict.CONFIRMED, Verdict.NO_DIFFERENCE)
    topic = DECLARED[strategy(rival.strategy).name].topic
    verdict = rival.verdict if decided else Verdict.UNDECIDED
    after_ = before if decided else None
    turned = _turned(rival.ratio)
    return [_outcome(experiment, fact, before, topic, after_, verdict, turned, len(rival.seconds), scope, date)]


def _of_strategies(plan: Plan, comparison: Comparison, scope: Mapping[str, str], date: str) -> list[Outcome]:
    plain = replace(
        comparison,
        standings=tuple(one for one in comparison.standings if strategy(one.strategy).name not in COMPRESSED),
    )
    return of_strategies(SIMULATE, "sim.sync.best", plain, scope, date)


def _of_compression(comparison: Comparison, scope: Mapping[str, str], date: str) -> list[Outcome]:
    """The verdict on gradients as they are, where the plan's own strategy is the synchronous one."""
    shown = [one for one in comparison.standings if one.strategy in COMPRESSED and one.ratio is not None]
    if comparison.reference != "synchronous" or not shown:
        return []
    best = max(shown, key=lambda one: one.ratio.value if one.ratio else 0.0)
    assert best.ratio is not None  # noqa: S101 - chosen so
    ratio, verdict = best.ratio, best.verdict
    if verdict is not Verdict.OVERTURNED:
        ratio = _turned(ratio)
    after = {Verdict.OVERTURNED: best.strategy, Verdict.UNDECIDED: None}.get(verdict, "none")
    return [
        strategy_outcome(
            SIMULATE, "communication", "sim.compression.best", before="none", rival=best.strategy, after=after, verdict=verdict,
            ratio=(ratio.value, ratio.low, ratio.high), n=len(best.seconds), applies=scope, date=date,
        )
    ]  # fmt: skip


def _of_workers(found: Sweep, scope: Mapping[str, str], date: str) -> Outcome:
    """The verdict on the plan's number of workers."""
    all_, best = max(found.seconds), found.best
    rival, ratio = 1, found.seconds[1] / found.seconds[all_]
    verdict, unit = Verdict.CONFIRMED, SPEED_UP
    work = all_ * found.seconds[all_] / (best * found.seconds[best])
    if best < all_ and work > NEARLY:  # as fast with fewer, of whom each gets more done
        verdict, unit, rival, ratio = Verdict.OVERTURNED, "work of each worker", best, work
    after = best if verdict is Verdict.OVERTURNED else all_
    return strategy_outcome(
        SIMULATE, "parallelism.strategy", "sim.workers.best", before=all_, rival=rival, after=after, verdict=verdict,
        ratio=(ratio, ratio, ratio), n=1, applies=scope, date=date, unit=unit,
        besides={"sim.workers.best_by_price": found.best_by_price},
    )  # fmt: skip


def _of_checkpoints(plan: Plan, saved: Saved, scope: Mapping[str, str], date: str) -> list[Outcome]:
    """The verdict on Young's formula, by which the plan computes its interval; the interval of the simulation counts."""
    young = next((figure.value for figure in plan.figures if figure.name == "checkpoint.interval"), None)
    if young is None or not saved.of_young:
        return []
    every, ratio = max(1, round(saved.every)), saved.useful_share / saved.of_young
    same = ratio <= NEARLY
    return [
        strategy_outcome(
            SIMULATE, "fault_tolerance", "sim.checkpoint.seconds", before=max(1, round(young)), rival=every,
            after=max(1, round(young)) if same else every, verdict=Verdict.NO_DIFFERENCE if same else Verdict.OVERTURNED,
            ratio=(1 / ratio if same else ratio,) * 3, n=1, applies=scope, date=date, unit="useful time",
            besides={"sim.checkpoint.seconds": every},
        )
    ]  # fmt: skip


def _outcome(
    experiment: str, fact: str, before: str, rival: str, after: str | None, verdict: Verdict, ratio: Interval, n: int,
    scope: Mapping[str, str], date: str,
) -> Outcome:  # fmt: skip
    return strategy_outcome(
        experiment, "sync.strategy", fact, before=before, rival=rival, after=after, verdict=verdict,
        ratio=(ratio.value, ratio.low, ratio.high), n=n, applies=scope, date=date,
    )  # fmt: skip


def _turned(ratio: Interval) -> Interval:
    """The ratio of the plan's own to the other one; at most a million, so that it is a number."""
    return Interval(1 / ratio.value, max(1 / ratio.high, _LEAST), 1 / max(ratio.low, _LEAST))


def _longer(law: StepTime, factor: float) -> StepTime:
    """The distribution of so many times the time."""
    samples = tuple(tuple(factor * one for one in some) for some in law.samples)
    return replace(law, seconds=factor * law.seconds, samples=samples)
