"""Facts and where they came from: an answer outranks everything, a measurement counts where it was taken."""

from __future__ import annotations

from itertools import combinations, permutations

import pytest

from advisor.facts.fact_base import Contradiction, FactBase, Known, Source

STRONGEST_FIRST = [
    Source.ASKED,
    Source.MEASURED,
    Source.SIMULATED,
    Source.INSPECTED,
    Source.DETECTED,
    Source.PUBLISHED,
    Source.DERIVED,
    Source.ASSUMED,
]
PAIRS = list(combinations(STRONGEST_FIRST, 2))
HERE = {"machine": "this one", "network": "64-64-10"}


def test_the_sources_are_those_of_the_contract() -> None:
    assert set(Source) == set(STRONGEST_FIRST)


@pytest.mark.parametrize(("stronger", "weaker"), PAIRS)
def test_the_stronger_source_counts_whichever_came_first(stronger: Source, weaker: Source) -> None:
    said = {stronger: Known(1, stronger), weaker: Known(2, weaker)}
    for order in permutations(said):
        base = FactBase()
        for source in order:
            base = base.with_known("data.examples", said[source])
        assert base.known("data.examples") == said[stronger]


@pytest.mark.parametrize(("stronger", "weaker"), PAIRS)
def test_what_a_source_takes_back_leaves_the_others(stronger: Source, weaker: Source) -> None:
    base = FactBase.of({"x": 1}, stronger).with_values({"x": 2}, weaker)
    assert base.without("x", stronger).known("x") == Known(2, weaker)
    assert base.without("x", weaker).known("x") == Known(1, stronger)
    assert base.without("x").known("x") is None


def test_the_same_source_corrects_itself() -> None:
    base = FactBase.of({"x": 1}, Source.DETECTED).with_values({"x": 2}, Source.DETECTED)
    assert base.known("x") == Known(2, Source.DETECTED)
    assert list(base.contradictions()) == []


def test_a_fact_base_is_never_changed_in_place() -> None:
    base = FactBase.of({"x": 1})
    base.with_values({"x": 2, "y": None}, Source.ASKED)
    base.without("x")
    base.in_scope(HERE)
    assert base == FactBase.of({"x": 1})


def test_who_does_not_know_has_declined_until_there_is_a_value() -> None:
    base = FactBase.of({"x": None})
    assert base.known("x") is None
    assert base.declined == {"x"}
    assert base.with_values({"x": 3}, Source.DETECTED).declined == frozenset()


def test_taking_an_answer_back_to_unknown_removes_it_but_not_what_was_detected() -> None:
    base = FactBase.of({"x": 1}).with_values({"x": 2}, Source.DETECTED).with_values({"x": None}, Source.ASKED)
    assert base.known("x") == Known(2, Source.DETECTED)
    assert base.declined == {"x"}


def test_false_zero_and_nothing_at_all_are_values() -> None:
    base = FactBase.of({"flag": False, "count": 0, "features": frozenset()})
    assert sorted(base.names()) == ["count", "features", "flag"]


BY_EXPERIMENT = pytest.mark.parametrize("source", [Source.MEASURED, Source.SIMULATED])


@BY_EXPERIMENT
def test_what_an_experiment_found_counts_in_its_scope_only(source: Source) -> None:
    measured = Known(2, source, applies=HERE)
    base = FactBase.of({"threads": 4}, Source.DETECTED).with_known("threads", measured)
    assert base.known("threads") == Known(4, Source.DETECTED)
    assert base.in_scope({"machine": "this one"}).known("threads") == Known(4, Source.DETECTED)
    assert base.in_scope({**HERE, "network": "2048-wide"}).known("threads") == Known(4, Source.DETECTED)
    assert base.in_scope({**HERE, "precision": "fp32"}).known("threads") == measured


@BY_EXPERIMENT
def test_what_an_experiment_found_out_of_scope_is_evidence(source: Source) -> None:
    measured = Known(2, source, applies=HERE)
    base = FactBase().with_known("threads", measured)
    assert list(base.evidence()) == [("threads", measured)]
    assert list(base.names()) == []
    assert list(base.in_scope(HERE).evidence()) == []


@BY_EXPERIMENT
def test_an_experiment_without_conditions_counts_everywhere(source: Source) -> None:
    assert FactBase.of({"threads": 2}, source).known("threads") == Known(2, source)


def test_a_measurement_out_of_scope_gives_way_to_a_simulation_in_scope() -> None:
    base = FactBase().with_known("best", Known("a", Source.MEASURED, applies={"nodes": "2"}))
    base = base.with_known("best", Known("b", Source.SIMULATED, applies={"nodes": "64"}))
    assert base.in_scope({"nodes": "2"}).known("best") == Known("a", Source.MEASURED, applies={"nodes": "2"})
    assert base.in_scope({"nodes": "64"}).known("best") == Known("b", Source.SIMULATED, applies={"nodes": "64"})


def test_an_answer_that_contradicts_an_observation_is_reported() -> None:
    base = FactBase.of({"cores": 64}).with_values({"cores": 8}, Source.DETECTED)
    assert list(base.contradictions()) == [
        Contradiction("cores", used=Known(64, Source.ASKED), overruled=Known(8, Source.DETECTED))
    ]


@pytest.mark.parametrize("source", [Source.PUBLISHED, Source.DERIVED, Source.ASSUMED])
def test_overruling_what_nobody_observed_is_no_contradiction(source: Source) -> None:
    base = FactBase.of({"cores": 64}).with_values({"cores": 8}, source)
    assert list(base.contradictions()) == []


def test_agreement_is_no_contradiction() -> None:
    base = FactBase.of({"cores": 8}).with_values({"cores": 8}, Source.DETECTED)
    assert list(base.contradictions()) == []


def test_what_one_source_said() -> None:
    base = FactBase.of({"cores": 64}).with_values({"cores": 8, "gpus": 0}, Source.DETECTED)
    assert base.by_source(Source.DETECTED) == {"cores": 8, "gpus": 0}
    assert base.by_source(Source.ASKED) == {"cores": 64}
