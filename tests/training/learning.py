"""Small objectives and examples that the tests of the loop train on."""

from __future__ import annotations

import torch
from torch import Generator, Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, mse_loss

from advisor.networks.parts.layers import after_layers, dense
from advisor.training.loop.objectives import Batch, Objective, Player, Supervised


def two_moons(examples: int = 200, seed: int = 0) -> Batch:
    """Points of two half circles that lie within each other: (n, 2), and which circle (n,)."""
    generator = Generator().manual_seed(seed)
    angle = torch.rand(examples, generator=generator) * torch.pi
    circle = torch.arange(examples) % 2
    x = torch.where(circle == 0, angle.cos(), 1 - angle.cos())
    y = torch.where(circle == 0, angle.sin(), 0.5 - angle.sin())
    return torch.stack([x, y], 1) + 0.1 * torch.randn(examples, 2, generator=generator), circle


def classifier(*, dropout: float = 0.0, norm: bool = False, seed: int = 0) -> Supervised:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        first, function, last = dense((2, 16, 2), after_layers(nn.Tanh))
        middle = [nn.BatchNorm1d(16)] if norm else []
        network = nn.Sequential(first, *middle, function, nn.Dropout(dropout), last)
    return Supervised(network, cross_entropy)


def line(seed: int = 0) -> tuple[Supervised, Batch]:
    """One number predicted from three, exactly linear."""
    generator = Generator().manual_seed(seed)
    inputs = torch.randn(64, 3, generator=generator)
    network = nn.Linear(3, 1)
    nn.init.zeros_(network.weight)
    nn.init.zeros_(network.bias)
    return Supervised(network, mse_loss), (inputs, inputs @ torch.tensor([[1.0], [-2.0], [0.5]]) + 0.3)


def right(objective: Supervised, examples: Batch) -> float:
    with torch.no_grad():
        return (objective.module(examples[0]).argmax(1) == examples[1]).float().mean().item()


def same_weights(first: nn.Module, second: nn.Module) -> bool:
    """Bit for bit, buffers included."""
    pairs = zip(first.state_dict().values(), second.state_dict().values(), strict=True)
    return all(torch.equal(one, other) for one, other in pairs)


class Rivals(Objective):
    """A generator of numbers around 3, and who tells them from true ones (Goodfellow et al. 2014)."""

    def __init__(self) -> None:
        with torch.random.fork_rng():
            torch.manual_seed(0)
            maker, judge = nn.Linear(1, 1), dense((1, 16, 1), after_layers(nn.ReLU))
        super().__init__(nn.ModuleDict({"maker": maker, "judge": judge}))
        self.turns: list[str] = []

    def made(self, number: int) -> Tensor:
        result: Tensor = self.module["maker"](torch.randn(number, 1))
        return result

    def maker_loss(self, batch: Batch) -> Tensor:
        self.turns.append("maker")
        return binary_cross_entropy_with_logits(
            self.module["judge"](self.made(len(batch[0]))), torch.ones(len(batch[0]), 1)
        )

    def judge_loss(self, batch: Batch) -> Tensor:
        self.turns.append("judge")
        verdicts = self.module["judge"](torch.cat([batch[0], self.made(len(batch[0])).detach()]))
        truth = torch.cat([torch.ones(len(batch[0]), 1), torch.zeros(len(batch[0]), 1)])
        return binary_cross_entropy_with_logits(verdicts, truth)

    def loss(self, batch: Batch) -> Tensor:
        return self.maker_loss(batch)

    def players(self) -> list[Player]:
        return [
            Player(tuple(self.module["judge"].parameters()), self.judge_loss),
            Player(tuple(self.module["maker"].parameters()), self.maker_loss),
        ]
