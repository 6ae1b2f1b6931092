"""The diffusion model: learns to take noise out of examples, and makes new ones by doing that to pure noise.

Ho, Jain and Abbeel 2020, Denoising diffusion probabilistic models (arXiv:2006.11239): the simple loss of its section 3.4,
noise that grows linearly with the step, shortened from 1000 steps with the same total; the step is told as sines and
cosines (Vaswani et al. 2017). Pictures are denoised by a U-Net, other examples by dense layers.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from advisor.networks.layers import activation
from advisor.networks.sizes import DIFFUSION_STEPS, TIME_WIDTH
from advisor.networks.spec import Layout, NetworkSpec, flat_values, hidden_units, layout, picture_of


class Denoised(NamedTuple):
    """What the network took for the noise, and the noise itself, in the shape of the examples."""

    guess: Tensor
    noise: Tensor


class Diffusion(nn.Module):
    """(batch, values) or (batch, colours, side, side) -> Denoised, at a step drawn anew for every example.

    Examples should have about the mean 0 and variance 1 (of pictures: dots from -1 to 1), as the noise has.
    """

    def __init__(self, denoiser: nn.Module, shape: tuple[int, ...], steps: int = DIFFUSION_STEPS) -> None:
        super().__init__()
        self.denoiser, self.shape, self.steps = denoiser, shape, steps
        self.noisiness: Tensor
        self.left: Tensor
        added = torch.linspace(1e-4, 0.02, steps) * (1000 / steps)
        self.register_buffer("noisiness", added, persistent=False)
        self.register_buffer("left", (1 - added).cumprod(0), persistent=False)

    def forward(self, examples: Tensor) -> Denoised:
        step = torch.randint(self.steps, (len(examples),), device=examples.device)
        noise = torch.randn_like(examples)
        left = self.left[step].view(-1, *[1] * (examples.dim() - 1))
        noisy = left.sqrt() * examples + (1 - left).sqrt() * noise
        return Denoised(self.denoiser(noisy, step), noise)

    def sample(self, number: int, generator: Generator | None = None) -> Tensor:
        """(number, values) or (number, colours, side, side), by algorithm 2 of the paper."""
        examples = torch.randn(number, *self.shape, generator=generator)
        for step in reversed(range(self.steps)):
            guess = self.denoiser(examples, torch.full((number,), step))
            added, left = self.noisiness[step], self.left[step]
            examples = (examples - added / (1 - left).sqrt() * guess) / (1 - added).sqrt()
            if step:
                examples = examples + added.sqrt() * torch.randn(examples.shape, generator=generator)
        return examples


class StepCode(nn.Module):
    """(batch,) of step numbers -> (batch, TIME_WIDTH)."""

    def __init__(self, function: str) -> None:
        super().__init__()
        self.mix = nn.Sequential(nn.Linear(TIME_WIDTH, TIME_WIDTH), activation(function))
        self.frequencies: Tensor
        exponents = torch.linspace(0, 1, TIME_WIDTH // 2)
        self.register_buffer("frequencies", torch.exp(-math.log(10000) * exponents), persistent=False)

    def forward(self, step: Tensor) -> Tensor:
        angles = step[:, None] * self.frequencies
        code: Tensor = self.mix(torch.cat([angles.sin(), angles.cos()], dim=1))
        return code


class FlatDenoiser(nn.Module):
    """(batch, values), (batch,) of steps -> (batch, values): dense layers, each told the step."""

    def __init__(self, values: int, units: tuple[int, ...], function: str) -> None:
        super().__init__()
        self.code = StepCode(function)
        self.layers = nn.ModuleList(nn.Linear(before, after) for before, after in pairwise((values, *units)))
        self.told = nn.ModuleList(nn.Linear(TIME_WIDTH, width) for width in units)
        self.squash = activation(function)
        self.head = nn.Linear(units[-1], values)

    def forward(self, values: Tensor, step: Tensor) -> Tensor:
        code = self.code(step)
        for layer, told in zip(self.layers, self.told, strict=True):
            values = self.squash(layer(values) + told(code))
        result: Tensor = self.head(values)
        return result


class PictureDenoiser(nn.Module):
    """(batch, colours, side, side), (batch,) of steps -> the same shape: a U-Net whose every stage is told the step."""

    def __init__(self, colours: int, channels: tuple[int, ...], function: str) -> None:
        super().__init__()
        self.code = StepCode(function)
        self.down = nn.ModuleList(ToldStage(*pair, function) for pair in pairwise((colours, *channels)))
        way_up = list(pairwise(channels[::-1]))
        self.widen = nn.ModuleList(nn.ConvTranspose2d(below, here, 2, stride=2) for below, here in way_up)
        self.up = nn.ModuleList(ToldStage(2 * here, here, function) for _, here in way_up)
        self.halve = nn.MaxPool2d(2)
        self.head = nn.Conv2d(channels[0], colours, 1)

    def forward(self, pictures: Tensor, step: Tensor) -> Tensor:
        code = self.code(step)
        here = self.down[0](pictures, code)
        opposite: list[Tensor] = []
        for stage in list(self.down)[1:]:
            opposite.append(here)
            here = stage(self.halve(here), code)
        for widen, stage in zip(self.widen, self.up, strict=True):
            here = stage(torch.cat([opposite.pop(), widen(here)], dim=1), code)
        result: Tensor = self.head(here)
        return result


class ToldStage(nn.Module):
    """Two 3x3 convolutions that keep the size; what the step means is added between them."""

    def __init__(self, before: int, after: int, function: str) -> None:
        super().__init__()
        self.first = nn.Conv2d(before, after, 3, padding=1)
        self.told = nn.Linear(TIME_WIDTH, after)
        self.second = nn.Conv2d(after, after, 3, padding=1)
        self.squash = activation(function)

    def forward(self, maps: Tensor, code: Tensor) -> Tensor:
        maps = self.squash(self.first(maps) + self.told(code)[:, :, None, None])
        result: Tensor = self.squash(self.second(maps))
        return result


def build_diffusion(spec: NetworkSpec) -> nn.Module:
    units = hidden_units(spec)
    if layout(spec) is Layout.FLAT:
        values = flat_values(spec)
        return Diffusion(FlatDenoiser(values, units, spec.activation), (values,))
    shape = picture_of(spec)
    denoiser = PictureDenoiser(shape.colours, units, spec.activation)
    return Diffusion(denoiser, (shape.colours, shape.side, shape.side))
