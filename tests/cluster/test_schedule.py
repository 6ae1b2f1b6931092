"""Who exchanges with whom: everybody once, and nobody with two at a time."""

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from advisor.cluster.schedule import rounds_across, rounds_inside, sample, tournament

nodes_of_ranks = st.lists(st.integers(1, 4), min_size=1, max_size=7).map(
    lambda sizes: [tuple(range(sum(sizes[:node]), sum(sizes[: node + 1]))) for node in range(len(sizes))]
)


@given(st.integers(0, 20))
def test_in_a_tournament_everybody_meets_everybody_once_and_nobody_two_at_a_time(players: int) -> None:
    rounds = tournament(players)
    assert sorted(pair for pairs in rounds for pair in pairs) == list(combinations(range(players), 2))
    for pairs in rounds:
        met = [player for pair in pairs for player in pair]
        assert len(met) == len(set(met))


def test_four_meet_in_three_rounds() -> None:
    assert tournament(4) == [((0, 3), (1, 2)), ((0, 2), (1, 3)), ((0, 1), (2, 3))]


@given(nodes_of_ranks, st.integers(0, 3))
def test_every_two_nodes_meet_once_and_no_node_is_in_two_pairs_at_a_time(
    nodes: list[tuple[int, ...]], sweep: int
) -> None:
    node_of = {rank: node for node, ranks in enumerate(nodes) for rank in ranks}
    met = []
    for pairs in rounds_across(nodes, sweep):
        there = [node_of[rank] for pair in pairs for rank in pair]
        assert len(there) == len(set(there))
        met += [tuple(sorted((node_of[a], node_of[b]))) for a, b in pairs]
    assert sorted(met) == list(combinations(range(len(nodes)), 2))


def test_sweeps_take_other_ranks_of_a_node() -> None:
    nodes = [(0, 1), (2, 3)]
    assert [rounds_across(nodes, sweep) for sweep in (0, 1)] == [[((0, 2),)], [((1, 3),)]]


@given(nodes_of_ranks)
def test_inside_every_pair_of_a_node_comes_once_and_no_two_of_it_at_a_time(nodes: list[tuple[int, ...]]) -> None:
    rounds = rounds_inside(nodes)
    everything = sorted(pair for pairs in rounds for pair in pairs)
    assert everything == sorted(pair for ranks in nodes for pair in combinations(ranks, 2))
    for pairs in rounds:
        assert all(sum(pair[0] in ranks for pair in pairs) <= 1 for ranks in nodes)


@given(st.integers(0, 50), st.integers(0, 60))
def test_a_sample_is_spread_evenly(count: int, most: int) -> None:
    rounds = [((number, number + 1),) for number in range(count)]
    chosen = sample(rounds, most)
    assert len(chosen) == min(count, max(1, most))
    assert chosen == sorted(set(chosen))
    gaps = {b[0][0] - a[0][0] for a, b in pairwise(chosen)}
    assert not gaps or max(gaps) - min(gaps) <= 1
