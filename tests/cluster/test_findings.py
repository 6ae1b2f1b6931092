"""What is called slow, and above all what is not."""

import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.cluster.findings import Looks, best_of, slow_links, slow_ranks
from advisor.cluster.profile import Group, Kind, Node, Pair
from tests.cluster.made import one_rank_a_node, pairs_across


def looks(factors: list[float], noise: float = 0.0, seed: int = 0, rounds: int = 6, number: int = 3) -> Looks:
    """Seconds of ranks that take so many times as long, each round a little longer by chance."""
    chance = random.Random(seed)
    return Looks(
        [[[factor * (1 + noise * chance.random()) for factor in factors] for _ in range(rounds)] for _ in range(number)]
    )


@given(st.integers(0, 1000))
@settings(max_examples=50)
def test_a_noisy_machine_has_no_slow_rank(seed: int) -> None:
    """Though any round of any rank may take up to 1.6 times as long as another."""
    assert slow_ranks(looks([1.0] * 4, noise=0.6, seed=seed), one_rank_a_node(4)) == []


@given(st.integers(0, 1000))
@settings(max_examples=50)
def test_a_slow_rank_is_found_in_noise(seed: int) -> None:
    found = slow_ranks(looks([1.0, 1.0, 1.0, 2.0], noise=0.3, seed=seed), one_rank_a_node(4))
    assert [(finding.kind, finding.ranks) for finding in found] == [(Kind.SLOW_RANK, (3,))]
    assert 1.5 < found[0].ratio < 2.6


def test_the_evidence_is_told() -> None:
    (found,) = slow_ranks(looks([1.0, 1.0, 1.4]), one_rank_a_node(3))
    assert found.says == (
        "Rank 2 (node n2) takes 1.40 times as long in matrix products as the median of the others "
        "(in 18 rounds, 3 looks apart from each other)."
    )


def test_what_is_slow_in_one_look_only_has_passed() -> None:
    now_and_then = looks([1.0, 1.0, 3.0])
    before = looks([1.0, 1.0, 1.0])
    assert slow_ranks(Looks([*now_and_then.seconds[:2], before.seconds[0]]), one_rank_a_node(3)) == []


def test_of_two_ranks_the_slower_is_told() -> None:
    assert [finding.ranks for finding in slow_ranks(looks([1.0, 1.5]), one_rank_a_node(2))] == [(1,)]


def test_a_node_whose_ranks_are_all_slow_is_one_finding() -> None:
    nodes = [Node("a", (0, 1)), Node("b", (2, 3)), Node("c", (4, 5))]
    (found,) = slow_ranks(looks([1.0, 1.0, 1.0, 1.0, 1.5, 1.5]), nodes)
    assert found.ranks == (4, 5)
    assert found.says.startswith("All 2 ranks of node c take 1.50 times as long")


def test_a_link_of_half_the_rate_is_found_and_nothing_else() -> None:
    found = slow_links([pairs_across({0: 1e7, 1: 1e7, 2: 1e7, 3: 5e6})] * 2, one_rank_a_node(4))
    assert [(finding.kind, finding.ranks, finding.ratio) for finding in found] == [(Kind.SLOW_LINK, (3,), 2.0)]
    assert found[0].says == (
        "The link of node n3 carries the same bytes in 2.00 times the time that the median link takes, "
        "with the best of 3 partners and of all repetitions."
    )


@given(st.lists(st.floats(1.0, 1.35), min_size=6, max_size=6), st.integers(2, 4))
def test_links_that_differ_a_little_are_not_slow(factors: list[float], count: int) -> None:
    pairs = pairs_across(dict.fromkeys(range(count), 1e7))
    noisy = [
        replace(pair, there=pair.there / factor, back=pair.back / factor)
        for pair, factor in zip(pairs, factors, strict=False)
    ]
    assert slow_links([noisy], one_rank_a_node(count)) == []


def test_of_two_links_nobody_can_tell_which_is_slow() -> None:
    assert slow_links([pairs_across({0: 1e7, 1: 1e3})], one_rank_a_node(2)) == []


def test_a_link_that_only_sends_slowly_is_told_so() -> None:
    pairs = [
        replace(pair, back=pair.back / 3) if pair.second == 3 else pair
        for pair in pairs_across(dict.fromkeys(range(4), 1e7))
    ]
    (found,) = slow_links([pairs], one_rank_a_node(4))
    assert found.ranks == (3,)
    assert "The link of node n3 sends the same bytes in 3.00 times" in found.says


def test_a_path_between_two_good_links_is_told_as_such() -> None:
    pairs = [
        replace(pair, there=2e6) if (pair.first, pair.second) == (0, 1) else pair
        for pair in pairs_across(dict.fromkeys(range(4), 1e7))
    ]
    (found,) = slow_links([pairs], one_rank_a_node(4))
    assert (found.kind, found.ranks) == (Kind.SLOW_PATH, (0, 1))
    assert (
        found.says == "Between node n0 and node n1 the same bytes take 5.00 times as long as with their other partners."
    )


def test_a_link_that_answers_late_is_found() -> None:
    (found,) = slow_links([pairs_across(dict.fromkeys(range(4), 1e7), {2: 5e-3})], one_rank_a_node(4))
    assert found.ranks == (2,)
    assert found.says == "A message to or from node n2 takes 5.0 times as long as the median, without content."


def test_a_slow_rank_of_a_node_has_a_slow_link_inside() -> None:
    nodes = [Node("a", (0, 1, 2)), Node("b", (3, 4, 5))]
    rates = {0: 1e9, 1: 1e9, 2: 1e9, 3: 1e9, 4: 1e9, 5: 3e8}
    pairs = [
        Pair(pair.first, pair.second, Group.INSIDE, pair.latency, pair.there, pair.back, 6)
        for pair in pairs_across(rates)
        if (pair.first < 3) is (pair.second < 3)
    ]
    (found,) = slow_links([pairs], nodes)
    assert found.ranks == (5,)
    assert "rank 5 inside node b" in found.says


def test_what_one_sweep_shows_and_another_does_not_is_not_said() -> None:
    slow, fine = (pairs_across({0: 1e7, 1: 1e7, 2: 1e7, 3: rate}) for rate in (5e6, 1e7))
    assert slow_links([slow, fine], one_rank_a_node(4)) == []
    assert slow_links([slow, slow], one_rank_a_node(4)) != []


def test_links_of_one_partner_cannot_be_told_from_it() -> None:
    """Two nodes of two ranks, one twice as slow inside: it may be either rank's."""
    nodes = [Node("a", (0, 1)), Node("b", (2, 3))]
    pairs = [Pair(a, a + 1, Group.INSIDE, 1e-5, rate, rate, 6) for a, rate in ((0, 1e9), (2, 5e8))]
    assert slow_links([pairs, pairs], nodes) == []


def test_of_a_pair_the_best_of_all_sweeps_counts() -> None:
    first = [Pair(0, 1, Group.ACROSS, 2e-3, 5.0, 9.0, 3), Pair(2, 3, Group.ACROSS, 1e-3, 1.0, 1.0, 3)]
    second = [Pair(0, 1, Group.ACROSS, 1e-3, 6.0, 8.0, 3)]
    assert best_of([first, second]) == [Pair(0, 1, Group.ACROSS, 1e-3, 6.0, 9.0, 6), first[1]]
