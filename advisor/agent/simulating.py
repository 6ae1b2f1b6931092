"""The questions of a plan to a simulator: scenarios, and the meaning of their results for its recommendations.

Three questions: which strategy comes to a loss first; how many workers pay, for the same batch of all together; how often to
save where workers fail.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from advisor.agent.settling.strategies import strategy_outcome
from advisor.agent.strategies import reference_of
from advisor.agent.sweeps import NEARLY, SEEDS, Sweep, geometric_of, of_workers
from advisor.agent.unfinished import Ends, bounded, capped
from advisor.distributed.comparing import Comparison, Curve, Interval, Standing, compared, geometric
from advisor.distributed.strategies import DECLARED, strategy
from advisor.facts.experiments import SIMULATE
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Plan
from advisor.probes.outcome import Outcome
from advisor.simulation.request import Failing, Saved
from advisor.simulation.result import Result
from advisor.simulation.scenario import Scenario

RIVALS = (
    "synchronous", "local_sgd", "diloco:every=20", "asynchronous", "delay_compensated", "mixed_asynchronous",
)  # fmt: skip
"""Compared with the plan's own strategy by when they come to the loss."""
COMPRESSED = ("fp16_compression", "powersgd")
"""Compared with gradients as they are."""
FEWEST_STEPS, MOST_STEPS, MOST_GRADIENTS = 40, 200, 60_000
RESTART = 300.0
"""Seconds from a failure until the work goes on, where nobody has said another time: starting processes and reading weights."""


def contestants(plan: Plan, scenario: Scenario) -> list[str]:
    """The strategies to compare, the plan's own first; those that so few workers can have."""
    own = reference_of(plan)
    names = [own, *RIVALS, *(COMPRESSED if own == "synchronous" else ())]
    return [name for name in dict.fromkeys(names) if strategy(name).whole("groups", 0) <= scenario.workers]


def steps_for(workers: int, strategies: int, gradients: float = MOST_GRADIENTS) -> int:
    """Steps of each worker, so that a comparison takes about a minute, or has as many gradients in all as there is time for."""
    of_each = int(min(gradients, MOST_GRADIENTS) / (strategies * SEEDS * workers))
    return max(FEWEST_STEPS, min(MOST_STEPS, of_each))


def race(scenario: Scenario, names: Sequence[str]) -> list[Scenario]:
    """The scenarios of the comparison: each strategy with each seed, in this order."""
    return [
        replace(scenario, strategy=strategy(name), seed=scenario.seed + seed) for name in names for seed in range(SEEDS)
    ]


def seed_by_seed(asked: Sequence[Scenario]) -> list[Scenario]:
    """The scenarios of `race` in the order in which they are simulated: what is over early has all strategies with some seeds."""
    return [asked[place + seed] for seed in range(SEEDS) for place in range(0, len(asked), SEEDS)]


def finished(names: Sequence[str], results: Sequence[Result]) -> list[Result]:
    """Each strategy with each seed that all of them have, in this order, from results that came seed by seed."""
    seeds = len(results) // len(names)
    return [results[seed * len(names) + place] for place in range(len(names)) for seed in range(seeds)]


def by_strategy(names: Sequence[str], results: Sequence[Result]) -> dict[str, Sequence[Result]]:
    """The results of each strategy, one for each seed."""
    seeds = len(results) // max(1, len(names))
    return {name: results[seeds * place : seeds * (place + 1)] for place, name in enumerate(names)}


def raced(names: Sequence[str], results: Sequence[Result]) -> Comparison:
    """The comparison of what `race` asked for, by the first of the names."""
    return compared(curves_of(names, results), names[0])


def winner(comparison: Comparison) -> str:
    """The strategy that the plan takes after such a comparison; a compressed one where there is no other."""
    plain = _plain(comparison).best.strategy
    return comparison.best.strategy if plain == "synchronous" else plain


def curves_of(names: Sequence[str], results: Sequence[Result]) -> dict[str, list[Curve]]:
    """The losses of each strategy against time, a curve for each seed."""
    return {name: [one.loss for one in own] for name, own in by_strategy(names, results).items()}


