from __future__ import annotations

import copy

import pytest
import torch
from torch import Tensor, nn

from advisor.training.loop.layerwise import Lamb, Lars
from advisor.training.loop.optimizers import decay_loss, optimizer
from advisor.training.recipe import OPTIMIZERS

torch.set_num_threads(1)
RATES = {
    "sgd": 0.1, "sgd_momentum": 0.02, "sgd_nesterov": 0.02, "adagrad": 0.5, "adadelta": 10.0, "rmsprop": 0.02, "adam": 0.05,
    "adamw": 0.05, "nadam": 0.05, "lbfgs": 1.0, "lars": 20.0, "lamb": 0.02,
}  # fmt: skip


def lowered(name: str, loss_of: object, start: Tensor, steps: int, rate: float) -> float:
    """The loss after so many steps, over that at the start."""
    place = nn.Parameter(start.clone())
    chosen = optimizer(name, [place], rate)

    def closure() -> Tensor:
        chosen.zero_grad()
        loss: Tensor = loss_of(place)  # type: ignore[operator]
        loss.backward()
        return loss

    first = closure().item()
    for _ in range(steps):
        chosen.step(closure)
    return closure().item() / first


def bowl(place: Tensor) -> Tensor:
    """Ten times as steep in one direction as in the other, lowest at (1, -2)."""
    return ((place - torch.tensor([[1.0, -2.0]])) ** 2 * torch.tensor([[1.0, 10.0]])).sum() / 2


def bent_valley(place: Tensor) -> Tensor:
    """Rosenbrock 1960: a narrow valley along a parabola, lowest at (1, 1)."""
    x, y = place[0]
    return (1 - x) ** 2 + 100 * (y - x**2) ** 2


def test_the_rates_of_this_test_are_for_all_optimisers() -> None:
    assert set(RATES) == set(OPTIMIZERS)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_optimiser_finds_the_bottom_of_a_bowl(name: str) -> None:
    assert lowered(name, bowl, torch.tensor([[3.0, 3.0]]), 400, RATES[name]) < 0.01


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_optimiser_gets_down_into_a_bent_valley(name: str) -> None:
    rate = RATES[name] / (200 if name.startswith("sgd") else 1)
    assert lowered(name, bent_valley, torch.tensor([[-1.2, 1.0]]), 300, rate) < 0.5


def test_lbfgs_needs_a_tenth_of_the_steps_in_the_valley() -> None:
    assert lowered("lbfgs", bent_valley, torch.tensor([[-1.2, 1.0]]), 30, rate=1e-6) < 1e-6


def given_gradients(chosen: torch.optim.Optimizer, weight: nn.Parameter, gradients: list[list[float]]) -> list[float]:
    for gradient in gradients:
        weight.grad = torch.tensor(gradient).reshape(weight.shape)
        chosen.step()
    return weight.detach().flatten().tolist()


def test_lars_steps_are_those_of_the_paper_by_hand() -> None:
    weight = nn.Parameter(torch.tensor([[3.0, 4.0]]))  # norm 5
    chosen = Lars([weight], lr=2.0, momentum=0.5, weight_decay=0.1, trust=0.01)
    # |g| = 5, so the local rate is 0.01 * 5 / (5 + 0.1 * 5) = 1/110; g + 0.1 w = (4.3, -2.6)
    first = [3 - 2 / 110 * 4.3, 4 + 2 / 110 * 2.6]
    assert given_gradients(chosen, weight, [[4.0, -3.0]]) == pytest.approx(first)
    size = (first[0] ** 2 + first[1] ** 2) ** 0.5
    rate = 2 * 0.01 * size / (1 + 0.1 * size)  # of a gradient of length 1
    velocity = [0.5 * 2 / 110 * 4.3 + rate * (1 + 0.1 * first[0]), -0.5 * 2 / 110 * 2.6 + rate * 0.1 * first[1]]
    assert given_gradients(chosen, weight, [[1.0, 0.0]]) == pytest.approx(
        [first[0] - velocity[0], first[1] - velocity[1]]
    )


