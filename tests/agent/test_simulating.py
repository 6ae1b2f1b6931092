"""Questions of a plan to a simulator, and the meaning of its answers: outcomes as later plans count them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from advisor.agent.remembered.profile import checked, grown, outcome_key
from advisor.agent.settling.scope import scope_of
from advisor.agent.simulating import (
    COMPRESSED,
    FEWEST_STEPS,
    MOST_GRADIENTS,
    MOST_STEPS,
    RIVALS,
    by_strategy,
    contestants,
    ends_of,
    failing,
    finished,
    of_strategies,
    race,
    raced,
    seed_by_seed,
    settled,
    steps_for,
)
from advisor.agent.strategies import circumstances, learned_task, reference_of, without_strategies
from advisor.agent.sweeps import SEEDS, Sweep
from advisor.distributed.comparing import Comparison, compared
from advisor.distributed.strategies import strategy
from advisor.distributed.task import DIGITS
from advisor.facts.experiments import SIMULATE, SYNC
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Plan, Status
from advisor.knowledge.cache import load_cached
from advisor.knowledge.model import Knowledge
from advisor.probes.outcome import Outcome
from advisor.resources import rules_folder
from advisor.simulation.request import Saved
from advisor.simulation.result import Result
from advisor.simulation.scenario import Scenario

from ..report.strategies_made import falling, result_of, scenario_of
from .test_scope import MACHINE
from .test_settled_by_strategies import planned, status, workers

DATE = "2026-11-27T10:00:00+00:00"


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load_cached(rules_folder(), ())


@pytest.fixture(scope="module")
def plan(knowledge: Knowledge) -> Plan:
    return planned(knowledge)


def comparison(seconds: Mapping[str, float | Sequence[float]]) -> Comparison:
    """Of strategies whose loss takes so many seconds to fall to a third, the same with all seeds or one number for each; the
    first is the plan's."""
    times = {name: [own] * SEEDS if isinstance(own, float) else list(own) for name, own in seconds.items()}
    names = list(times)
    results = [result_of(name, scale, seed) for name in names for seed, scale in enumerate(times[name])]
    return raced(names, results)


def ends(found: Comparison, seconds: float) -> dict[str, list[float]]:
    """All trainings of a comparison over after so many seconds."""
    return {one.strategy: [seconds] * len(one.seconds) for one in found.standings}


def decided(plan: Plan, seconds: Mapping[str, float | Sequence[float]]) -> dict[str, Outcome]:
    """By the fact, what follows from such a comparison."""
    outcomes = settled(plan, scope_of(plan, MACHINE), DATE, comparison(seconds), None)
    return {one.fact: one for one in outcomes}


# Strategies


def test_the_plans_own_strategy_races_first_and_each_with_the_same_seeds(plan: Plan) -> None:
    own = scenario_of("synchronous", workers=8, seed=3)
    names = contestants(plan, own)
    assert names[0] == reference_of(plan) == "synchronous"
    assert set(names) == {*RIVALS, *COMPRESSED}
    asked = race(own, names)
    assert [str(one.strategy) for one in asked[::SEEDS]] == names
    assert [one.seed for one in asked[:SEEDS]] == [3, 4, 5, 6, 7]
    assert asked[0] == replace(own, strategy=strategy("synchronous"))


@pytest.mark.parametrize(("done", "seeds"), [(SEEDS * 3, SEEDS), (7, 2), (3, 1), (2, 0)])
def test_a_race_is_simulated_seed_by_seed_and_read_by_strategy(done: int, seeds: int) -> None:
    names = ["synchronous", "local_sgd", "diloco"]
    asked = seed_by_seed(race(scenario_of("synchronous", seed=0), names))
    assert [(str(one.strategy), one.seed) for one in asked[:4]] == [*((name, 0) for name in names), (names[0], 1)]
    results = [replace(result_of(str(one.strategy), None), seconds=float(one.seed)) for one in asked[:done]]
    found = by_strategy(names, finished(names, results))
    expected = [float(seed) for seed in range(seeds)]
    assert [[one.seconds for one in found[name]] for name in names] == [expected] * 3
    assert all(one.strategy == name for name, own in found.items() for one in own)


def test_groups_need_as_many_workers(plan: Plan) -> None:
    assert "mixed_asynchronous" not in contestants(plan, scenario_of("synchronous", workers=1))


