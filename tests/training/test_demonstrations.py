"""Every network learns: it beats what needs no learning, on held-out examples, by a margin.

`left` is what the network leaves of the baseline's error: 0 is perfect, 1 is no better than the baseline.
"""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.networks.all_examples import EXAMPLES
from tests.training.demonstrations import made_data
from tests.training.demonstrations.by_name import DEMONSTRATIONS, demonstrate
from tests.training.demonstrations.demonstration import Demonstrated, Metric, Size
from tests.training.demonstrations.discrepancy import discrepancy, gaussian, independent_values, told_apart

torch.set_num_threads(1)  # the networks are tiny

SMALL, LARGE = (
    {network: examples.leaves[size] for network, examples in EXAMPLES.items()}
    | {"linear": 0.2, "random_forest": 0.9, "gradient_boosting": 0.3}
    for size in (0, 1)
)


@pytest.mark.parametrize("network", DEMONSTRATIONS)
@pytest.mark.slow
def test_a_small_network_beats_the_trivial_baseline(network: str) -> None:
    shown = demonstrate(network, Size.SMALL)
    assert shown.left < SMALL[network], shown


@pytest.mark.thorough
@pytest.mark.parametrize("network", DEMONSTRATIONS)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_larger_network_beats_it_further(network: str, seed: int) -> None:
    shown = demonstrate(network, Size.LARGE, seed)
    assert shown.left < LARGE[network], shown


def test_the_same_seed_gives_the_same_figures() -> None:
    assert demonstrate("ffn", seed=3) == demonstrate("ffn", seed=3)
    assert demonstrate("ffn", seed=3) != demonstrate("ffn", seed=4)


@pytest.mark.parametrize(("metric", "score"), [(Metric.ACCURACY, 0.95), (Metric.SQUARED_ERROR, 0.05)])
def test_what_is_left_of_the_error_counts_alike_for_every_metric(metric: Metric, score: float) -> None:
    trivial = 0.5
    assert Demonstrated("x", "y", metric, score, "z", trivial).left == pytest.approx(0.1)


def test_discrepancy_tells_like_from_unlike() -> None:
    first, second = torch.randn(2, 400, 2, generator=torch.Generator().manual_seed(0))
    ring = made_data.ring(600, 0).inputs
    assert abs(discrepancy(first, second)) < 0.005
    assert discrepancy(first, ring) > 0.02
    assert discrepancy(first + 3, second) > 0.5


def test_what_is_alike_is_told_apart_by_chance_alone() -> None:
    chance = torch.Generator().manual_seed(0)
    first, second = torch.randn(2, 300, 4, generator=chance)
    assert abs(told_apart(first, second, 0) - 0.5) < 0.1
    assert told_apart(first + 2, second, 0) > 0.9


def test_baselines_share_what_they_say_they_share() -> None:
    examples = (
        torch.randn(2000, 2, generator=torch.Generator().manual_seed(0)) @ torch.tensor([[1.0, 0.9], [0.0, 0.4]]) + 1
    )
    normal, independent = gaussian(examples, 4000, 0), independent_values(examples, 4000, 0)
    torch.testing.assert_close(normal.t().cov(), examples.t().cov(), atol=0.1, rtol=0)
    torch.testing.assert_close(independent.std(0), examples.std(0), atol=0.1, rtol=0)
    assert abs(independent.t().corrcoef()[0, 1]) < 0.06 < examples.t().corrcoef()[0, 1]


@settings(max_examples=20, deadline=None)
@given(number=st.integers(4, 50), seed=st.integers(0, 1000))
def test_nothing_held_out_is_learnt_from(number: int, seed: int) -> None:
    parts = made_data.divided(torch.arange(number), torch.arange(number), seed)
    assert sorted([*parts.inputs.tolist(), *parts.held_out_inputs.tolist()]) == list(range(number))
    assert len(parts.held_out_inputs) == number // 4


def test_expressions_are_as_true_as_python_says() -> None:
    parts = made_data.logic(60, 5, 0)
    for tree, truth in zip(parts.inputs.tolist(), parts.targets.tolist(), strict=True):
        assert _value(tree, len(tree)) == bool(truth)


def _value(tree: list[list[int]], node: int) -> bool:
    token, left, right = tree[node - 1]
    if not left:
        return bool(token - 1 - made_data.OPERATORS)
    first, second = _value(tree, left), _value(tree, right)
    return (first or second, first and second, first ^ second)[token - 1]
