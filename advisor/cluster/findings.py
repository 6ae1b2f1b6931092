"""Slow ranks and links, named only where the same is seen again and again. No torch here.

A rank is compared with the median of the others in each round, so that what disturbs all of them disturbs nothing. It is slow
if that holds in three quarters of the rounds of every look; looks lie apart, so that a program that came by is not taken for it.

Of a pair of ranks the best of several exchanges counts: what else goes on only ever makes one slower. A link is slow if even
with its best partner it is; a path between two if it is slow and neither of their links.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from advisor.cluster.profile import Finding, Group, Kind, Node, Pair

SLOW_RANK = 1.2
"""Times as long as the others, from which a rank is slow: more than turbo clocks and placement in memory make."""
SLOW_LINK = 1.4
"""Times as long for the same bytes."""
SLOW_ANSWER = 2.0
"""Times as long for a message without content, and this much longer in any case:"""
MATTERS = 0.5e-3
FEWEST = 3
"""Links, to tell which of them is slow; and each with two partners, to tell it from theirs."""
_MOST_PATHS = 5


@dataclass(frozen=True, slots=True)
class Looks:
    """Seconds of the same matrix products in several rounds, all ranks at once: look, round, rank."""

    seconds: Sequence[Sequence[Sequence[float]]]

    def times_as_long(self) -> list[list[list[float]]]:
        """Of each rank, look by look, how many times as long as the median of the others each round took."""
        return [[[_to_others(round_, rank) for round_ in look] for look in self.seconds] for rank in range(self._ranks)]

    def medians(self) -> list[float]:
        """Of all rounds, by rank."""
        return [statistics.median(ratio for look in looks for ratio in look) for looks in self.times_as_long()]

    @property
    def _ranks(self) -> int:
        return len(self.seconds[0][0])


def slow_ranks(looks: Looks, nodes: Sequence[Node]) -> list[Finding]:
    """Whole nodes where all of several ranks are slow, otherwise ranks."""
    medians = looks.medians()
    slow = {rank for rank, ratios in enumerate(looks.times_as_long()) if all(map(_is_slow, ratios))}
    rounds = sum(map(len, looks.seconds))
    found = []
    for node in nodes:
        there = [rank for rank in node.ranks if rank in slow]
        whole = len(there) == len(node.ranks) > 1
        for ranks in [there] if whole else [[rank] for rank in there]:
            ratio = statistics.median(medians[rank] for rank in ranks)
            who = f"All {len(ranks)} ranks of node {node.name} take" if whole else _rank_of(ranks[0], node) + " takes"
            says = (
                f"{who} {ratio:.2f} times as long in matrix products as the median of the others "
                f"(in {rounds} rounds, {len(looks.seconds)} looks apart from each other)."
            )
            found.append(Finding(Kind.SLOW_RANK, tuple(ranks), ratio, says))
    return found


def slow_links(sweeps: Sequence[Sequence[Pair]], nodes: Sequence[Node]) -> list[Finding]:
    """Links of nodes by the pairs across, links of ranks by the pairs inside, and paths between two.

    What the best of all sweeps shows is said if each of them shows it by itself.
    """
    found = []
    for group, ends in ((Group.ACROSS, _Nodes(nodes)), (Group.INSIDE, _Ranks(nodes))):
        each = [[pair for pair in sweep if pair.group is group] for sweep in sweeps]
        seen = [{_what(finding) for finding in _slow_among(sweep, ends)} for sweep in each]
        best = _slow_among(best_of(each), ends)
        found += [finding for finding in best if all(_what(finding) in there for there in seen)]
    return found


def best_of(sweeps: Sequence[Sequence[Pair]]) -> list[Pair]:
    """Of every pair the fastest that was seen in any sweep."""
    best: dict[tuple[int, int], Pair] = {}
    for pair in (pair for sweep in sweeps for pair in sweep):
        before = best.get((pair.first, pair.second))
        best[pair.first, pair.second] = pair if before is None else Pair(
            pair.first, pair.second, pair.group, min(before.latency, pair.latency),
            max(before.there, pair.there), max(before.back, pair.back), before.n + pair.n,
        )  # fmt: skip
    return [best[key] for key in sorted(best)]


def _what(finding: Finding) -> tuple[Kind, tuple[int, ...]]:
    return finding.kind, finding.ranks


class _Nodes:
    """Ends of links are nodes."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._of = {rank: number for number, node in enumerate(nodes) for rank in node.ranks}

    def end(self, rank: int) -> int:
        return self._of[rank]

    def ranks(self, end: int) -> tuple[int, ...]:
        return self._nodes[end].ranks

    def name(self, end: int) -> str:
        return f"node {self._nodes[end].name}"