def ends_of(names: Sequence[str], results: Sequence[Result]) -> dict[str, list[float]]:
    """When the trainings of each strategy were over. One whose loss was no number any more would never have come to a loss: it
    gets the time of the longest."""
    longest = max((one.seconds for one in results), default=0.0)
    return {
        name: [longest if one.diverged_at is not None else one.loss[-1][0] for one in own]
        for name, own in by_strategy(names, results).items()
    }


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
    saved: Sequence[Saved] = (),
    ends: Ends | None = None,
) -> list[Outcome]:
    """Outcomes for the plan, which count for these workers and links alone.

    Args:
        scope: the conditions of the plan (`advisor.agent.settling.scope.scope_of`).
        date: ISO 8601.
        comparison: of strategies that trained the plan's own network.
        saved: the best checkpoints with each seed.
        ends: of the trainings that were compared.
    """
    outcomes = []
    if comparison is not None:
        outcomes += _of_strategies(comparison, scope, date, ends)
        outcomes += _of_compression(comparison, scope, date, ends)
    if found is not None and len(found.times) > 1:
        outcomes.append(of_workers(found, scope, date))
    if saved:
        outcomes += _of_checkpoints(plan, saved, scope, date)
    return outcomes


def of_strategies(
    experiment: str,
    fact: str,
    comparison: Comparison,
    scope: Mapping[str, str],
    date: str,
    ends: Ends | None = None,
) -> list[Outcome]:
    """The verdict on the plan's own strategy, by real workers or simulated ones; nothing where there was no rival, or only one
    seed, which has no interval.

    Strategies are compared as the rules know them: accumulating gradients is a form of the synchronous one.

    Args:
        ends: of the trainings; None where all went on equally long.
    """
    own, before = comparison.own, topic_of(comparison.reference)
    best = comparison.best
    others = [one for one in comparison.standings if topic_of(one.strategy) != before]
    if not others or len(own.seconds) < 2:
        return []
    if best in others and best.ratio is not None:
        after = topic_of(best.strategy)
        n = len(best.seconds)
        return [_outcome(experiment, fact, before, after, after, Verdict.OVERTURNED, best.ratio, n, scope, date)]
    rivals = [one for one in others if one.ratio is not None]
    if not rivals:
        return _unfinished(experiment, fact, comparison, others, scope, date, ends)
    rival, ratio = _nearest(rivals)
    open_ = any(one.verdict is Verdict.UNDECIDED for one in others)  # one that may be faster leaves all open
    decided = not open_ and rival.verdict in (Verdict.CONFIRMED, Verdict.NO_DIFFERENCE)
    verdict, after_ = (rival.verdict, before) if decided else (Verdict.UNDECIDED, None)
    topic, n = topic_of(rival.strategy), len(rival.seconds)
    return [_outcome(experiment, fact, before, topic, after_, verdict, _turned(ratio), n, scope, date)]


def topic_of(name: str) -> str:
    """The strategy as the rules know it."""
    return DECLARED[strategy(name).name].topic


def _nearest(rivals: Sequence[Standing]) -> tuple[Standing, Interval]:
    """The fastest of rivals with a ratio."""
    ratios = [(one, one.ratio) for one in rivals if one.ratio is not None]
    return max(ratios, key=lambda pair: pair[1].value)


def _unfinished(
    experiment: str, fact: str, comparison: Comparison, others: Sequence[Standing], scope: Mapping[str, str], date: str,
    ends: Ends | None,
) -> list[Outcome]:  # fmt: skip
    """The careful verdict where no rival came to the loss in all trainings, or the plan's own strategy did not."""
    found = bounded(comparison, others, ends)
    if found is None:
        return []
    before = topic_of(comparison.reference)
    after = before if found.verdict is Verdict.CONFIRMED else None
    return [
        _outcome(
            experiment, fact, before, topic_of(found.rival), after, found.verdict, found.ratio, found.pairs, scope, date,
            found.says,
        )
    ]  # fmt: skip


