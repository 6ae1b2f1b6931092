"""The order in which ranks exchange, so that no two pairs disturb each other. No torch here."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, zip_longest
from typing import TypeAlias

Pairs: TypeAlias = tuple[tuple[int, int], ...]
"""Of ranks that exchange at the same time."""


def tournament(players: int) -> list[Pairs]:
    """Rounds in which everybody meets everybody once, and nobody two at a time (the circle method)."""
    seats: list[int | None] = [*range(players), *([None] if players % 2 else [])]
    rounds = []
    for _ in range(len(seats) - 1):
        half = len(seats) // 2
        facing = zip(seats[:half], reversed(seats[half:]), strict=True)
        rounds.append(tuple(_ordered(a, b) for a, b in facing if a is not None and b is not None))
        seats = [seats[0], seats[-1], *seats[1:-1]]
    return [pairs for pairs in rounds if pairs]


def rounds_across(nodes: Sequence[Sequence[int]], sweep: int = 0) -> list[Pairs]:
    """Rounds in which every node meets every other, by one rank of each: another one in each round and sweep."""

    def rank_of(node: int, turn: int) -> int:
        return nodes[node][(turn + sweep) % len(nodes[node])]

    return [
        tuple(_ordered(rank_of(a, turn), rank_of(b, turn)) for a, b in pairs)
        for turn, pairs in enumerate(tournament(len(nodes)))
    ]


def rounds_inside(nodes: Sequence[Sequence[int]]) -> list[Pairs]:
    """Rounds in which each node lets one of its pairs exchange, until all have."""
    by_node = [list(combinations(ranks, 2)) for ranks in nodes]
    return [tuple(pair for pair in turn if pair is not None) for turn in zip_longest(*by_node)]


def sample(rounds: Sequence[Pairs], most: int) -> list[Pairs]:
    """At most so many rounds, evenly spread; at least one where there is any."""
    count = min(len(rounds), max(1, most))
    return [rounds[number * len(rounds) // count] for number in range(count)]


def _ordered(a: int, b: int) -> tuple[int, int]:
    return min(a, b), max(a, b)