def test_a_plan_of_another_strategy_is_compared_by_it_and_not_with_compressed_gradients(knowledge: Knowledge) -> None:
    slow = planned(knowledge, cluster__network_bytes_per_second=1.25e7)
    assert reference_of(slow) == "local_sgd"
    names = contestants(slow, scenario_of(workers=8))
    assert names[0] == "local_sgd"
    assert not set(names) & set(COMPRESSED)


@pytest.mark.parametrize("number", [1, 8, 64, 10_000])
def test_steps_are_enough_to_learn_and_few_enough_to_be_computed(number: int) -> None:
    steps = steps_for(number, 8)
    assert FEWEST_STEPS <= steps <= MOST_STEPS
    assert steps == FEWEST_STEPS or steps * number * 8 * SEEDS <= MOST_GRADIENTS


def test_a_slow_network_takes_as_many_steps_as_there_is_time_for() -> None:
    assert steps_for(2, 8, 8000.0) == 8000 // (8 * SEEDS * 2)
    assert steps_for(2, 8, 100.0) == FEWEST_STEPS
    assert steps_for(2, 8, 1e9) == MOST_STEPS


def test_a_race_is_judged_by_its_first_strategy() -> None:
    found = comparison({"synchronous": 12.0, "local_sgd": 4.0})
    assert (found.reference, found.best.strategy) == ("synchronous", "local_sgd")
    assert found.best.ratio is not None
    assert found.best.ratio.value == pytest.approx(3, rel=0.02)
    assert len(found.best.seconds) == SEEDS


# What it means


def test_a_rival_that_is_faster_overturns_the_plan(plan: Plan) -> None:
    outcome = decided(plan, {"synchronous": 12.0, "local_sgd": 4.0, "asynchronous": 8.0})["sim.sync.best"]
    assert (outcome.probe, outcome.topic, outcome.verdict) == (SIMULATE, "sync.strategy", Verdict.OVERTURNED)
    assert (outcome.before, outcome.rival, outcome.after) == ("synchronous", "local_sgd", "local_sgd")
    assert outcome.median == pytest.approx(3, rel=0.02)
    assert outcome.n == SEEDS
    assert outcome.facts() == {"sim.sync.best": "local_sgd"}


def test_slower_rivals_confirm_the_plan_against_the_nearest_of_them(plan: Plan) -> None:
    outcome = decided(plan, {"synchronous": 4.0, "local_sgd": 8.0, "asynchronous": 12.0})["sim.sync.best"]
    assert outcome.verdict is Verdict.CONFIRMED
    assert (outcome.before, outcome.rival, outcome.after) == ("synchronous", "local_sgd", "synchronous")
    assert outcome.median == pytest.approx(2, rel=0.02), "so many times as fast the plan's own is"


def test_rivals_as_fast_are_no_difference_and_change_no_fact(plan: Plan) -> None:
    outcome = decided(plan, {"synchronous": 4.0, "local_sgd": 4.02})["sim.sync.best"]
    assert outcome.verdict is Verdict.NO_DIFFERENCE
    assert outcome.after == "synchronous", "what the plan has goes on to hold"
    assert outcome.facts() == {}


def test_rivals_that_are_now_faster_and_now_slower_decide_nothing(plan: Plan) -> None:
    unsteady = (2.0, 8.0, 3.0, 9.0, 4.0)
    outcome = decided(plan, {"synchronous": 4.0, "local_sgd": unsteady})["sim.sync.best"]
    assert (outcome.verdict, outcome.after) == (Verdict.UNDECIDED, None)
    assert outcome.low is not None
    assert outcome.median is not None
    assert outcome.high is not None
    assert outcome.low < outcome.median < outcome.high
    assert outcome.facts() == {}


def test_a_form_of_the_plans_own_strategy_is_no_rival(plan: Plan) -> None:
    found = comparison({"synchronous": 12.0, "gradient_accumulation": 4.0})
    assert of_strategies(SIMULATE, "sim.sync.best", found, scope_of(plan, MACHINE), DATE) == []


def test_compressed_gradients_are_another_question(plan: Plan) -> None:
    found = decided(plan, {"synchronous": 6.0, "fp16_compression": 3.0, "powersgd": 16.0, "local_sgd": 12.0})
    assert found["sim.sync.best"].verdict is Verdict.CONFIRMED
    compression = found["sim.compression.best"]
    assert (compression.topic, compression.before, compression.after) == ("communication", "none", "fp16_compression")
    assert compression.verdict is Verdict.OVERTURNED


