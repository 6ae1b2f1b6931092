"""A measured cluster as facts of a plan: nodes, cards, network and stragglers, with what is slow; and for the doctor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.cluster.profile import CPU, ClusterProfile, Finding, Kind
from advisor.facts.cluster import CARD, CARDS, NETWORK, NODES, STRAGGLERS, note
from advisor.facts.fact_base import FactBase, Known, Source
from advisor.facts.vocabulary import Fact, Value, Vocabulary
from advisor.machine.doctor import finding as doctor

_LONGEST_NAME = 200
"""Of a text that is a fact."""
_TITLES = {
    Kind.SLOW_RANK: "A part of the cluster computes slowly",
    Kind.SLOW_LINK: "A link of the cluster is slow",
    Kind.SLOW_PATH: "Two parts of the cluster exchange slowly",
}
_REMEDIES = {
    Kind.SLOW_RANK: "The others wait for it: look for other programs, heat and slower hardware there, or leave it out.",
    Kind.SLOW_LINK: "All exchanges wait for it: check its cable, port and settings, or leave that part out.",
    Kind.SLOW_PATH: "Check the switches and cables between the two.",
}


def cluster_facts(vocabulary: Vocabulary, profile: ClusterProfile) -> FactBase:
    """The facts that a measured cluster shows, each with when it was measured, and with what is slow.

    Left out is whatever the measurement does not tell, and a value that its fact cannot have.
    """
    values = {
        name: value
        for name, value in vocabulary.declared(_values(profile)).items()
        if _possible(vocabulary.facts[name], value)
    }
    slow = _evidence(values, profile.findings)
    base = FactBase()
    for name, value in values.items():
        base = base.with_known(name, Known(value, Source.MEASURED, note=note(measured_on(profile), slow.get(name, ()))))
    return base


def measured_on(profile: ClusterProfile) -> str:
    """`on 4 nodes on 2026-11-28`"""
    count = len(profile.nodes)
    return f"on {count:,} node{'' if count == 1 else 's'} on {profile.date[:10]}"


def complaints(profile: ClusterProfile) -> Iterator[doctor.Finding]:
    """Everything that is slow in it, as `advisor doctor` tells it."""
    for one in profile.findings:
        name = f"cluster.{one.kind.replace('_', '-')}"
        what = f"{one.says} It was measured {measured_on(profile)}."
        yield doctor.warning(name, _TITLES[one.kind], what, _REMEDIES[one.kind])


def _values(profile: ClusterProfile) -> dict[str, Value]:
    values: dict[str, Value] = {NODES: len(profile.nodes)}
    cards, names = {len(node.ranks) for node in profile.nodes}, {rank.device for rank in profile.ranks}
    if names == {CPU}:
        values[CARDS] = 0
    elif profile.on_cards and len(cards) == 1:
        values[CARDS] = cards.pop()
    if profile.on_cards and len(names) == 1:
        values[CARD] = names.pop()
    network = profile.network()
    if network is not None:
        values[NETWORK] = network
    if len(profile.nodes) > 1 and any(one.kind is Kind.SLOW_RANK for one in profile.findings):
        values[STRAGGLERS] = True
    return values


def _possible(fact: Fact, value: Value) -> bool:
    if isinstance(value, str):
        return len(value) <= _LONGEST_NAME
    return isinstance(value, bool | frozenset) or fact.minimum <= value <= fact.maximum


def _evidence(values: dict[str, Value], findings: Sequence[Finding]) -> dict[str, list[str]]:
    """The words of findings by the fact that they are about; by the number of nodes where that is not known."""
    found: dict[str, list[str]] = {}
    for one in findings:
        about = STRAGGLERS if one.kind is Kind.SLOW_RANK else NETWORK
        found.setdefault(about if about in values else NODES, []).append(one.says)
    return found
