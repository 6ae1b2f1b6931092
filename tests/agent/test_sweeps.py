"""How many workers pay, by the time of a step that they share and by the time to a loss; and the outcomes of that."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from advisor.agent.remembered.profile import checked
from advisor.agent.settling.scope import scope_of, standing
from advisor.agent.simulating import settled, winner
from advisor.agent.sweeps import NEARLY, SEEDS, Sooner, Sweep, alone, sweep, swept, with_sooner
from advisor.distributed.comparing import Interval
from advisor.distributed.task import Task
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Plan
from advisor.knowledge.cache import load_cached
from advisor.probes.outcome import Outcome
from advisor.resources import rules_folder
from advisor.simulation.result import Result
from advisor.simulation.scenario import StepTime, measured

from ..report.strategies_made import result_of, scenario_of
from .test_scope import MACHINE
from .test_settled_by_strategies import planned
from .test_simulating import DATE, comparison, ends


@pytest.fixture(scope="module")
def plan() -> Plan:
    return planned(load_cached(rules_folder(), ()))


def steady(seconds: Mapping[int, float]) -> Sweep:
    """With every seed the same, as where a step's time is constant."""
    return Sweep({workers: [own] * SEEDS for workers, own in seconds.items()})


NOISE = (0.94, 0.97, 1.0, 1.03, 1.06)
"""Of five seeds."""


def noisy(seconds: Mapping[int, float]) -> Sweep:
    """With steps that take now longer, now shorter, independently of the number of workers."""
    turned = {workers: NOISE[place:] + NOISE[:place] for place, workers in enumerate(seconds)}
    return Sweep({workers: [own * factor for factor in turned[workers]] for workers, own in seconds.items()})


def test_the_best_number_is_the_fewest_that_are_as_fast_and_by_price_the_most_that_are_used() -> None:
    found = steady({1: 8.0, 2: 4.1, 4: 2.2, 8: 2.0, 16: 1.98})
    assert found.best == 8, "sixteen save one per cent"
    assert found.perhaps == 8, "and there is no noise in it"
    assert found.best_by_price == 4, "four take 8.8 s of workers' time together, eight 16"


def test_where_sharing_costs_more_than_it_saves_one_worker_is_best() -> None:
    found = steady({1: 1.0, 2: 1.5, 4: 2.0})
    assert (found.best, found.best_by_price) == (1, 1)


def test_a_number_that_is_as_fast_within_the_noise_is_best_perhaps_only() -> None:
    found = noisy({1: 8.0, 2: 4.0, 4: 2.06, 8: 2.0})
    assert found.speed_up(8, 4).low < 1 < found.speed_up(8, 4).high
    assert (found.perhaps, found.best) == (4, 8)
    assert found.speed_up(8, 1).low > 3.5


def test_speed_ups_have_the_interval_of_students_t_over_the_seeds() -> None:
    found = Sweep({1: [4.0, 4.4], 2: [2.0, 2.0]})
    mean, spread = statistics.fmean(map(math.log, (2.0, 2.2))), statistics.stdev(map(math.log, (2.0, 2.2)))
    ratio = found.speed_up(2, 1)
    assert ratio.value == pytest.approx(math.exp(mean))
    assert ratio.high == pytest.approx(math.exp(mean + 12.706 * spread / math.sqrt(2)))


def test_a_sweep_shares_one_batch_among_ever_more_workers_with_each_seed() -> None:
    own = scenario_of("local_sgd", workers=12, batch=8, step_time=StepTime(seconds=0.5), cores=None, seed=3)
    asked = sweep(own)
    assert [one.seed for one in asked[:SEEDS]] == [3, 4, 5, 6, 7]
    assert [one.workers for one in asked[::SEEDS]] == [1, 2, 4, 8, 12]
    assert {str(one.strategy) for one in asked} == {"synchronous"}
    assert [one.workers * one.batch for one in asked[::SEEDS]] == pytest.approx([96] * 5, rel=0.05)
    assert [one.step_time.seconds for one in asked[::SEEDS]] == [6.0, 3.0, 1.5, 0.75, 0.5]


def test_one_worker_has_no_straggler_to_wait_for() -> None:
    asked = sweep(scenario_of("synchronous", workers=4, straggler=3.0))
    assert [one.straggler for one in asked[::SEEDS]] == [1.0, 3.0, 3.0]