@pytest.mark.parametrize(
    ("seconds", "verdict", "after"), [(12.0, Verdict.CONFIRMED, "none"), (6.02, Verdict.NO_DIFFERENCE, "none")]
)
def test_where_fewer_bytes_gain_nothing_gradients_stay_as_they_are(
    plan: Plan, seconds: float, verdict: Verdict, after: str
) -> None:
    compression = decided(plan, {"synchronous": 6.0, "powersgd": seconds})["sim.compression.best"]
    assert (compression.verdict, compression.after) == (verdict, after)


def test_where_no_rival_came_to_the_loss_the_plan_is_confirmed_by_how_long_they_went_on(plan: Plan) -> None:
    found = comparison({"synchronous": 4.0, "local_sgd": 400.0, "asynchronous": 500.0})
    assert [one.reached for one in found.standings] == [SEEDS, 0, 0]
    (outcome,) = of_strategies(SIMULATE, "sim.sync.best", found, scope_of(plan, MACHINE), DATE, ends(found, 40.0))
    assert (outcome.verdict, outcome.after) == (Verdict.CONFIRMED, "synchronous")
    assert outcome.median is not None
    assert outcome.median > 4, "they went on for 40 s, and the plan's own was there after about 9 s"
    assert outcome.conditions.warnings == ("local_sgd came to the loss in none of 5 trainings.",)
    assert checked(outcome) == outcome


def test_rivals_that_ended_before_the_plans_own_was_there_leave_all_open(plan: Plan) -> None:
    found = comparison({"synchronous": 4.0, "local_sgd": 400.0})
    (outcome,) = of_strategies(SIMULATE, "sim.sync.best", found, scope_of(plan, MACHINE), DATE, ends(found, 5.0))
    assert (outcome.verdict, outcome.after, outcome.facts()) == (Verdict.UNDECIDED, None, {})


def test_where_the_plans_own_came_to_the_loss_now_and_then_it_is_said_and_nothing_decided(plan: Plan) -> None:
    found = comparison({"synchronous": (4.0, 4.0, 60.0, 4.0, 4.0), "local_sgd": 2.0})
    assert found.own.reached == 4
    (outcome,) = of_strategies(SIMULATE, "sim.sync.best", found, scope_of(plan, MACHINE), DATE, ends(found, 40.0))
    assert (outcome.verdict, outcome.rival, outcome.n) == (Verdict.UNDECIDED, "local_sgd", SEEDS)
    assert outcome.conditions.warnings == ("synchronous came to the loss in 4 of 5 trainings.",)
    assert checked(outcome) == outcome


def test_real_workers_train_equally_long_so_that_the_last_to_come_tells_how_long(plan: Plan) -> None:
    found = comparison({"synchronous": 4.0, "local_sgd": 400.0, "gradient_accumulation": 8.0})
    (outcome,) = of_strategies(SYNC, "probe.sync.best", found, scope_of(plan, MACHINE), DATE)
    assert outcome.verdict is Verdict.CONFIRMED
    assert outcome.median == pytest.approx(2, rel=0.05), "twice as long as the plan's own, as the second went on"


def test_compressed_gradients_that_never_came_to_the_loss_are_told_too(plan: Plan) -> None:
    outcome = decided(plan, {"synchronous": 4.0, "local_sgd": 8.0, "powersgd": 400.0})["sim.compression.best"]
    assert (outcome.rival, outcome.after, outcome.verdict) == ("powersgd", "none", Verdict.CONFIRMED)


def test_a_training_whose_loss_was_no_number_any_more_went_on_as_long_as_the_longest() -> None:
    results = [result_of("synchronous", 4.0, seed) for seed in range(2 * SEEDS)]
    results[SEEDS] = replace(results[SEEDS], loss=results[SEEDS].loss[:3], diverged_at=3.0)
    found = ends_of(["synchronous", "local_sgd"], results)
    assert found == {"synchronous": [40.0] * SEEDS, "local_sgd": [40.0] * SEEDS}


def test_one_training_with_each_strategy_decides_nothing_and_takes_nothing_back(plan: Plan) -> None:
    curves = {"synchronous": [falling(4.0, 0)], "local_sgd": [falling(8.0, 0)]}
    assert of_strategies(SYNC, "probe.sync.best", compared(curves, "synchronous"), scope_of(plan, MACHINE), DATE) == []


