"""What `advisor try` found out, as measurements of a plan: in scope for the same data only, remembered, shown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from advisor.agent.settling.advising import advise_here
from advisor.agent.settling.scope import scope_of
from advisor.agent.trials.outcomes import TOPICS, is_trial, recall_trials, remember_trials, trial_outcomes
from advisor.datasets.dataset import Inspection
from advisor.datasets.given import GivenSplit
from advisor.facts.fact_base import FactBase, Source
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Plan, Status
from advisor.knowledge.loader import load
from advisor.knowledge.model import Knowledge, School
from advisor.networks.registry import families
from advisor.probes.catalogue import PROBES
from advisor.probes.outcome import Outcome
from advisor.report.changes import difference, sentence
from advisor.report.plan.brief import title_of
from advisor.report.plan.json_plan import plan_text, read_plan
from advisor.report.words import as_tried
from advisor.resources import rules_folder
from advisor.session.data import with_inspection
from advisor.starter.blueprint import CLASSICAL
from advisor.survey.judged_claims import judge_claims
from advisor.training.ladder.backbones import ENCODERS, FILES
from advisor.training.ladder.candidates import Planned
from advisor.training.ladder.forecasters import forecasters
from advisor.training.ladder.menu import menu
from advisor.training.ladder.outcome import Bet, DataTried, Metric, TrialResults
from advisor.training.ladder.outcome import Winner as Found

HERE, ELSEWHERE = "0123456789abcdef", "fedcba9876543210"
SCHEMA = Path(__file__).parents[2] / "docs" / "plan.schema.json"
DATE = "2026-11-21T10:00:00+00:00"
DIGITS = {
    "task.kind": "classify", "task.outputs": 10, "data.modality": "image", "data.inputs": 64, "data.examples": 1797,
    "project.pretrained_allowed": False,
}  # fmt: skip


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load(rules_folder())


@pytest.fixture(autouse=True)
def _own_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "state"))


def facts(fingerprint: str = HERE) -> FactBase:
    return FactBase.of({**DIGITS, "data.fingerprint": fingerprint}, Source.INSPECTED)


def bet(topic: str, before: object, rival: object, verdict: str = "overturned", **changed: Any) -> Bet:
    after = {"overturned": rival, "undecided": None}.get(verdict, before)
    network = "" if topic == "network.type" else "ffn"
    fields: dict[str, Any] = {"median": 0.012, "low": 0.004, "high": 0.02, "unit": "accuracy", "n": 15, **changed}
    return Bet(
        topic, **{"network": network, **fields}, before=before, rival=rival, after=after, verdict=Verdict(verdict)
    )


def found(*bets: Bet, fingerprint: str = HERE) -> TrialResults:
    data = DataTried("digits.csv", "digit", fingerprint, "image", "classify", 1797, 360, 1437, "By class.", 5, 0.25)
    return TrialResults(
        Metric("accuracy", "Accuracy", 0.002), data, Found.NETWORK, "A network is best.", None, bets=bets
    )


def tried(*bets: Bet, fingerprint: str = HERE) -> list[Outcome]:
    return trial_outcomes(found(*bets, fingerprint=fingerprint), "a-machine", DATE)


def planned(knowledge: Knowledge, outcomes: Sequence[Outcome], known: FactBase | None = None) -> Plan:
    return advise_here(knowledge, known or facts(), None, outcomes)


TO_FFN = bet("network.type", "cnn", "ffn")


def test_all_settings_that_are_tried_can_be_facts(knowledge: Knowledge) -> None:
    for classes in (True, False):
        for one in menu(Planned(), "text", classes=classes).settings:
            fact = knowledge.vocabulary.facts[f"trial.variant.{one.model}"]
            assert one.variant in fact.choice_names


def test_each_type_of_network_that_is_tried_can_be_told_to_be_the_best(knowledge: Knowledge) -> None:
    tried = {name for name, family in families().items() if family.candidates is not None}
    rule = next(rule for rule in knowledge.rules if rule.id == "network.type.tried")
    declared = set(knowledge.vocabulary.facts["trial.network.best"].choice_names)
    assert declared == tried | set(CLASSICAL), "List what is tried in `trial.network.best` of rules/facts.yaml."
    missing = [name for name in declared if f'"{name}"' not in str(rule.when)]
    assert not missing, f"Add {missing} to `network.type.tried` in rules/measured.yaml."


def test_each_network_whose_features_are_tried_can_be_told(knowledge: Knowledge) -> None:
    assert set(knowledge.vocabulary.facts["trial.backbone"].choice_names) == {*FILES, *ENCODERS}
    for rule, names in (("network.type.tried-backbone", FILES), ("network.type.tried-encoder", ENCODERS)):
        when = next(str(one.when) for one in knowledge.rules if one.id == rule)
        assert all(f'"{name}"' in when for name in names)


def test_a_better_network_overturns_the_plan_and_everything_that_follows_from_it(knowledge: Knowledge) -> None:
    before, after = planned(knowledge, []), planned(knowledge, tried(TO_FFN))
    assert (before.value("network.type"), after.value("network.type")) == ("cnn", "ffn")
    entry = after.recommendations["network.type"]
    assert entry.status is Status.MEASURED
    assert [reason.rule for reason in entry.because] == ["network.type.tried"]
    assert entry.measured is not None
    assert (entry.measured.before, entry.measured.after, entry.measured.verdict) == ("cnn", "ffn", Verdict.OVERTURNED)
    assert entry.measured.judged == {"network.type.image-scratch-cnn": "overturned"}
    assert after.value("network.hidden_units") != before.value("network.hidden_units")


def test_what_is_no_network_takes_the_settings_of_networks_with_it(knowledge: Knowledge) -> None:
    after = planned(
        knowledge, tried(bet("network.type", "cnn", "gradient_boosting"), bet("network.init", "he", "glorot"))
    )
    assert after.value("network.type") == "gradient_boosting"
    assert after.recommendations["network.init"].status is Status.NOT_APPLICABLE


@pytest.mark.parametrize(
    ("topic", "before", "rival"),
    [
        ("network.hidden_units", [64], [128]),
        ("network.hidden_units", [64, 32], [128, 64]),
        ("network.hidden_units", [64, 32, 16], [32, 16, 8]),
        ("network.hidden_units", [64, 32, 16, 8], [32, 16, 8, 4]),
        ("network.init", "he", "small_normal"),
        ("network.activation", "relu", "tanh"),
        ("training.optimizer", "adamw", "sgd_momentum"),
    ],
)
def test_every_setting_that_was_tried_goes_into_the_plan(
    knowledge: Knowledge, topic: str, before: object, rival: object
) -> None:
    after = planned(knowledge, tried(TO_FFN, bet(topic, before, rival)))
    entry = after.recommendations[topic]
    assert (entry.value, entry.status) == (rival, Status.MEASURED)
    assert entry.measured is not None
    assert (entry.measured.before, entry.measured.rival, entry.measured.unit) == (before, rival, "accuracy")
    assert json.loads(json.dumps(after.to_json()))["recommendations"][topic]["measured"]["after"] == rival


def test_what_won_is_taken_over_where_there_was_no_time_for_what_was_planned(
    knowledge: Knowledge, tmp_path: Path
) -> None:
    nothing: dict[str, Any] = {"median": None, "low": None, "high": None, "n": 0}
    untried = bet("network.type", "transformer", "naive_bayes", "undecided", **nothing, how={"variant": "default"})
    (outcome,) = tried(replace(untried, after="naive_bayes"))
    plan = planned(knowledge, [outcome])
    assert plan.value("network.type") == "naive_bayes"
    assert difference(outcome) == "not compared"
    measured = plan.recommendations["network.type"].measured
    assert measured is not None
    assert {measured.to_json()[figure] for figure in ("median", "low", "high")} == {None}
    said = "transformer could not be judged in the time; of what was tried naive_bayes did best."
    assert sentence(outcome) == sentence(measured) == said
    document = json.loads(plan_text(plan))
    assert not list(Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).iter_errors(document))
    (tmp_path / "plan.json").write_text(json.dumps(document))
    assert read_plan(tmp_path / "plan.json", knowledge).recommendations["network.type"].measured == measured


def test_zeros_that_an_earlier_version_wrote_for_what_was_not_compared_are_nothing() -> None:
    untried = bet("network.type", "transformer", "naive_bayes", "undecided", median=0.0, low=0.0, high=0.0, n=0)
    remember_trials(tried(replace(untried, after="naive_bayes")))
    (recalled,), problems = recall_trials(facts())
    assert (recalled.median, recalled.low, recalled.high, recalled.measured, problems) == (None, None, None, True, [])


def test_what_was_confirmed_is_measured_too(knowledge: Knowledge) -> None:
    entry = planned(knowledge, tried(bet("network.type", "cnn", "ffn", "confirmed"))).recommendations["network.type"]
    assert (entry.value, entry.status) == ("cnn", Status.MEASURED)


@pytest.mark.parametrize("verdict", ["no_difference", "undecided"])
def test_what_decides_nothing_leaves_the_plan_and_its_status_as_they_were(knowledge: Knowledge, verdict: str) -> None:
    before = planned(knowledge, []).recommendations["network.type"]
    entry = planned(knowledge, tried(bet("network.type", "cnn", "ffn", verdict))).recommendations["network.type"]
    assert (entry.value, entry.status) == (before.value, before.status)
    assert entry.measured is not None
    assert entry.measured.verdict.value == verdict


def test_a_later_trial_that_decides_nothing_takes_the_place_of_the_earlier(knowledge: Knowledge) -> None:
    again = tried(bet("network.type", "cnn", "ffn", "undecided"))
    entry = planned(knowledge, [*tried(TO_FFN), *again]).recommendations["network.type"]
    assert entry.value == "cnn"
    assert entry.status is not Status.MEASURED
    assert entry.measured is not None
    assert entry.measured.verdict is Verdict.UNDECIDED


def test_trials_on_other_data_are_evidence_only(knowledge: Knowledge) -> None:
    plan = planned(knowledge, tried(TO_FFN, fingerprint=ELSEWHERE))
    assert plan.value("network.type") == "cnn"
    assert [(name, known.applies) for name, known in plan.evidence] == [("trial.network.best", {"data": ELSEWHERE})]


def test_without_data_nothing_that_was_tried_counts(knowledge: Knowledge) -> None:
    plan = planned(knowledge, tried(TO_FFN), FactBase.of(DIGITS, Source.ASKED))
    assert plan.value("network.type") == "cnn"
    assert scope_of(plan, None) == {}


def test_settings_count_for_the_network_they_were_tried_with(knowledge: Knowledge) -> None:
    of_another = bet("network.init", "he", "orthogonal", network="lstm")
    plan = planned(knowledge, tried(TO_FFN, of_another))
    assert plan.value("network.init") != "orthogonal"
    assert [name for name, _ in plan.evidence] == ["trial.init.best"]


def test_nobody_who_has_tried_nothing_is_left_with_an_open_plan(knowledge: Knowledge) -> None:
    plan = planned(knowledge, [])
    depends = {name for entry in plan.recommendations.values() for name in entry.depends_on}
    assert not {name for name in depends if name.startswith("trial.")}
    assert not any(is_trial(probe) for probe in plan.probes)


def test_the_survey_takes_what_was_tried_as_well(knowledge: Knowledge) -> None:
    after = advise_here(knowledge, facts(), None, tried(TO_FFN), School.SURVEY)
    assert after.value("network.type") == "ffn"


def test_no_trial_has_the_name_of_a_probe() -> None:
    assert not {probe.name for probe in PROBES} & {one.probe for one in TOPICS.values()}


@pytest.mark.parametrize(
    "unusable",
    [
        bet("network.depth", "shallow", "deep"),
        bet("network.hidden_units", [5, 4, 3, 2, 1], [10, 8, 6, 4, 2]),
        bet("network.hidden_units", [64], [0]),
        bet("network.init", None, "he"),
    ],
)
def test_bets_on_what_no_fact_can_hold_are_left_out(unusable: Bet) -> None:
    assert tried(unusable) == []


# --- memory -----------------------------------------------------------------------------------------------------------


def test_what_was_tried_is_remembered_for_its_data() -> None:
    outcomes = tried(TO_FFN, bet("network.hidden_units", [64], [128]))
    remember_trials(outcomes)
    remember_trials(tried(TO_FFN, fingerprint=ELSEWHERE))
    recalled, problems = recall_trials(facts())
    assert (sorted(recalled, key=lambda one: one.probe), problems) == (sorted(outcomes, key=lambda one: one.probe), [])
    assert recall_trials(FactBase.of(DIGITS)) == ([], [])


def test_the_newest_few_of_each_kind_are_kept() -> None:
    for hour in range(9):
        remember_trials([replace(one, date=f"2026-11-21T0{hour}:00:00+00:00") for one in tried(TO_FFN)])
    kept, _ = recall_trials(facts())
    assert [one.date[11:13] for one in kept] == ["04", "05", "06", "07", "08"]


def test_the_settings_of_what_won_are_facts_though_it_is_what_the_plan_had(knowledge: Knowledge) -> None:
    won = replace(bet("network.type", "random_forest", "ffn", "undecided"), after="random_forest")
    remember_trials(tried(replace(won, how={"variant": "extra"})))
    (kept,), problems = recall_trials(facts())
    assert not problems
    assert kept.facts() == {"trial.network.best": "random_forest", "trial.variant.random_forest": "extra"}
    assert planned(knowledge, [kept]).value("network.type") == "random_forest"
    (plain,) = tried(won)
    assert plain.facts() == {}


def test_class_weights_of_what_won_reach_the_plan(knowledge: Knowledge) -> None:
    remember_trials(tried(bet("network.type", "cnn", "linear", how={"variant": "default", "weighted": True})))
    (kept,), problems = recall_trials(facts())
    assert not problems
    assert planned(knowledge, [kept]).facts["trial.weighted.linear"].value is True


def test_the_split_that_was_asked_for_reaches_the_plan_whatever_was_decided(knowledge: Knowledge) -> None:
    results = found(bet("network.type", "cnn", "ffn", "undecided"))
    asked = replace(
        results, data=replace(results.data, given=GivenSplit(group="patient", test="/data/later.csv"), seed=3)
    )
    remember_trials(trial_outcomes(asked, "a-machine", DATE))
    (kept,), problems = recall_trials(facts())
    assert not problems
    told = {"trial.split.group": "patient", "trial.split.test": "/data/later.csv", "trial.split.seed": 3}
    assert kept.facts() == told
    assert planned(knowledge, [kept]).facts["trial.split.group"].value == "patient"
    assert "trial.split.group" not in planned(knowledge, [kept], facts(ELSEWHERE)).facts
    remember_trials([replace(one, date="2026-11-22T10:00:00+00:00") for one in tried(TO_FFN)])
    assert "trial.split.group" not in planned(knowledge, recall_trials(facts())[0]).facts


def test_the_options_that_a_trial_was_told_are_proposed_with_the_next_one(knowledge: Knowledge) -> None:
    results = found(bet("network.type", "cnn", "ffn", "undecided"))
    asked = GivenSplit(group="the patient", test="/data/later.csv")
    remember_trials(
        trial_outcomes(replace(results, data=replace(results.data, given=asked, metric_told="mae")), "a-machine", DATE)
    )
    (kept,), problems = recall_trials(facts())
    assert not problems
    options = as_tried(planned(knowledge, [kept]))
    assert options == " --metric mae --test /data/later.csv --group 'the patient'"
    assert as_tried(planned(knowledge, [kept], facts(ELSEWHERE))) == ""


def test_a_plan_looks_as_far_ahead_as_was_tried_on_its_data(knowledge: Knowledge) -> None:
    series: dict[str, Any] = {
        "task.kind": "forecast", "task.outputs": 1, "data.modality": "time_series", "data.inputs": 1, "data.examples": 900,
        "data.sequence_length": 14,
    }  # fmt: skip
    results = found(bet("network.type", "linear", "statistical", unit="mase"))
    for horizon in (1, 7):
        tried_so = replace(results, data=replace(results.data, task="forecast", horizon=horizon))
        date = f"2026-11-{20 + horizon}T10:00:00+00:00"
        remember_trials(trial_outcomes(tried_so, "a-machine", date))
    here, elsewhere = (
        FactBase.of({**series, "data.fingerprint": data}, Source.INSPECTED) for data in (HERE, ELSEWHERE)
    )
    recalled, problems = recall_trials(here)
    assert not problems
    plan = planned(knowledge, recalled, here)
    assert (plan.facts["trial.horizon"].value, plan.facts["task.outputs"].value) == (7, 7), "the later trial's"
    assert not plan.contradictions
    assert title_of(plan).startswith("predict how 900 pieces of series go on for 7 steps")
    assert sentence(plan.recommendations["network.type"].measured).startswith(
        "statistical against linear: 0.012 better in mase"
    )
    assert planned(knowledge, recalled, elsewhere).facts["task.outputs"].value == 1
    stated = with_inspection(
        knowledge,
        FactBase.of({"task.outputs": 14}, Source.ASKED),
        Inspection("s.csv", "CSV", "time_series", 900, series, HERE),
    )
    for_longer = planned(knowledge, recalled, stated)
    assert (for_longer.facts["task.outputs"].value, for_longer.contradictions) == (14, ())
    said = "It was tried on forecasts of 7 steps at a time, and this plan is for 14 (task.outputs)."
    assert said in for_longer.recommendations["network.type"].notes


def test_boosting_of_differences_is_told_apart_from_boosting_of_values() -> None:
    (lagged,) = (one for one in forecasters() if one.lagged)
    assert lagged.settings_json == {"lagged": True}
    remember_trials(tried(bet("network.type", "lstm", lagged.model, how=lagged.settings_json)))
    (kept,), problems = recall_trials(facts())
    assert not problems
    assert kept.facts()["trial.lagged"] is True


def test_a_linear_model_on_features_of_a_network_is_told_apart_from_one_on_pixels(knowledge: Knowledge) -> None:
    (tried_on,) = (one for one in menu(Planned("cnn", backbone="resnet18"), "image").openers if one.backbone)
    remember_trials(tried(bet("network.type", "cnn", "linear", how={"variant": "default", **tried_on.settings_json})))
    plan = planned(knowledge, recall_trials(facts())[0])
    assert (plan.value("network.type"), plan.facts["trial.backbone"].value) == ("linear", "resnet18")
    entry = plan.recommendations["network.type"]
    assert (entry.status, [reason.rule for reason in entry.because]) == (
        Status.MEASURED,
        ["network.type.tried-backbone"],
    )
    on_pixels = found(bet("network.type", "cnn", "linear", how={"variant": "default"}))
    remember_trials(trial_outcomes(on_pixels, "a-machine", "2026-11-22T10:00:00+00:00"))
    later = planned(knowledge, recall_trials(facts())[0])
    assert (later.value("network.type"), later.facts.get("trial.backbone")) == ("linear", None)


def test_several_together_are_facts_with_their_shares_and_settings() -> None:
    members = [
        {"model": "linear", "variant": "", "weighted": True, "share": 0.25},
        {"model": "knn", "variant": "weighted", "weighted": False, "share": 0.75},
    ]
    (outcome,) = tried(bet("network.type", "ffn", "ensemble", how={"members": members}))
    assert outcome.facts() == {
        "trial.network.best": "ensemble",
        "trial.ensemble.first": "linear",
        "trial.ensemble.first_share": 0.25,
        "trial.ensemble.first_variant": "default",
        "trial.ensemble.first_weighted": True,
        "trial.ensemble.second": "knn",
        "trial.ensemble.second_share": 0.75,
        "trial.ensemble.second_variant": "weighted",
    }


@pytest.mark.parametrize(
    "change",
    [
        {"probe": "threads"},
        {"fact": "probe.threads.best"},
        {"median": None},
        {"low": "0.1"},
        {"also": {"trial.hidden_units.first": 7}},
        {"besides": {"data.examples": "7"}},
        {"besides": {"trial.horizon": 0}},
        {"besides": {"trial.split.seed": "three"}},
        {"before": [64]},
        {"applies": {}},
        {"bound_by": []},
        {"verdict": "better"},
        {"n": "15"},
    ],
)
def test_a_damaged_trial_costs_itself_and_is_said(change: dict[str, Any]) -> None:
    path = remember_trials([*tried(TO_FFN), *tried(bet("network.init", "he", "glorot"))])
    document = json.loads(path.read_text())
    document["outcomes"][0] |= change
    path.write_text(json.dumps(document))
    kept, problems = recall_trials(facts())
    assert len(kept) == 1
    assert "is damaged" in str(problems[0])
    remember_trials(kept)
    assert path.with_name("trials.json.corrupt").exists()


def test_a_file_of_something_else_is_left_alone() -> None:
    path = remember_trials(tried(TO_FFN))
    path.write_text('{"schema": "another/1"}')
    kept, problems = recall_trials(facts())
    assert kept == []
    assert "holds no trials" in str(problems[0])
    assert path.read_text() == '{"schema": "another/1"}'


# --- the survey on trial ----------------------------------------------------------------------------------------------


def judged(knowledge: Knowledge, claim: str, *bets: Bet) -> tuple[Verdict | None, str]:
    outcomes = tried(TO_FFN, *bets)
    found = judge_claims(knowledge, planned(knowledge, outcomes), outcomes)
    (judgement,) = (one for one in found if one.claim.id == claim)
    return judgement.verdict, judgement.why


@pytest.mark.parametrize(
    ("before", "rival", "verdict", "becomes"),
    [
        ("he", "small_normal", "overturned", Verdict.CONFIRMED),
        ("he", "small_normal", "confirmed", Verdict.OVERTURNED),
        ("small_normal", "he", "confirmed", Verdict.CONFIRMED),
        ("small_normal", "he", "no_difference", Verdict.NO_DIFFERENCE),
        ("small_normal", "he", "undecided", Verdict.UNDECIDED),
    ],
)
def test_the_claim_of_small_initial_weights_is_judged_by_their_trial(
    knowledge: Knowledge, before: str, rival: str, verdict: str, becomes: Verdict | None
) -> None:
    found, _ = judged(knowledge, "training.initial-weights", bet("network.init", before, rival, verdict))
    assert found is becomes


def test_a_claim_that_was_not_tried_says_how_to(knowledge: Knowledge) -> None:
    verdict, why = judged(knowledge, "training.initial-weights")
    assert verdict is None
    assert "advisor try --data PATH" in why


@pytest.mark.parametrize(
    ("before", "rival", "verdict", "becomes"),
    [
        ([64], [32], "confirmed", Verdict.CONFIRMED),
        ([64], [32], "overturned", Verdict.OVERTURNED),
        ([32], [64], "overturned", Verdict.CONFIRMED),
        ([63], [128], "confirmed", Verdict.OVERTURNED),
        ([64], [128], "overturned", None),
        ([16], [32], "overturned", None),
    ],
)
def test_as_many_hidden_units_as_inputs_are_judged_where_such_a_network_met_a_narrower_one(
    knowledge: Knowledge, before: list[int], rival: list[int], verdict: str, becomes: Verdict | None
) -> None:
    found, _ = judged(knowledge, "training.hidden-units", bet("network.hidden_units", before, rival, verdict))
    assert found is becomes