def test_measured_steps_get_longer_one_by_one() -> None:
    alone = sweep(scenario_of(workers=4, step_time=measured([[0.1, 0.3]])))[0]
    assert list(alone.step_time.samples[0]) == pytest.approx([0.4, 1.2])


def test_a_sweep_is_read_as_seconds_of_a_step() -> None:
    made = [(1, 40.0), (1, 44.0), (2, 20.0), (2, 22.0)]
    results = [replace(result_of("synchronous", None), workers=n, seconds=s, updates=10) for n, s in made]
    assert swept(results).times == {1: [4.0, 4.4], 2: [2.0, 2.2]}


def of_workers(plan: Plan, found: Sweep) -> Outcome:
    (outcome,) = settled(plan, scope_of(plan, MACHINE), DATE, None, found)
    return outcome


def test_fewer_workers_that_are_as_fast_overturn_the_plan(plan: Plan) -> None:
    outcome = of_workers(plan, steady({1: 8.0, 2: 4.0, 4: 2.0, 8: 2.0}))
    assert (outcome.topic, outcome.fact) == ("parallelism.strategy", "sim.workers.best")
    assert (outcome.before, outcome.after, outcome.verdict) == (8, 4, Verdict.OVERTURNED)
    assert outcome.median == pytest.approx(2.0)
    assert (outcome.unit, outcome.n) == ("work of each worker", SEEDS)
    assert outcome.facts() == {"sim.workers.best": 4, "sim.workers.best_by_price": 4}


def test_workers_that_all_pay_confirm_the_plan(plan: Plan) -> None:
    outcome = of_workers(plan, noisy({1: 8.0, 2: 5.0, 8: 2.0}))
    assert (outcome.before, outcome.after, outcome.rival, outcome.verdict) == (8, 8, 1, Verdict.CONFIRMED)
    assert outcome.median == pytest.approx(4.0, rel=0.01)
    assert outcome.unit == "speed-up"
    assert outcome.low is not None
    assert outcome.high is not None
    assert 3.5 < outcome.low < outcome.high < 4.6, "an interval over the seeds"
    assert outcome.facts() == {"sim.workers.best": 8, "sim.workers.best_by_price": 2}


def one_worker(*seconds: float) -> list[list[Result]]:
    """A set of trainings for each of these: its loss takes so many seconds to fall to a third."""
    return [[result_of("synchronous", own, seed) for seed in range(SEEDS)] for own in seconds]


SLOW_LINK = {1: 1.0, 2: 2.0}
"""Seconds of a step: two workers that share a batch take twice as long as one."""


def asked(
    strategies: Mapping[str, float | Sequence[float]], *own: float, name: str = "local_sgd", seconds: float = 40.0
) -> Sooner:
    """Of two workers on a slow link, beside one that takes so long in whichever way."""
    compared = comparison(strategies)
    found = with_sooner(steady(SLOW_LINK), name, compared, ends(compared, seconds), one_worker(*own))
    assert found.best == 1
    assert found.sooner is not None
    return found.sooner


FAR = 6000.0
"""Seconds in which nothing comes to the loss while it is looked at."""


@pytest.mark.parametrize(
    ("strategies", "own", "ratio"),
    [
        ({"synchronous": 12.0, "local_sgd": 3.0}, (9.0, FAR), 2.0),  # one with the batch of both: 12 * 1 / 2
        ({"synchronous": 12.0, "local_sgd": 3.0}, (4.5, 9.0), 1.5),  # one with smaller steps
        ({"synchronous": 12.0, "local_sgd": 3.0}, (9.0, 4.5), 1.5),  # one with as large ones
        ({"local_sgd": 3.0, "synchronous": 12.0}, (9.0, 9.0), 2.0),  # the plan's own is the soonest
    ],
)
def test_workers_pay_with_a_strategy_that_is_sooner_than_one_alone_however_it_steps(
    strategies: dict[str, float], own: tuple[float, float], ratio: float
) -> None:
    found = asked(strategies, *own)
    assert (found.verdict, found.beside, found.pairs) == (Verdict.CONFIRMED, 1, SEEDS)
    assert found.ratio is not None
    assert found.ratio.value == pytest.approx(ratio, rel=0.02)


@pytest.mark.parametrize("own", [(3.1, 9.0), (9.0, 3.1), (1.0, 1.0)])
def test_workers_do_not_pay_where_one_is_as_soon_in_any_way(own: tuple[float, float]) -> None:
    found = asked({"synchronous": 12.0, "local_sgd": 3.0}, *own)
    assert (found.verdict, found.beside) == (Verdict.OVERTURNED, 1)


