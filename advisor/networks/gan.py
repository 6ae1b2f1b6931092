"""The generative adversarial network: one network produces examples from noise, another learns to tell them from real ones.

Goodfellow et al. 2014 (arXiv:1406.2661), with the loss of its section 3 that does not saturate; pictures by strided
convolutions as in Radford, Metz and Chintala 2016 (arXiv:1511.06434).
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn
from torch.func import functional_call

from advisor.networks.layers import activation, dense, doubling
from advisor.networks.sizes import NOISE_WIDTH, halvings
from advisor.networks.spec import Layout, NetworkSpec, flat_values, hidden_units, layout, picture_of


class Judged(NamedTuple):
    """How real the judge takes examples to be, (batch, 1) logits each."""

    real: Tensor
    produced: Tensor
    """No gradient goes to the generator."""
    passed_off: Tensor
    """The same examples once more; no gradient goes to the judge."""


class Judge(nn.Module):
    """(batch, values) or (batch, colours, side, side) -> (batch, 1), from produced to real."""

    def __init__(self, layers: nn.Sequential) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, examples: Tensor) -> Tensor:
        for layer in self.layers:
            examples = layer(examples)
        return examples


class Adversaries(nn.Module):
    """(batch, values) or (batch, colours, side, side) of real examples -> Judged, beside as many that are produced.

    Each part of Judged reaches one player's weights only, so the sum of both losses has each player's own gradient:
    a step on it is a step of both at once. `advisor.training.loop.objectives.Adversarial` lets them play in turns.
    """

    def __init__(self, generator: nn.Module, judge: Judge) -> None:
        super().__init__()
        self.generator, self.judge = generator, judge

    def forward(self, examples: Tensor) -> Judged:
        produced = self.produce(len(examples), device=examples.device)
        weights = {name: weight.detach() for name, weight in self.judge.named_parameters()}
        passed_off = functional_call(self.judge, weights, (produced,))
        return Judged(self.judge(examples), self.judge(produced.detach()), passed_off)

    def produce(self, number: int, generator: Generator | None = None, device: torch.device | None = None) -> Tensor:
        """So many examples from new noise."""
        noise = torch.randn(number, NOISE_WIDTH, generator=generator, device=device)
        produced: Tensor = self.generator(noise)
        return produced

    def sample(self, number: int, generator: Generator | None = None) -> Tensor:
        """(number, values) or (number, colours, side, side)."""
        return self.produce(number, generator)


def build_gan(spec: NetworkSpec) -> nn.Module:
    units = hidden_units(spec)
    if layout(spec) is Layout.FLAT:
        values = flat_values(spec)
        judge = dense((values, *units, 1), spec.activation)
        return Adversaries(dense((NOISE_WIDTH, *units[::-1], values), spec.activation), Judge(judge))
    shape = picture_of(spec)
    halved = halvings(shape.side, len(units))
    layers: list[nn.Module] = []
    for (before, after), half in zip(pairwise((shape.colours, *units)), halved, strict=True):
        layers += [nn.Conv2d(before, after, 4, 2, 1) if half else nn.Conv2d(before, after, 3, padding=1)]
        layers += [activation(spec.activation)]
    side = shape.side // 2 ** sum(halved)
    layers += [nn.Flatten(), nn.Linear(units[-1] * side * side, 1)]
    generator = doubling(NOISE_WIDTH, (*units[::-1], shape.colours), shape.side, spec.activation)
    return Adversaries(generator, Judge(nn.Sequential(*layers)))
