"""A cluster's profile, made up."""

from collections.abc import Mapping
from itertools import combinations

from advisor.cluster.profile import (
    ClusterProfile,
    Collective,
    Group,
    Node,
    Operation,
    Pair,
    Rank,
    Sample,
    Timed,
)


def one_rank_a_node(count: int) -> list[Node]:
    return [Node(f"n{number}", (number,)) for number in range(count)]


def pairs_across(rates: Mapping[int, float], latencies: Mapping[int, float] | None = None) -> list[Pair]:
    """Every two ranks, at the rate of the slower link, in bytes per second."""
    slow = latencies or {}
    return [
        Pair(
            a, b, Group.ACROSS, max(slow.get(a, 1e-3), slow.get(b, 1e-3)), min(rates[a], rates[b]),
            min(rates[a], rates[b]), 6,
        )
        for a, b in combinations(rates, 2)
    ]  # fmt: skip


def all_reduce(group: Group, ranks: int, alpha: float, rate: float | None) -> Collective:
    samples = tuple(
        Sample(size, alpha + (size / rate if rate else 0), alpha, alpha + 1.0, 5) for size in (4096, 1 << 20)
    )
    return Collective(Operation.ALL_REDUCE, group, ranks, alpha, rate, samples, "all_reduce")


def profile() -> ClusterProfile:
    """Two nodes of two ranks."""
    return ClusterProfile(
        backend="gloo",
        date="2030-01-02T03:04:05+00:00",
        versions={"advisor": "1", "torch": "2.13", "python": "3.11"},
        nodes=(Node("a", (0, 1)), Node("b", (2, 3))),
        ranks=tuple(Rank(rank, "ab"[rank // 2], "cpu", Timed((0.1, 0.2, 0.3)), 1.0) for rank in range(4)),
        products="2 products of matrices of 1,024 rows and columns, in 32 bits",
        collectives=(
            all_reduce(Group.INSIDE, 2, 1e-4, 1e9),
            all_reduce(Group.ACROSS, 2, 2e-3, 1e7),
            all_reduce(Group.ALL, 4, 6e-3, 5e6),
        ),
        pairs=(
            Pair(0, 1, Group.INSIDE, 5e-5, 2e9, 2e9, 3),
            Pair(0, 2, Group.ACROSS, 1e-3, 1.2e7, 1.1e7, 3),
        ),
    )