def test_what_is_sooner_with_some_seeds_only_is_open() -> None:
    found = asked({"synchronous": 12.0, "local_sgd": (3.0, 6.0, 2.0, 7.0, 3.0)}, 4.0, 9.0)
    assert found.verdict is Verdict.UNDECIDED
    assert found.ratio is not None
    assert found.ratio.low < 1 < NEARLY < found.ratio.high


def test_trainings_that_did_not_come_to_the_loss_leave_it_open() -> None:
    found = asked({"local_sgd": (3.0, 3.0, FAR, 3.0, 3.0), "synchronous": 12.0}, 9.0, 9.0)
    assert (found.verdict, found.ratio) == (Verdict.UNDECIDED, None)


def test_without_time_for_one_worker_it_is_open() -> None:
    assert asked({"synchronous": 12.0, "local_sgd": 3.0}).ratio is None


def test_a_single_seed_leaves_it_open() -> None:
    compared = comparison({"synchronous": [12.0], "local_sgd": [3.0]})
    found = with_sooner(steady(SLOW_LINK), "local_sgd", compared, ends(compared, 40.0), one_worker(9.0, 9.0))
    assert found.sooner is not None
    assert (found.sooner.verdict, found.advised) == (Verdict.UNDECIDED, None)


def test_pairs_are_those_of_the_seeds_for_which_there_was_time(plan: Plan) -> None:
    compared = comparison({"synchronous": [12.0, 12.0], "local_sgd": [3.0, 3.0]})
    found = with_sooner(steady(SLOW_LINK), "local_sgd", compared, ends(compared, 40.0), one_worker(9.0, 9.0))
    assert (of_workers(plan, found).n, of_workers(plan, found).after) == (2, 2)


def test_where_keeping_step_never_came_to_the_loss_its_end_stands_for_it() -> None:
    """One worker with the batch of both would have taken half as long as they went on, or longer."""
    strategies = {"local_sgd": 3.0, "synchronous": FAR}
    assert asked(strategies, 9.0, 9.0).verdict is Verdict.CONFIRMED
    short = asked(strategies, 9.0, 9.0, seconds=4.0)
    assert (short.exact, short.verdict) == (False, Verdict.UNDECIDED)


def test_a_worker_whose_loss_was_no_number_any_more_is_none_that_came_to_it() -> None:
    compared, ways = comparison({"synchronous": 12.0, "local_sgd": 3.0}), one_worker(9.0, 9.0)
    ways[0][2] = replace(ways[0][2], loss=ways[0][2].loss[:2], diverged_at=1.0)
    found = with_sooner(steady(SLOW_LINK), "local_sgd", compared, ends(compared, 40.0), ways)
    assert found.advised == 2


@pytest.mark.parametrize("name", ["synchronous", "local_sgd"])
def test_where_all_workers_pay_by_keeping_step_and_where_nothing_is_sooner_nothing_is_asked(name: str) -> None:
    compared = comparison({"synchronous": 12.0, "local_sgd": 3.0})
    found = steady({1: 8.0, 2: 4.0} if name == "local_sgd" else SLOW_LINK)
    assert with_sooner(found, name, compared, ends(compared, 40.0), one_worker(9.0, 9.0)) == found


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ({"synchronous": 12.0, "local_sgd": 3.0, "powersgd": 2.0}, "local_sgd"),
        ({"synchronous": 12.0, "local_sgd": 30.0, "powersgd": 2.0}, "powersgd"),
        ({"synchronous": 3.0, "local_sgd": 12.0}, "synchronous"),
        ({"local_sgd": 3.0, "synchronous": 12.0}, "local_sgd"),
    ],
)
def test_the_strategy_that_must_pay_is_the_one_that_the_plan_takes(seconds: dict[str, float], expected: str) -> None:
    assert winner(comparison(seconds)) == expected