def test_ratios_are_numbers_whatever_the_pairs_were(plan: Plan) -> None:
    wild = (0.01, 90.0, 0.01, 90.0, 0.01)
    outcome = decided(plan, {"synchronous": 4.0, "local_sgd": wild, "powersgd": wild})
    for one in outcome.values():
        figures = [one.median, one.low, one.high]
        assert all(number is not None and math.isfinite(number) and number > 0 for number in figures)
        assert checked(one) == one


def of_checkpoints(plan: Plan, *shares: tuple[float, float]) -> Outcome:
    """Of the best interval and of Young's, one of each seed."""
    saved = [Saved(1800.0 + 10 * seed, *share) for seed, share in enumerate(shares)]
    (outcome,) = settled(plan, scope_of(plan, MACHINE), DATE, None, None, saved)
    return outcome


def test_checkpoints_that_are_no_better_leave_the_formula_and_tell_their_interval(plan: Plan) -> None:
    young = next(figure.value for figure in plan.figures if figure.name == "checkpoint.interval")
    assert young is not None
    same = of_checkpoints(plan, (0.99, 0.985), (0.99, 0.986), (0.99, 0.984))
    assert (same.topic, same.verdict, same.n) == ("fault_tolerance", Verdict.NO_DIFFERENCE, 3)
    assert (same.before, same.rival, same.after) == (round(young), 1810, round(young))
    assert same.facts() == {"sim.checkpoint.seconds": 1810}
    better = of_checkpoints(plan, (0.9, 0.6), (0.9, 0.61), (0.9, 0.59))
    assert (better.verdict, better.after, better.unit) == (Verdict.OVERTURNED, 1810, "useful time")
    assert better.low is not None
    assert better.high is not None
    assert 1.4 < better.low < 1.5 < better.high < 1.6


def test_checkpoints_that_are_now_better_now_not_decide_nothing(plan: Plan) -> None:
    outcome = of_checkpoints(plan, (0.9, 0.9), (0.9, 0.7), (0.9, 0.85))
    assert (outcome.verdict, outcome.after) == (Verdict.UNDECIDED, None)
    assert outcome.facts() == {"sim.checkpoint.seconds": 1810}, "on average it is the best that was found"
    assert checked(outcome) == outcome


def test_failures_are_those_that_the_plan_expects(knowledge: Knowledge, plan: Plan) -> None:
    found = failing(plan, seed=7)
    figures = {figure.name: figure.value for figure in plan.figures}
    assert found is not None
    assert found.between_failures == figures["failure.mean_seconds"]
    assert found.checkpoint_cost >= 1.0
    assert found.seed == 7
    assert failing(planned(knowledge, cluster__nodes=1)) is None


def test_what_is_decided_is_what_the_plan_then_has(knowledge: Knowledge, plan: Plan) -> None:
    outcomes = [*decided(plan, {"synchronous": 12.0, "local_sgd": 4.0}).values(), workers(plan, 4)]
    after = planned(knowledge, *outcomes)
    assert status(after, "sync.strategy") == ("local_sgd", Status.SIMULATED)
    assert after.facts["sim.workers.best"].value == 4
    assert reference_of(after) == "local_sgd"
    assert without_strategies(outcomes) == (), "the next bet is the rules' own again"


# What is known of the workers


def test_the_workers_of_a_plan_have_its_batch_links_and_steps(plan: Plan) -> None:
    known = circumstances(plan)
    assert (known.workers, known.batch) == (
        8,
        plan.value("training.micro_batch") * (plan.value("training.accumulation") or 1),
    )
    assert known.link_bytes_per_second == 1.25e9
    assert known.message_bytes == 4 * plan.facts["network.parameters"].value  # type: ignore[operator]
    assert (known.step_says, known.uneven) == ("as predicted for the plan", False)
    assert known.step_seconds is not None
    assert known.step_seconds > 0


def test_a_single_machine_has_no_workers_and_no_links(knowledge: Knowledge) -> None:
    known = circumstances(planned(knowledge, cluster__nodes=1))
    assert (known.workers, known.link_bytes_per_second, known.alone) == (None, None, True)


def test_a_plan_that_leaves_the_work_to_one_of_several_computers_still_knows_them(knowledge: Knowledge) -> None:
    known = circumstances(planned(knowledge, sim__workers__best=1))
    assert (known.workers, known.link_bytes_per_second, known.alone) == (8, 1.25e9, True)


