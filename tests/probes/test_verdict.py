from __future__ import annotations

import math
import random
import statistics
from dataclasses import replace
from itertools import islice, pairwise

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from advisor.facts.verdict import Verdict
from advisor.probes.verdict import FEW_PAIRS, FEWEST_PAIRS, MOST_PAIRS, Comparison, Margins, checkpoints, compare

SECONDS = st.floats(1e-6, 1e3)
PAIRS = st.lists(st.tuples(SECONDS, SECONDS), min_size=1, max_size=40)


def noisy_pairs(generator: random.Random, ratio: float, noise: float, number: int) -> list[tuple[float, float]]:
    """Seconds of `before` and of a rival that truly takes `ratio` times as long."""
    return [(generator.lognormvariate(0, noise), ratio * generator.lognormvariate(0, noise)) for _ in range(number)]


def duel(generator: random.Random, ratio: float, noise: float, most: int = 60) -> Comparison:
    """Looks at the checkpoints only, as a probe does."""
    pairs: list[tuple[float, float]] = []
    for look in checkpoints():
        pairs += noisy_pairs(generator, ratio, noise, look - len(pairs))
        comparison = compare(pairs)
        if comparison.verdict is not Verdict.UNDECIDED or look >= most:
            return comparison
    raise AssertionError("there are more checkpoints than this")


@pytest.mark.parametrize(
    ("ratio", "verdict"),
    [
        (1.2, Verdict.CONFIRMED),
        (1 / 1.2, Verdict.OVERTURNED),
        (1.0, Verdict.NO_DIFFERENCE),
        (1.02, Verdict.NO_DIFFERENCE),
    ],
)
def test_pairs_without_noise_decide_at_once(ratio: float, verdict: Verdict) -> None:
    comparison = compare([(1.0, ratio)] * 8)
    assert comparison.verdict is verdict
    assert comparison.median == pytest.approx(ratio)
    assert comparison.low == pytest.approx(comparison.high)


def test_fewer_than_four_pairs_never_decide() -> None:
    assert compare([(1.0, 5.0)] * 3).verdict is Verdict.UNDECIDED


def test_few_pairs_decide_only_what_they_show_very_clearly() -> None:
    clear, slight = [1.6, 1.4, 1.5, 1.55], [1.05, 1.15, 1.1, 1.08]
    assert compare([(1.0, ratio) for ratio in clear]).verdict is Verdict.CONFIRMED
    assert compare([(ratio, 1.0) for ratio in clear]).verdict is Verdict.OVERTURNED
    assert compare([(1.0, ratio) for ratio in slight]).verdict is Verdict.UNDECIDED
    assert compare([(1.0, ratio) for ratio in slight * 3]).verdict is Verdict.CONFIRMED


def test_few_pairs_never_show_that_there_is_no_difference() -> None:
    assert compare([(1.0, 1.0)] * 7).verdict is Verdict.UNDECIDED
    assert compare([(1.0, 1.0)] * 8).verdict is Verdict.NO_DIFFERENCE


@pytest.mark.parametrize("number", [4, 5, 6, 7])
def test_the_interval_of_few_pairs_is_students(number: int) -> None:
    """scipy is the oracle."""
    pairs = noisy_pairs(random.Random(1), 1.2, 0.1, number)
    ratios = numpy.log([rival / before for before, rival in pairs])
    low, high = stats.t.interval(0.95, number - 1, loc=ratios.mean(), scale=stats.sem(ratios))
    assert (compare(pairs).low, compare(pairs).high) == pytest.approx((math.exp(low), math.exp(high)), rel=1e-3)


def test_an_interval_across_a_margin_is_undecided() -> None:
    assert compare([(1.0, 0.9), (1.0, 1.2)] * 6).verdict is Verdict.UNDECIDED


def test_margins_may_differ_for_the_two_sides() -> None:
    pairs = [(1.0, 0.9)] * 8
    assert compare(pairs).verdict is Verdict.OVERTURNED
    assert compare(pairs, Margins(rival=1.2)).verdict is Verdict.NO_DIFFERENCE


