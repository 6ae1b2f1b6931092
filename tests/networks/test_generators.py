"""Adversaries, diffusion, and sampling from all that can make examples."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from advisor.networks.builders import build
from advisor.networks.families.diffusion.network import Diffusion
from advisor.networks.families.gan.network import Adversaries, adversarial, judging, passing_off
from tests.networks.all_examples import SPECS
from tests.networks.sampling import sample

MAKERS = {
    "vae": (3, 12),
    "vae of pictures": (3, 3, 32, 32),
    "gan": (3, 12),
    "gan of pictures": (3, 3, 28, 28),
    "diffusion": (3, 12),
    "diffusion of pictures": (3, 1, 16, 16),
    "rbm": (3, 64),
    "rbm of numbers": (3, 9),
    "dbn": (3, 64),
}


@pytest.mark.parametrize("name", MAKERS)
def test_samples_look_like_the_examples_and_follow_the_seed(name: str) -> None:
    torch.manual_seed(0)
    network = build(SPECS[name])
    state = torch.get_rng_state()
    first, second, other = (sample(network, 3, seed) for seed in (1, 1, 2))
    assert first.shape == MAKERS[name]
    assert torch.equal(first, second)
    assert not torch.equal(first, other)
    assert not first.requires_grad
    assert network.training
    assert torch.equal(torch.get_rng_state(), state), "the global generator was used"


def test_a_network_that_makes_nothing_says_so() -> None:
    with pytest.raises(TypeError, match="A PictureCnn makes no new examples"):
        sample(build(SPECS["cnn of pictures"]), 3)


@pytest.mark.parametrize("name", ["gan", "gan of pictures"])
def test_the_sum_of_the_losses_gives_each_player_its_own_gradient(name: str) -> None:
    torch.manual_seed(0)
    network = build(SPECS[name])
    assert isinstance(network, Adversaries)
    real = torch.rand(4, *MAKERS[name][1:])

    def gradients(loss: object) -> list[Tensor]:
        network.zero_grad()
        torch.manual_seed(1)
        loss(network(real)).backward()  # type: ignore[operator]
        return [weight.grad.clone() for weight in network.parameters() if weight.grad is not None]

    both = gradients(lambda judged: adversarial(judged, real))
    for ours, apart in zip(both, gradients(passing_off) + gradients(judging), strict=True):
        torch.testing.assert_close(ours, apart)


def test_the_judge_is_not_moved_by_its_opponent() -> None:
    torch.manual_seed(0)
    network = build(SPECS["gan"])
    assert isinstance(network, Adversaries)
    passing_off(network(torch.rand(4, 12))).backward()
    assert all(weight.grad is None for weight in network.judge.parameters())
    assert all(weight.grad is not None for weight in network.generator.parameters())


class Knowing(nn.Module):
    """The best possible guess of the noise in examples whose values are normal with this mean and deviation."""

    def __init__(self, mean: float, deviation: float) -> None:
        super().__init__()
        self.mean, self.deviation = mean, deviation
        self.left: Tensor

    def forward(self, noisy: Tensor, step: Tensor) -> Tensor:
        left = self.left[step][:, None]
        apart = noisy - left.sqrt() * self.mean
        return (1 - left).sqrt() * apart / (left * self.deviation**2 + 1 - left)


def test_whoever_knows_the_noise_makes_examples_of_the_right_mean_and_spread() -> None:
    knowing = Knowing(mean=1.5, deviation=0.4)
    model = Diffusion(knowing, (2,))
    knowing.left = model.left
    made = sample(model, 5000)
    torch.testing.assert_close(made.mean(0), torch.full((2,), 1.5), atol=0.05, rtol=0)
    torch.testing.assert_close(made.std(0), torch.full((2,), 0.4), atol=0.05, rtol=0)


def test_noise_hides_the_examples_in_the_end_and_hardly_in_the_beginning() -> None:
    model = Diffusion(nn.Identity(), (2,))
    assert model.left[0] > 0.99
    assert model.left[-1] < 1e-3
    assert (model.left.diff() < 0).all()


def test_noisy_examples_keep_their_variance() -> None:
    """So the network sees numbers of the same size at every step."""

    class Recording(nn.Module):
        def forward(self, noisy: Tensor, step: Tensor) -> Tensor:
            self.seen = noisy
            return noisy

    torch.manual_seed(0)
    recording = Recording()
    Diffusion(recording, (2,))(torch.randn(20_000, 2))
    torch.testing.assert_close(recording.seen.std(0), torch.ones(2), atol=0.03, rtol=0)