class _Ranks:
    """Ends of links are ranks."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._of = {rank: node for node in nodes for rank in node.ranks}

    def end(self, rank: int) -> int:
        return rank

    def ranks(self, end: int) -> tuple[int, ...]:
        return (end,)

    def name(self, end: int) -> str:
        return f"rank {end} inside node {self._of[end].name}"


Costs = Mapping[tuple[int, int], float]
"""Of a message from one end to another."""


def _slow_among(pairs: Sequence[Pair], ends: _Nodes | _Ranks) -> list[Finding]:
    bytes_: dict[tuple[int, int], float] = {}
    answers: dict[tuple[int, int], float] = {}
    for pair in pairs:
        a, b = ends.end(pair.first), ends.end(pair.second)
        _keep_least(bytes_, (a, b), 1 / pair.there)
        _keep_least(bytes_, (b, a), 1 / pair.back)
        for way in ((a, b), (b, a)):
            _keep_least(answers, way, pair.latency)
    sends, receives = _slow_ends(bytes_, 0, _slow_bytes), _slow_ends(bytes_, 1, _slow_bytes)
    found = []
    for end in sorted(sends.keys() | receives.keys()):
        ratio = max(sends.get(end, 0.0), receives.get(end, 0.0))
        does = "carries" if end in sends and end in receives else "sends" if end in sends else "receives"
        others = len({way[1] for way in bytes_ if way[0] == end})
        says = (
            f"The link of {ends.name(end)} {does} the same bytes in {ratio:.2f} times the time that the median link takes, "
            f"with the best of {others} partners and of all repetitions."
        )
        found.append(Finding(Kind.SLOW_LINK, ends.ranks(end), ratio, says))
    for end, ratio in _slow_ends(answers, 0, _slow_answer).items():
        says = f"A message to or from {ends.name(end)} takes {ratio:.1f} times as long as the median, without content."
        found.append(Finding(Kind.SLOW_LINK, ends.ranks(end), ratio, says))
    slow = {end for finding in found for rank in finding.ranks for end in (ends.end(rank),)}
    return found + _slow_paths(bytes_, slow, ends)


def _slow_paths(costs: Costs, slow: set[int], ends: _Nodes | _Ranks) -> list[Finding]:
    best = _best(costs, 0)
    if len(best) < FEWEST:
        return []
    usual = statistics.median(best.values())
    paths: dict[tuple[int, int], float] = {}
    for (a, b), cost in costs.items():
        ratio = cost / max(best.get(a, cost), best.get(b, cost), usual)
        if ratio > SLOW_LINK and not {a, b} & slow:
            way = (min(a, b), max(a, b))
            paths[way] = max(ratio, paths.get(way, 0.0))
    found = []
    for (a, b), ratio in sorted(paths.items(), key=lambda path: -path[1])[:_MOST_PATHS]:
        more = f" ({len(paths)} paths are slow; these are the slowest.)" if len(paths) > _MOST_PATHS else ""
        says = (
            f"Between {ends.name(a)} and {ends.name(b)} the same bytes take {ratio:.2f} times as long as with their other "
            f"partners.{more}"
        )
        found.append(Finding(Kind.SLOW_PATH, (*ends.ranks(a), *ends.ranks(b)), ratio, says))
    return found


def _slow_ends(costs: Costs, side: int, is_slow: Callable[[float, float], bool]) -> dict[int, float]:
    """Ends that are slow even with the best partner, with how many times the median cost that is.

    Args:
        side: 0 for what an end sends, 1 for what it receives.
    """
    best = _best(costs, side)
    if len(best) < FEWEST:
        return {}
    usual = statistics.median(best.values())
    return {end: cost / usual for end, cost in best.items() if is_slow(cost, usual)}


def _best(costs: Costs, side: int) -> dict[int, float]:
    """Of each end that has several partners the cost with the best of them."""
    by_end: dict[int, list[float]] = {}
    for way, cost in costs.items():
        by_end.setdefault(way[side], []).append(cost)
    return {end: min(those) for end, those in by_end.items() if len(those) > 1}


def _slow_bytes(cost: float, usual: float) -> bool:
    return cost > SLOW_LINK * usual


def _slow_answer(cost: float, usual: float) -> bool:
    return cost > SLOW_ANSWER * usual and cost > usual + MATTERS


def _keep_least(costs: dict[tuple[int, int], float], way: tuple[int, int], cost: float) -> None:
    costs[way] = min(cost, costs.get(way, cost))


def _to_others(seconds: Sequence[float], rank: int) -> float:
    return seconds[rank] / statistics.median([*seconds[:rank], *seconds[rank + 1 :]])


def _is_slow(ratios: Iterable[float]) -> bool:
    """In three quarters of them."""
    ordered = sorted(ratios)
    return ordered[len(ordered) // 4] > SLOW_RANK


def _rank_of(rank: int, node: Node) -> str:
    return f"Rank {rank} (node {node.name})"