def test_one_worker_takes_the_examples_of_all_at_its_own_rate_and_as_under_the_strategy_at_theirs() -> None:
    own = scenario_of("diloco:every=20", workers=4, steps=10, batch=8, straggler=2.0, seed=3)
    task = Task("ffn", "tabular", 8, 2, rate=0.1)
    (as_one, small), (as_all, large) = alone(own, task, "diloco:every=20")
    for some, name in ((as_one, "synchronous"), (as_all, "diloco:every=20")):
        assert [one.seed for one in some] == [3, 4, 5, 6, 7]
        assert {(str(one.strategy), one.workers, one.steps, one.batch) for one in some} == {(name, 1, 40, 8)}
        assert {one.straggler for one in some} == {1.0}, "the one that is not slow"
    assert (small.rate, large.rate) == (0.1, 0.4)
    assert str(alone(own, task, "asynchronous")[1][0][0].strategy) == "synchronous", "one has no server to push to"
    adam = alone(own, replace(task, optimizer="adamw"), "local_sgd")
    assert [its.rate for _, its in adam] == [0.1, 0.1], "which does not grow with the workers"


def test_workers_that_pay_with_another_strategy_confirm_the_plan_and_say_with_which(plan: Plan) -> None:
    found = replace(steady({1: 1.0, 8: 2.0}), sooner=Sooner("local_sgd", 1, Interval(1.7, 1.5, 1.9), 4))
    outcome = of_workers(plan, found)
    assert (outcome.before, outcome.after, outcome.rival, outcome.verdict) == (8, 8, 1, Verdict.CONFIRMED)
    assert (outcome.median, outcome.low, outcome.high, outcome.n) == (1.7, 1.5, 1.9, 4)
    assert outcome.unit == "speed to the loss with local_sgd"
    assert outcome.facts()["sim.workers.best"] == 8
    assert checked(outcome) == outcome


def test_workers_that_do_not_pay_with_it_either_are_told_by_its_own_figures(plan: Plan) -> None:
    found = replace(steady({1: 1.0, 8: 20.0}), sooner=Sooner("local_sgd", 1, Interval(0.8, 0.5, 1.0), SEEDS))
    outcome = of_workers(plan, found)
    assert (outcome.after, outcome.rival, outcome.verdict) == (1, 1, Verdict.OVERTURNED)
    assert (outcome.median, outcome.low, outcome.high) == pytest.approx((10.0, 8.0, 16.0)), "of eight workers, for each"
    assert checked(outcome) == outcome


@pytest.mark.parametrize("ratio", [None, Interval(1.2, 0.8, 1.7)])
def test_what_is_open_takes_back_what_was_decided_and_decides_nothing(plan: Plan, ratio: Interval | None) -> None:
    found = replace(steady({1: 1.0, 8: 2.0}), sooner=Sooner("local_sgd", 1, ratio, 0 if ratio is None else SEEDS))
    outcome = of_workers(plan, found)
    assert (outcome.after, outcome.verdict, outcome.n) == (None, Verdict.UNDECIDED, SEEDS)
    assert "sim.workers.best" not in outcome.facts()
    assert checked(outcome) == outcome
    assert standing([of_workers(plan, steady({1: 1.0, 8: 2.0})), outcome]) == [outcome]


def test_fewer_workers_that_are_as_fast_within_the_noise_leave_the_number_open(plan: Plan) -> None:
    outcome = of_workers(plan, noisy({1: 8.0, 2: 4.0, 4: 2.06, 8: 2.0}))
    assert (outcome.verdict, outcome.before, outcome.rival, outcome.after) == (Verdict.UNDECIDED, 8, 4, None)
    assert outcome.facts() == {"sim.workers.best_by_price": 4}
    assert checked(outcome) == outcome


@pytest.mark.parametrize("seconds", [1.0, 1.04])
def test_one_worker_fewer_is_no_other_advice(plan: Plan, seconds: float) -> None:
    found = steady({1: 60.0, 32: 2.0, 64: seconds, 65: 1.0})
    assert found.best == 64
    outcome = of_workers(plan, found)
    assert (outcome.after, outcome.verdict) == (65, Verdict.CONFIRMED)
    assert outcome.median == pytest.approx(60.0)


def test_of_a_single_worker_nothing_is_said(plan: Plan) -> None:
    assert settled(plan, scope_of(plan, MACHINE), DATE, None, steady({1: 8.0})) == []


def test_a_ratio_of_the_work_is_never_below_what_matters(plan: Plan) -> None:
    for most in range(2, 80):
        seconds = {
            count: max(1.0, 16.0 / count) for count in (*(2**power for power in range(7)), most) if count <= most
        }
        outcome = of_workers(plan, steady(seconds))
        assert outcome.median is not None
        assert outcome.verdict is not Verdict.OVERTURNED or outcome.median > NEARLY