def _of_strategies(comparison: Comparison, scope: Mapping[str, str], date: str, ends: Ends | None) -> list[Outcome]:
    return of_strategies(SIMULATE, "sim.sync.best", _plain(comparison), scope, date, ends)


def _plain(comparison: Comparison) -> Comparison:
    """The comparison without compressed gradients."""
    kept = (one for one in comparison.standings if strategy(one.strategy).name not in COMPRESSED)
    return replace(comparison, standings=tuple(kept))


def _of_compression(comparison: Comparison, scope: Mapping[str, str], date: str, ends: Ends | None) -> list[Outcome]:
    """The verdict on gradients as they are, where the plan's own strategy is the synchronous one."""
    asked = [one for one in comparison.standings if one.strategy in COMPRESSED]
    if comparison.reference != "synchronous" or not asked:
        return []
    shown = [one for one in asked if one.ratio is not None]
    says: tuple[str, ...] = ()
    if shown:
        best, ratio = _nearest(shown)
        name, verdict, n = best.strategy, best.verdict, len(best.seconds)
        ratio = ratio if verdict is Verdict.OVERTURNED else _turned(ratio)
    elif (found := bounded(comparison, asked, ends)) is not None:
        name, verdict, n, says, ratio = found.rival, found.verdict, found.pairs, found.says, found.ratio
    else:
        return []
    after = {Verdict.OVERTURNED: name, Verdict.UNDECIDED: None}.get(verdict, "none")
    return [
        strategy_outcome(
            SIMULATE, "communication", "sim.compression.best", before="none", rival=name, after=after, verdict=verdict,
            ratio=(ratio.value, ratio.low, ratio.high), n=n, applies=scope, date=date, warnings=says,
        )
    ]  # fmt: skip


def best_checkpoint(saved: Sequence[Saved]) -> Interval:
    """The seconds between checkpoints with which the least is lost, with their 95 % interval over seeds."""
    return geometric([one.every for one in saved])


def _of_checkpoints(plan: Plan, saved: Sequence[Saved], scope: Mapping[str, str], date: str) -> list[Outcome]:
    """The verdict on Young's formula, by which the plan computes its interval; the interval of the simulation counts."""
    young = next((figure.value for figure in plan.figures if figure.name == "checkpoint.interval"), None)
    if young is None or not all(one.of_young for one in saved):
        return []
    before, every = max(1, round(young)), max(1, round(best_checkpoint(saved).value))
    ratio = geometric_of([one.useful_share for one in saved], [one.of_young for one in saved])
    verdict, after = Verdict.UNDECIDED, None
    if ratio.low > NEARLY:
        verdict, after = Verdict.OVERTURNED, every
    elif ratio.high <= NEARLY:
        verdict, after = Verdict.NO_DIFFERENCE, before
    ratio = ratio if verdict is Verdict.OVERTURNED else _turned(ratio)
    return [
        strategy_outcome(
            SIMULATE, "fault_tolerance", "sim.checkpoint.seconds", before=before, rival=every, after=after, verdict=verdict,
            ratio=(ratio.value, ratio.low, ratio.high), n=len(saved), applies=scope, date=date, unit="useful time",
            besides={"sim.checkpoint.seconds": every},
        )
    ]  # fmt: skip


def _outcome(
    experiment: str, fact: str, before: str, rival: str, after: str | None, verdict: Verdict, ratio: Interval, n: int,
    scope: Mapping[str, str], date: str, warnings: Sequence[str] = (),
) -> Outcome:  # fmt: skip
    ratio = capped(ratio)
    return strategy_outcome(
        experiment, "sync.strategy", fact, before=before, rival=rival, after=after, verdict=verdict,
        ratio=(ratio.value, ratio.low, ratio.high), n=n, applies=scope, date=date, warnings=warnings,
    )  # fmt: skip


def _turned(ratio: Interval) -> Interval:
    """The ratio of the plan's own to the other one."""
    ratio = capped(ratio)
    return Interval(1 / ratio.value, 1 / ratio.high, 1 / ratio.low)
