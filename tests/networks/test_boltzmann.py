from __future__ import annotations

import itertools
import math

import pytest
import torch

from advisor.networks.families.boltzmann.network import BoltzmannMachine, DeepBelief, contrastive_divergence


def machine(*, gaussian: bool = False, visible: int = 4, hidden: int = 3) -> BoltzmannMachine:
    torch.manual_seed(0)
    made = BoltzmannMachine(visible, hidden, gaussian=gaussian)
    for weight in made.parameters():
        torch.nn.init.normal_(weight)
    return made


def every(units: int) -> torch.Tensor:
    return torch.tensor(list(itertools.product([0.0, 1.0], repeat=units)))


def energies(one: BoltzmannMachine, visible: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """E(v, h) of all pairs, as Hinton 2010 writes it in equations 1 and 15 (with variance 1)."""
    own = ((visible - one.visible_bias) ** 2).sum(1) / 2 if one.gaussian else -visible @ one.visible_bias
    return own[:, None] - hidden @ one.hidden_bias - visible @ one.weight.t() @ hidden.t()


@pytest.mark.parametrize("gaussian", [False, True])
def test_free_energy_sums_over_all_states_of_the_hidden_units(gaussian: bool) -> None:
    one = machine(gaussian=gaussian)
    visible = torch.randn(5, 4) if gaussian else every(4)
    expected = -torch.logsumexp(-energies(one, visible, every(3)), dim=1)
    torch.testing.assert_close(one.free_energy(visible), expected)


def test_gibbs_steps_arrive_at_the_distribution_of_the_energies() -> None:
    one = machine()
    with torch.no_grad():
        expected = torch.softmax(-one.free_energy(every(4)), dim=0)
        seen = one.gibbs(torch.zeros(20_000, 4), 50, torch.Generator().manual_seed(0))
    numbers = (seen @ torch.tensor([8.0, 4.0, 2.0, 1.0])).long().bincount(minlength=16)
    torch.testing.assert_close(numbers / len(seen), expected, atol=0.02, rtol=0)


def test_gradient_is_what_goes_together_in_the_data_less_what_goes_together_after_a_step() -> None:
    """Hinton 2002, equation 5 for the weights: <v h> of the data minus <v h> of the reconstruction."""
    one = machine()
    examples = every(4)[[1, 6, 11]]
    torch.manual_seed(1)
    contrastive_divergence(one.contrast(examples), examples).backward()
    torch.manual_seed(1)
    with torch.no_grad():
        reached = one.down(torch.bernoulli(one(examples)))
        together = one(examples).t() @ examples - one(reached).t() @ reached
    torch.testing.assert_close(one.weight.grad, -together / 3)


def test_training_lowers_the_energy_of_what_was_seen_against_what_was_not() -> None:
    one = machine()
    seen = every(4)[[3, 12]]  # 0011 and 1100
    optimizer = torch.optim.SGD(one.parameters(), lr=0.1)
    for _ in range(1500):
        optimizer.zero_grad()
        contrastive_divergence(one.contrast(seen), seen).backward()
        optimizer.step()
    with torch.no_grad():
        likely = torch.softmax(-one.free_energy(every(4)), dim=0)
    assert likely[3] + likely[12] > 0.6


def test_a_gaussian_machine_without_weights_draws_from_its_biases() -> None:
    one = BoltzmannMachine(2, 3, gaussian=True)
    torch.nn.init.zeros_(one.weight)
    one.visible_bias.data[:] = torch.tensor([3.0, -1.0])
    with torch.no_grad():
        drawn = one.gibbs(torch.zeros(5000, 2), 1, torch.Generator().manual_seed(0))
    torch.testing.assert_close(drawn.mean(0), one.visible_bias.data, atol=0.06, rtol=0)
    torch.testing.assert_close(drawn.std(0), torch.ones(2), atol=0.06, rtol=0)


def test_no_gradient_of_a_machine_reaches_those_below_it() -> None:
    torch.manual_seed(0)
    whole = DeepBelief((6, 5, 4), None)
    examples = torch.rand(8, 6)
    torch.manual_seed(1)
    contrastive_divergence(whole(examples), examples).backward()
    first, second = whole.stack()
    torch.manual_seed(1)
    alone = BoltzmannMachine(6, 5)
    alone.load_state_dict(first.state_dict())
    torch.manual_seed(1)
    contrastive_divergence(alone.contrast(examples), examples).backward()
    torch.testing.assert_close(first.weight.grad, alone.weight.grad)
    assert second.weight.grad is not None
    assert math.isfinite(second.weight.grad.sum().item())


def test_a_deep_network_samples_values_of_its_lowest_units() -> None:
    torch.manual_seed(0)
    samples = DeepBelief((6, 5, 4), 2).sample(7, torch.Generator().manual_seed(0), steps=3)
    assert samples.shape == (7, 6)
    assert ((samples >= 0) & (samples <= 1)).all()
