"""The order of trials, against a made-up world in which every candidate has a true score."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.training.ladder.candidates import SCIKIT_LEARN_LIKE, Candidate, Planned
from advisor.training.ladder.comparing import Scores, survivors
from advisor.training.ladder.ladder import Clock, Ladder
from advisor.training.ladder.menu import NARROWER, menu
from advisor.training.ladder.trial_record import Kind, Stage, Status, Trial
from tests.properties import examples

PLANNED = Planned(network="ffn", hidden_units=(64, 64), init="he", activation="relu", optimizer="adamw")
MENU = menu(PLANNED, "tabular")
FOLDS, RUNGS = 3, 6


@dataclass
class World:
    """Scores by name (0.5 for others), the seconds that a trial takes, and which fail."""

    scores: Mapping[str, float] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    fails: Sequence[str] = ()
    slow: Sequence[str] = ()
    noise: float = 0.0
    losses: Mapping[str, float] = field(default_factory=dict)
    """How far probabilities are off, by name; unknown of all where it is empty."""
    ladder: Ladder = field(default_factory=lambda: Ladder(MENU, RUNGS, 0.25))

    def trial(self, candidate: Candidate, rung: int) -> Trial:
        draw = random.Random(f"{candidate.name} {rung}")
        true = self.scores.get(candidate.name, 0.5 if candidate.kind is not Kind.TRIVIAL else 0.1)
        scores = tuple(draw.gauss(true, self.noise) for _ in range(FOLDS))
        failed = candidate.name in (*self.fails, *self.slow)
        return Trial(
            candidate.name,
            candidate.kind,
            candidate.stage,
            rung,
            candidate.settings_json,
            () if failed else scores,
            self.seconds.get(candidate.name, 1.0),
            status=Status.SLOW if candidate.name in self.slow else Status.FAILED if failed else Status.DONE,
            losses=(self.losses.get(candidate.name, 1.0),) * FOLDS if self.losses and not failed else (),
        )

    def run(self, budget: float, known: Sequence[Trial] = (), stop_after: int | None = None) -> list[Trial]:
        """Trials until the ladder is done or has no time left; `known` are those of an earlier run."""
        trials = list(known)
        left = budget - sum(trial.seconds for trial in known)
        while stop_after is None or len(trials) < stop_after:
            step = self.ladder.next(trials, Clock(budget, left), lambda candidate: 0.0)
            if step is None:
                break
            trials.append(self.trial(step.candidate, step.rung))
            left -= trials[-1].seconds
        return trials


def names(trials: Sequence[Trial]) -> list[str]:
    return [trial.name for trial in trials]


def test_everything_on_the_menu_is_tried_once_before_anything_twice_and_the_plans_network_before_others() -> None:
    own, simple = "ffn 64-64 as planned", [c.name for c in MENU.openers if c.kind is not Kind.NETWORK]
    others = [c.name for c in MENU.openers if c.kind is Kind.NETWORK and c.name != own and not c.instead_of]
    begun = names(World().run(200))
    assert begun[: len(simple) + 1] == [*simple, own]
    last = begun.index(others[-1])
    settings = {candidate.name for candidate in MENU.settings}
    assert settings & set(begun[len(simple) + 1 : last]), "other settings of the best cost less than other networks"
    assert len(set(begun[: last + 1])) == last + 1
    assert begun[last + 1 - len(others) : last + 1] == others


def test_a_network_that_is_too_slow_gives_its_place_to_a_narrower_one_and_that_to_the_next() -> None:
    own, half, quarter = "ffn 64-64 as planned", *(f"ffn{words}" for words in NARROWER)
    assert half not in names(World().run(2000))
    one = names(World(slow=[own]).run(2000))
    assert half in one and quarter not in one  # noqa: PT018
    assert one.count(own) == 1
    assert quarter in names(World(slow=[own, half]).run(2000))


def test_a_network_is_tried_before_other_settings_of_what_is_simple_though_the_plan_bets_on_none() -> None:
    made = menu(replace(PLANNED, network="gradient_boosting"), "tabular")
    begun = names(World(ladder=Ladder(made, RUNGS, 0.25)).run(30))
    settings = {candidate.name for candidate in made.settings}
    assert begun.index("ffn 100 plain") < min(begun.index(name) for name in settings if name in begun)


def test_only_the_models_that_look_best_are_tried_with_other_settings() -> None:
    world = World({"linear": 0.9, "nearest neighbours": 0.85, "support vectors": 0.8, "random forest": 0.1})
    tried = {name for name in names(world.run(2000)) if name in {one.name for one in MENU.settings}}
    assert {name.partition(",")[0] for name in tried} == {"linear", "nearest neighbours", "support vectors"}


def first(many: int, bet: str) -> list[str]:
    """What is begun where gradient boosting will take a third of the time."""
    ladder = Ladder(menu(replace(PLANNED, network=bet), "tabular"), RUNGS, 0.25)
    trials: list[Trial] = []
    while len(trials) < many:
        step = ladder.next(trials, Clock(60, 60), lambda c: 20.0 if c.name == "gradient boosting" else 0.1)
        assert step is not None
        trials.append(World().trial(step.candidate, step.rung))
    return names(trials)


def test_a_slow_baseline_waits_for_networks_and_a_second_look_at_the_best_unless_the_plan_bets_on_it() -> None:
    begun = first(40, "ffn")
    before = begun[: begun.index("gradient boosting")]
    assert {c.name for c in MENU.openers if c.kind is Kind.NETWORK and not c.instead_of} <= set(before)
    assert len(before) > len(set(before)), "some were tried twice"
    assert "gradient boosting" in first(6, "gradient_boosting")


def test_the_better_get_more_folds() -> None:
    trials = World({"random forest": 0.9, "linear": 0.3}).run(500)
    rungs = {name: names(trials).count(name) for name in names(trials)}
    assert rungs["random forest"] == RUNGS
    assert rungs["linear"] == 1
    assert rungs["trivial"] == 1


def test_the_best_network_and_the_best_baseline_are_both_followed() -> None:
    scores = {"random forest": 0.95, "gradient boosting": 0.9, "linear": 0.9, "ffn 100 plain": 0.4, "ffn 64": 0.3}
    trials = World({**scores, "ffn 64-64 as planned": 0.2}).run(500)
    assert names(trials).count("ffn 100 plain") == RUNGS


def test_who_is_level_and_tells_the_classes_apart_best_is_followed_to_the_end() -> None:
    scores = {candidate.name: 0.8 for candidate in MENU.openers} | {"linear": 0.78}
    world = World(scores, noise=0.04, losses={"linear": 0.2})
    assert names(world.run(2000)).count("linear") == RUNGS
    chosen = world.ladder.leader(world.run(2000))
    assert chosen is not None
    assert chosen.name == "linear"


def test_what_fell_behind_by_noise_gets_more_folds_where_time_is_left() -> None:
    scores = {one.name: 0.8 for one in MENU.openers if not one.instead_of} | {"gradient boosting": 0.5}
    world = World(scores, noise=0.04)
    short, long = names(world.run(60)), names(world.run(5000))
    assert min(short.count(name) for name in scores if name != "trivial") < RUNGS
    assert {long.count(name) for name in scores if name not in ("trivial", "gradient boosting")} == {RUNGS}
    assert long.count("gradient boosting") < RUNGS, "it is shown to be worse"


def test_one_fold_is_enough_for_who_is_better_on_it_than_the_others_on_any() -> None:
    def judged(name: str, *scores: float) -> Trial:
        return Trial(name, Kind.NETWORK, Stage.NETWORKS, 0, {}, scores, status=Status.DONE)

    others = [judged("linear", 0.12, 0.14), judged("knn", 0.13, 0.11)]
    known = ["linear", "knn", "cnn"]
    assert survivors(Scores([*others, judged("cnn", 0.42)], 0.25), known) == known
    assert survivors(Scores([*others, judged("cnn", 0.139)], 0.25), known) == ["linear", "knn"], "that may be chance"


def test_who_is_ahead_on_the_same_folds_is_not_lost_for_want_of_time_for_more_of_them() -> None:
    def judged(name: str, *scores: float, rung: int = 0) -> Trial:
        return Trial(name, Kind.BASELINE, Stage.BASELINES, rung, {}, scores)

    others = [judged(name, 0.5 + more, 0.6 + more, rung=rung) for name, more in (("linear", 0), ("random forest", 0.1))
              for rung in range(2)]  # fmt: skip
    known = ["linear", "random forest", "gradient boosting"]
    ahead = Scores([*others, judged("gradient boosting", 0.66, 0.75)], 0.25)
    assert survivors(ahead, known) == known
    by_chance = Scores([*others, judged("gradient boosting", 0.65, 0.59)], 0.25)
    assert survivors(by_chance, known) == ["linear", "random forest"]
    behind = Scores([*others, judged("gradient boosting", 0.55, 0.65)], 0.25)
    assert survivors(behind, known) == ["linear", "random forest"]
    elsewhere = Scores([*others, judged("gradient boosting", 0.66, 0.68, rung=7)], 0.25)
    assert survivors(elsewhere, known) == ["linear", "random forest"], "there are no pairs with the others"


def test_variations_are_made_of_the_best_network() -> None:
    trials = World({"ffn 64": 0.8}).run(500)
    varied = [trial for trial in trials if trial.stage is Stage.VARIATIONS]
    assert varied
    assert all(trial.name.startswith("ffn 64, ") for trial in varied)


def test_the_winners_of_two_factors_are_joined() -> None:
    scores = {"ffn 64": 0.8, "ffn 64, tanh": 0.9, "ffn 64, twice as wide": 0.9}
    trials = World(scores).run(2000)
    joined = {name for name in names(trials) if "tanh" in name and "twice as wide" in name}
    assert joined == {"ffn 64, twice as wide and tanh"}


def test_what_failed_is_not_tried_again() -> None:
    trials = World({"gradient boosting": 0.99}, fails=["gradient boosting"]).run(500)
    assert names(trials).count("gradient boosting") == 1


def test_what_takes_too_long_is_left_out_and_said() -> None:
    ladder = Ladder(MENU, RUNGS, 0.25)
    trials: list[Trial] = []
    world = World()
    while True:
        step = ladder.next(trials, Clock(60, 60), lambda c: 100.0 if c.name == "gradient boosting" else 0.1)
        if step is None:
            break
        trials.append(world.trial(step.candidate, step.rung))
    assert "gradient boosting" not in names(trials)
    assert ladder.not_tried(trials) == ("gradient boosting",)


def test_what_was_varied_stays_the_base_though_a_better_network_comes_later() -> None:
    """In a run that goes on, something may fit into the time that did not before."""
    world = World({"ffn 64": 0.8, "ffn 100 plain": 0.9})
    late = Candidate("ffn 100 plain", Kind.NETWORK, Stage.NETWORKS, "ffn", SCIKIT_LEARN_LIKE)
    before = [trial for trial in world.run(500) if not trial.name.startswith(late.name)]
    base = world.ladder.base(before)
    assert base is not None
    assert base.name == "ffn 64"
    varied = world.trial(world.ladder.variations(before)[0], 0)
    trials = [*before, varied, world.trial(late, 0)]
    assert world.ladder.base(trials) == base
    assert varied.name in world.ladder.candidates(trials), "so no trial is lost"
    again = world.run(1000, known=trials)
    assert {trial.name.partition(", ")[0] for trial in again if trial.stage is Stage.VARIATIONS} == {"ffn 64"}


def test_without_time_there_is_no_step() -> None:
    assert World().run(0) == []


def test_losses_are_made_small() -> None:
    ladder = Ladder(MENU, RUNGS, 0.25, greater_is_better=False)
    trials = World({"linear": 0.1, "random forest": 0.9}, ladder=ladder).run(200)
    leader = ladder.leader(trials)
    assert leader is not None
    assert leader.name == "linear"


@examples(20)
@given(st.integers(1, 120), st.floats(5, 300), st.randoms(use_true_random=False))
def test_a_stopped_run_goes_on_as_if_it_had_not_been_stopped(stop: int, budget: float, draw: random.Random) -> None:
    world = World({candidate.name: draw.random() for candidate in MENU.openers}, noise=0.05)
    whole = world.run(budget)
    first = world.run(budget, stop_after=stop)
    assert first == whole[:stop]
    assert world.run(budget, known=first) == whole


@given(st.floats(1, 100), st.dictionaries(st.sampled_from([c.name for c in MENU.openers]), st.floats(0.01, 50)))
def test_no_trial_that_is_known_to_take_longer_than_is_left_is_begun(budget: float, seconds: dict[str, float]) -> None:
    ladder = Ladder(MENU, RUNGS, 0.25)
    world = World(seconds=seconds, ladder=ladder)
    trials: list[Trial] = []
    left = budget
    while (step := ladder.next(trials, Clock(budget, left), lambda c: seconds.get(c.name, 1.0))) is not None:
        trials.append(world.trial(step.candidate, step.rung))
        left -= trials[-1].seconds
        assert left >= -1e-9
    assert len({trial.key for trial in trials}) == len(trials), "no candidate is tried twice on the same folds"


@pytest.mark.parametrize(("seconds", "waits"), [(0.5, False), (3.0, True)])
def test_class_weights_wait_for_other_settings_unless_they_cost_next_to_nothing(seconds: float, waits: bool) -> None:
    ladder, trials = Ladder(menu(PLANNED, "tabular", uneven=True), RUNGS, 0.25), []
    weighted, other = "gradient boosting with class weights", "gradient boosting, shallow"
    while not {weighted, other} <= {trial.name for trial in trials}:
        step = ladder.next(trials, Clock(100, 100), lambda c: seconds if c.model == "gradient_boosting" else 0.1)
        assert step is not None
        trials.append(World({"gradient boosting": 0.9}).trial(step.candidate, step.rung))
    begun = names(trials)
    assert (begun.index(weighted) > begun.index(other)) == waits