def test_lamb_steps_are_those_of_the_paper_by_hand() -> None:
    weight = nn.Parameter(torch.tensor([[3.0, 4.0]]))
    chosen = Lamb([weight], lr=0.1, betas=(0.5, 0.5), eps=0.0, weight_decay=0.1)
    # Corrected means of one gradient are the gradient and its square, so Adam's step is its sign: (1, -1) + 0.1 w
    update = [1 + 0.3, -1 + 0.4]
    scale = 0.1 * 5 / (update[0] ** 2 + update[1] ** 2) ** 0.5
    first = [3 - scale * update[0], 4 - scale * update[1]]
    assert given_gradients(chosen, weight, [[2.0, -7.0]]) == pytest.approx(first)
    # The second: mean (0.25 * 2 + 0.5 * 4) / 0.75, square (0.25 * 4 + 0.5 * 16) / 0.75; the other coordinate alike
    update = [2.5 / 0.75 / (9 / 0.75) ** 0.5 + 0.1 * first[0], -1.75 / 0.75 / (12.25 / 0.75) ** 0.5 + 0.1 * first[1]]
    size = (first[0] ** 2 + first[1] ** 2) ** 0.5
    scale = 0.1 * size / (update[0] ** 2 + update[1] ** 2) ** 0.5
    expected = [first[0] - scale * update[0], first[1] - scale * update[1]]
    assert given_gradients(chosen, weight, [[4.0, 0.0]]) == pytest.approx(expected)


@pytest.mark.parametrize("kind", [Lars, Lamb])
def test_a_layer_of_zeros_and_a_gradient_of_zeros_do_no_harm(kind: type[Lars] | type[Lamb]) -> None:
    layer, bias = nn.Parameter(torch.zeros(2, 2)), nn.Parameter(torch.zeros(2))
    chosen = kind([layer, bias], lr=0.1)
    layer.grad, bias.grad = torch.ones(2, 2), torch.zeros(2)
    chosen.step()
    assert torch.isfinite(layer).all()
    assert (layer < 0).all()
    assert bias.tolist() == [0, 0]


@pytest.mark.parametrize("kind", [Lars, Lamb])
def test_the_size_of_the_gradient_does_not_change_the_step_of_a_layer(kind: type[Lars] | type[Lamb]) -> None:
    places = []
    for size in (1.0, 1000.0):
        weight = nn.Parameter(torch.tensor([[3.0, 4.0]]))
        places.append(given_gradients(kind([weight], lr=0.1), weight, [[size, -size]]))
    assert places[0] == pytest.approx(places[1], rel=1e-5)


@pytest.mark.parametrize("name", [name for name in OPTIMIZERS if name != "lbfgs"])
def test_decay_draws_matrices_to_zero_and_leaves_biases(name: str) -> None:
    matrix, bias = nn.Parameter(torch.full((2, 2), 5.0)), nn.Parameter(torch.full((2,), 5.0))
    chosen = optimizer(name, [matrix, bias], RATES[name], weight_decay=0.1)
    for _ in range(3):
        matrix.grad, bias.grad = torch.zeros(2, 2), torch.zeros(2)
        chosen.step()
    assert (matrix < 5).all()
    assert (bias == 5).all()


@pytest.mark.parametrize("name", [name for name in OPTIMIZERS if name != "lbfgs"])
def test_nothing_decays_unasked(name: str) -> None:
    matrix = nn.Parameter(torch.full((2, 2), 5.0))
    chosen = optimizer(name, [matrix], RATES[name])
    given_gradients(chosen, matrix, [[0.0] * 4] * 3)
    assert (matrix == 5).all()


def test_the_gradient_of_the_decay_loss_is_the_decay_of_the_matrices() -> None:
    matrix, bias = nn.Parameter(torch.tensor([[2.0, -3.0]])), nn.Parameter(torch.ones(2))
    decay_loss([matrix, bias], 0.1).backward()  # type: ignore[no-untyped-call]
    torch.testing.assert_close(matrix.grad, torch.tensor([[0.2, -0.3]]))
    assert bias.grad is None


@pytest.mark.parametrize("kind", ["lars", "lamb"])
def test_state_goes_through_a_state_dict(kind: str) -> None:
    weight = nn.Parameter(torch.tensor([[3.0, 4.0]]))
    first = optimizer(kind, [weight], 0.1)
    given_gradients(first, weight, [[1.0, 2.0]])
    twin = nn.Parameter(weight.detach().clone())
    second = optimizer(kind, [twin], 0.1)
    second.load_state_dict(copy.deepcopy(first.state_dict()))
    assert given_gradients(first, weight, [[2.0, -1.0]]) == given_gradients(second, twin, [[2.0, -1.0]])
