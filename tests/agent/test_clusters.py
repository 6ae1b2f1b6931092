"""A measured cluster as facts: what is taken from it, what is left out, and how what is slow is told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.agent.clusters import cluster_facts, complaints, measured_on
from advisor.cluster.profile import ClusterProfile, Finding, Group, Kind, Node, Rank, Timed, parsed
from advisor.facts.cluster import CARD, CARDS, NETWORK, NODES, STRAGGLERS, slow_parts
from advisor.facts.fact_base import Known, Source
from advisor.facts.vocabulary import Value
from advisor.knowledge.cache import knowledge_for
from advisor.machine.doctor.finding import Severity
from tests.cluster.made import all_reduce, profile

WHERE = "on 2 nodes on 2030-01-02"
SLOW_RANK = Finding(Kind.SLOW_RANK, (3,), 1.4, "Rank 3 (node b) takes 1.40 times as long.")
SLOW_LINK = Finding(Kind.SLOW_LINK, (2, 3), 2.0, "The link of node b takes 2.00 times as long.")


def facts(made: ClusterProfile) -> dict[str, Known]:
    base = cluster_facts(knowledge_for(()).vocabulary, made)
    return {name: known for name in base.names() if (known := base.known(name)) is not None}


def values(made: ClusterProfile) -> dict[str, Value]:
    return {name: known.value for name, known in facts(made).items()}


def on_cards(*nodes: int, device: str = "NVIDIA H200") -> ClusterProfile:
    """Nodes of so many ranks, each on a card."""
    starts = [sum(nodes[:number]) for number in range(len(nodes))]
    made = [Node(f"n{one}", tuple(range(start, start + nodes[one]))) for one, start in enumerate(starts)]
    ranks = [Rank(rank, node.name, device, Timed((0.1,)), 1.0) for node in made for rank in node.ranks]
    return replace(profile(), backend="nccl", nodes=tuple(made), ranks=tuple(ranks))


def test_nodes_network_and_that_there_is_no_card_are_measured() -> None:
    found = facts(profile())
    assert {name: known.value for name, known in found.items()} == {NODES: 2, CARDS: 0, NETWORK: 1e7}
    assert {(known.source, known.note) for known in found.values()} == {(Source.MEASURED, WHERE)}


def test_cards_are_those_of_every_node() -> None:
    assert values(on_cards(4, 4)) == {NODES: 2, CARDS: 4, CARD: "NVIDIA H200", NETWORK: 1e7}
    assert CARDS not in values(on_cards(4, 2))
    mixed = on_cards(1, 1)
    mixed = replace(mixed, ranks=(mixed.ranks[0], replace(mixed.ranks[1], device="NVIDIA A100")))
    assert CARD not in values(mixed)


def test_of_one_node_there_is_no_network() -> None:
    alone = replace(on_cards(2), collectives=(all_reduce(Group.INSIDE, 2, 1e-4, 1e9),), findings=(SLOW_RANK,))
    found = facts(alone)
    assert set(found) == {NODES, CARDS, CARD}
    assert SLOW_RANK.says in found[NODES].note


@pytest.mark.parametrize("rate", [None, 1.0, 1e300])
def test_a_rate_that_no_network_has_is_left_out(rate: float | None) -> None:
    assert NETWORK not in values(replace(profile(), collectives=(all_reduce(Group.ACROSS, 2, 1e-3, rate),)))


def test_a_slow_rank_makes_stragglers_and_every_finding_stands_with_its_fact() -> None:
    found = facts(replace(profile(), findings=(SLOW_LINK, SLOW_RANK)))
    assert found[STRAGGLERS].value is True
    assert found[STRAGGLERS].note == f"{WHERE}. Slow: {SLOW_RANK.says}"
    assert found[NETWORK].note == f"{WHERE}. Slow: {SLOW_LINK.says}"
    assert list(slow_parts(found)) == [f"Slow, as measured {WHERE}: {SLOW_RANK.says} {SLOW_LINK.says}"]


def test_where_nothing_is_slow_nothing_is_told() -> None:
    found = facts(profile())
    assert STRAGGLERS not in found
    assert list(slow_parts(found)) == []
    assert list(complaints(profile())) == []


def test_of_many_slow_ranks_the_first_three_are_told() -> None:
    many = [replace(SLOW_RANK, says=f"Rank {rank} is slow.") for rank in range(5)]
    (told,) = slow_parts(facts(replace(profile(), findings=tuple(many))))
    assert told.endswith("Rank 0 is slow. Rank 1 is slow. Rank 2 is slow. And 2 more.")


def test_the_doctor_warns_of_each_with_the_evidence_and_a_remedy() -> None:
    found = list(complaints(replace(profile(), findings=(SLOW_RANK, SLOW_LINK))))
    assert [one.name for one in found] == ["cluster.slow-rank", "cluster.slow-link"]
    assert all(one.severity is Severity.WARNING and one.remedy for one in found)
    assert found[0].what == f"{SLOW_RANK.says} It was measured {WHERE}."


def test_one_node_is_one() -> None:
    assert measured_on(on_cards(2)) == "on 1 node on 2030-01-02"


@given(
    nodes=st.lists(st.integers(1, 3), min_size=1, max_size=4),
    device=st.sampled_from(["cpu", "NVIDIA H200", "x" * 300]),
    rate=st.none() | st.floats(min_value=1e-3, max_value=1e300),
    slow=st.lists(st.sampled_from([SLOW_RANK, SLOW_LINK]), max_size=5),
)
def test_what_is_written_and_read_has_the_same_facts(
    nodes: list[int], device: str, rate: float | None, slow: list[Finding]
) -> None:
    vocabulary = knowledge_for(()).vocabulary
    exchange = all_reduce(Group.ACROSS, max(2, len(nodes)), 1e-3, rate)
    made = replace(on_cards(*nodes, device=device), collectives=(exchange,), findings=tuple(slow))
    again = parsed(json.dumps(made.to_json()).encode(), Path("cluster.json"))
    assert again == made
    assert cluster_facts(vocabulary, again) == cluster_facts(vocabulary, made)
    declared = vocabulary.facts
    for name, value in values(again).items():
        assert isinstance(value, bool | str) or declared[name].minimum <= value <= declared[name].maximum  # type: ignore[operator]