def test_a_large_network_gives_its_place_to_that_of_2017_on_digits(plan: Plan) -> None:
    task, notes = learned_task(plan, None, batch=16, seed=3, workers=8)
    assert (task.hidden_units, task.data, task.batch, task.seed) == ((64, 64), DIGITS, 16, 3)
    assert notes[0].startswith("A small network learns, 64-64-64-10 with tanh,")


def test_a_small_network_learns_itself_and_more_slowly_the_more_workers_there_are(knowledge: Knowledge) -> None:
    small = planned(
        knowledge,
        data__inputs=64,
        cluster__nodes=1,
        machine__gpu__count=0,
        machine__gpu__name=None,
        data__examples=1797,
    )
    few, notes = learned_task(small, None, batch=16, seed=0, workers=2)
    many, _ = learned_task(small, None, batch=16, seed=0, workers=64)
    assert few.network == small.value("network.type")
    assert notes == ("The plan's network learns examples that are made up: name yours with --data.",)
    assert many.rate * 64 == pytest.approx(0.4)
    assert many.rate < few.rate


# Kept


def everything(plan: Plan) -> list[Outcome]:
    found = comparison({"synchronous": 12.0, "local_sgd": 4.0, "powersgd": 6.0})
    return settled(
        plan,
        scope_of(plan, MACHINE),
        DATE,
        found,
        Sweep({1: [8.0] * SEEDS, 8: [2.0] * SEEDS}),
        [Saved(1800.0, 0.9, 0.6)] * SEEDS,
    )


def test_every_outcome_survives_being_written_and_read(plan: Plan) -> None:
    outcomes = everything(plan)
    assert [one.fact for one in outcomes] == [
        "sim.sync.best",
        "sim.compression.best",
        "sim.workers.best",
        "sim.checkpoint.seconds",
    ]
    for one in outcomes:
        assert checked(Outcome.from_json(one.to_json())) == one


def test_answers_to_several_questions_of_one_simulation_are_all_kept(plan: Plan) -> None:
    outcomes = everything(plan)
    assert len({outcome_key(one) for one in outcomes}) == len(outcomes)
    profile = grown(None, "last", MACHINE, "here", outcomes)
    again = grown(profile, "last", MACHINE, "here", outcomes)
    assert list(again.outcomes) == list(profile.outcomes) == outcomes


DAMAGE: Mapping[str, tuple[str, dict[str, Any]]] = {
    "another fact": ("sim.sync.best", {"fact": "sim.workers.best"}),
    "another topic": ("sim.sync.best", {"topic": "communication"}),
    "a run of a simulation's fact": ("sim.sync.best", {"probe": "sync"}),
    "a condition that is missing": ("sim.sync.best", {"applies": {"nodes": "8"}}),
    "no conditions": ("sim.sync.best", {"applies": {}}),
    "other bonds": ("sim.sync.best", {"bound_by": ["nodes"]}),
    "a word for a number": ("sim.workers.best", {"after": "many"}),
    "a number for a word": ("sim.sync.best", {"after": 5}),
    "no workers": ("sim.workers.best", {"after": 0}),
    "a word beside": ("sim.workers.best", {"besides": {"sim.workers.best_by_price": "x"}}),
    "a fact of others beside": ("sim.workers.best", {"besides": {"machine.memory_bytes": 5}}),
    "gauges": ("sim.sync.best", {"gauges": {"probe.memory.bytes_per_second": "x"}}),
    "a name without end": ("sim.sync.best", {"rival": "x" * 1000}),
    "a ratio of nothing": ("sim.sync.best", {"low": 0.0}),
    "no ratio": ("sim.sync.best", {"median": None}),
    "infinity": ("sim.sync.best", {"high": math.inf}),
    "no date": ("sim.sync.best", {"date": "yesterday"}),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_outcome_is_refused(plan: Plan, damage: str) -> None:
    fact, changed = DAMAGE[damage]
    (outcome,) = (one for one in everything(plan) if one.fact == fact)
    with pytest.raises(ValueError, match=r"."):
        checked(Outcome.from_json({**outcome.to_json(), **changed}))


def test_the_seeds_of_a_race_are_told_apart_by_their_place() -> None:
    made: list[Result] = [result_of("synchronous", 5.0 + seed, seed) for seed in range(SEEDS)]
    asked: list[Scenario] = race(scenario_of("synchronous"), ["synchronous"])
    assert len(made) == len(asked) == SEEDS
    assert raced(["synchronous"], made).own.reached == SEEDS