@given(PAIRS)
def test_exchanging_the_sides_gives_the_reciprocal_and_the_opposite_verdict(pairs: list[tuple[float, float]]) -> None:
    ours, theirs = compare(pairs), compare([(rival, before) for before, rival in pairs])
    assert theirs.median == pytest.approx(1 / ours.median)
    assert (theirs.low, theirs.high) == pytest.approx((1 / ours.high, 1 / ours.low))
    opposite = {Verdict.CONFIRMED: Verdict.OVERTURNED, Verdict.OVERTURNED: Verdict.CONFIRMED}
    assert theirs.verdict is opposite.get(ours.verdict, ours.verdict)


@given(PAIRS)
def test_the_interval_holds_the_median_and_of_many_pairs_lies_within_the_ratios(
    pairs: list[tuple[float, float]],
) -> None:
    ratios = sorted(rival / before for before, rival in pairs)
    comparison = compare(pairs)
    assert comparison.low <= comparison.median * (1 + 1e-9)
    assert comparison.median <= comparison.high * (1 + 1e-9)
    if FEWEST_PAIRS <= len(pairs) < FEW_PAIRS:
        return
    assert ratios[0] <= comparison.low * (1 + 1e-9)
    assert comparison.high <= ratios[-1] * (1 + 1e-9)


@given(PAIRS, st.floats(1e-3, 1e3))
def test_the_unit_of_time_does_not_matter(pairs: list[tuple[float, float]], unit: float) -> None:
    scaled = compare([(before * unit, rival * unit) for before, rival in pairs])
    assert scaled.median == pytest.approx(compare(pairs).median)


@given(PAIRS, st.randoms(use_true_random=False))
def test_the_order_of_pairs_moves_no_figure(pairs: list[tuple[float, float]], shuffler: random.Random) -> None:
    shuffled = list(pairs)
    shuffler.shuffle(shuffled)
    assert replace(compare(shuffled), verdict=compare(pairs).verdict) == compare(pairs)


def test_what_only_half_of_the_time_shows_decides_nothing() -> None:
    disturbed, quiet = [(1.0, 1.5)] * 11, [(1.0, 1.01)] * 9
    assert compare([*disturbed, *disturbed]).verdict is Verdict.CONFIRMED
    assert compare([*disturbed, *quiet]).verdict is Verdict.UNDECIDED
    swapped = [(rival, before) for before, rival in [*quiet, *disturbed]]
    assert compare(swapped).verdict is Verdict.UNDECIDED


@pytest.mark.parametrize("number", [8, 9, 40])
def test_the_interval_is_that_of_resampling_pair_by_pair(number: int) -> None:
    """The oracle draws every value; the medians are those of 20,000 resamples."""
    generator = random.Random(number)
    pairs = noisy_pairs(generator, 1.0, 0.1, number)
    ratios = [math.log(rival / before) for before, rival in pairs]
    medians = sorted(statistics.median(generator.choices(ratios, k=number)) for _ in range(20_000))
    comparison = compare(pairs)
    assert math.log(comparison.low) == pytest.approx(medians[500], abs=0.02)
    assert math.log(comparison.high) == pytest.approx(medians[-501], abs=0.02)


def test_checkpoints_grow_by_half() -> None:
    looks = list(checkpoints())
    assert list(islice(looks, 8)) == [4, 6, 8, 12, 18, 27, 40, 60]
    assert looks[-1] == MOST_PAIRS
    assert all(1.3 < later / earlier <= 1.5 for earlier, later in pairwise(looks))


@pytest.mark.slow
def test_without_a_true_difference_hardly_any_duel_is_decided() -> None:
    generator = random.Random(20)
    verdicts = [duel(generator, ratio=1.0, noise=0.05).verdict for _ in range(200)]
    wrong = sum(verdict in (Verdict.CONFIRMED, Verdict.OVERTURNED) for verdict in verdicts)
    assert wrong <= 4


def test_a_true_difference_of_ten_percent_is_found() -> None:
    generator = random.Random(21)
    found = [duel(generator, ratio=1.1, noise=0.05) for _ in range(150)]
    assert sum(comparison.verdict is Verdict.CONFIRMED for comparison in found) >= 148
    assert statistics.mean(comparison.n for comparison in found) < 20


def test_with_little_noise_equality_is_found_too() -> None:
    generator = random.Random(22)
    verdicts = [duel(generator, ratio=1.0, noise=0.02).verdict for _ in range(100)]
    assert verdicts.count(Verdict.NO_DIFFERENCE) >= 98
