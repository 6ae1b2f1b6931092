"""The diffusion model: learns to take noise out of examples, and makes new ones by doing that to pure noise.

Ho, Jain and Abbeel 2020, Denoising diffusion probabilistic models (arXiv:2006.11239): the simple loss of its section 3.4,
noise that grows linearly with the step, shortened from 1000 steps with the same total; the step is told as sines and
cosines (Vaswani et al. 2017). Pictures are denoised by a U-Net, other examples by dense layers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from advisor.networks.parts.layers import Following, dropped
from advisor.networks.parts.sizes import DIFFUSION_STEPS, TIME_WIDTH


class Denoised(NamedTuple):
    """The noise as the network guesses it, and the noise itself, in the shape of the examples."""

    guess: Tensor
    noise: Tensor


class Diffusion(nn.Module):
    """(batch, *shape) -> Denoised, at a step drawn anew for every example.

    Examples should have about the mean 0 and variance 1 (of pictures: pixels from -1 to 1), as the noise has.
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

    def sample(
        self, number: int, generator: Generator | None = None, *, progress: Callable[[int, int], None] | None = None
    ) -> Tensor:
        """(number, *shape), by algorithm 2 of the paper."""
        device = self.left.device
        examples = torch.randn(number, *self.shape, generator=generator, device=device)
        for step in reversed(range(self.steps)):
            guess = self.denoiser(examples, torch.full((number,), step, device=device))
            added, left = self.noisiness[step], self.left[step]
            examples = (examples - added / (1 - left).sqrt() * guess) / (1 - added).sqrt()
            if step:
                noise = torch.randn(examples.shape, generator=generator, device=device)
                examples = examples + added.sqrt() * noise
            if progress is not None:
                progress(self.steps - step, self.steps)
        return examples


class StepCode(nn.Module):
    """(batch,) of step numbers -> (batch, TIME_WIDTH)."""

    def __init__(self, squash: nn.Module) -> None:
        super().__init__()
        self.mix = nn.Sequential(nn.Linear(TIME_WIDTH, TIME_WIDTH), squash)
        self.frequencies: Tensor
        exponents = torch.linspace(0, 1, TIME_WIDTH // 2)
        self.register_buffer("frequencies", torch.exp(-math.log(10000) * exponents), persistent=False)

    def forward(self, step: Tensor) -> Tensor:
        angles = step[:, None] * self.frequencies
        code: Tensor = self.mix(torch.cat([angles.sin(), angles.cos()], dim=1))
        return code


class FlatDenoiser(nn.Module):
    """(batch, ...) of widths[0] values, (batch,) of steps -> the same shape: linear layers, each of which is told the step."""

    def __init__(self, widths: tuple[int, ...], following: Following, squash: nn.Module) -> None:
        super().__init__()
        self.code = StepCode(squash)
        self.layers = nn.ModuleList(nn.Linear(before, after) for before, after in pairwise(widths))
        self.told = nn.ModuleList(nn.Linear(TIME_WIDTH, width) for width in widths[1:])
        self.following = nn.ModuleList(nn.Sequential(*following(width)) for width in widths[1:])
        self.head = nn.Linear(widths[-1], widths[0])

    def forward(self, examples: Tensor, step: Tensor) -> Tensor:
        code, values = self.code(step), examples.flatten(1)
        for layer, told, following in zip(self.layers, self.told, self.following, strict=True):
            values = following(layer(values) + told(code))
        result: Tensor = self.head(values).view_as(examples)
        return result


class PictureDenoiser(nn.Module):
    """(batch, channels[0], height, width), (batch,) of steps -> the same shape: a U-Net, each stage told the step.

    Args:
        squash: the activation of what needs no normalisation.
        dropout: the share of values that are left out between the two convolutions of each stage.
    """

    def __init__(
        self, channels: tuple[int, ...], following: Following, squash: nn.Module, dropout: float = 0.0
    ) -> None:
        super().__init__()
        way_up = list(pairwise(channels[:0:-1]))
        self.code = StepCode(squash)
        self.down = nn.ModuleList(ToldStage(*pair, following, squash, dropout) for pair in pairwise(channels))
        self.widen = nn.ModuleList(nn.ConvTranspose2d(below, here, 2, stride=2) for below, here in way_up)
        self.up = nn.ModuleList(ToldStage(2 * here, here, following, squash, dropout) for _, here in way_up)
        self.halve = nn.MaxPool2d(2, ceil_mode=True)
        self.head = nn.Conv2d(channels[1], channels[0], 1)

    def forward(self, pictures: Tensor, step: Tensor) -> Tensor:
        code = self.code(step)
        here = self.down[0](pictures, code)
        opposite: list[Tensor] = []
        for stage in list(self.down)[1:]:
            opposite.append(here)
            here = stage(self.halve(here), code)
        for widen, stage in zip(self.widen, self.up, strict=True):
            beside = opposite.pop()
            height, width = beside.shape[2:]
            here = stage(torch.cat([beside, widen(here)[:, :, :height, :width]], dim=1), code)
        result: Tensor = self.head(here)
        return result


class ToldStage(nn.Module):
    """Two 3x3 convolutions that keep the size; a linear map of the step's code is added between them."""

    def __init__(self, before: int, after: int, following: Following, squash: nn.Module, dropout: float) -> None:
        super().__init__()
        self.first = nn.Conv2d(before, after, 3, padding=1)
        self.told = nn.Linear(TIME_WIDTH, after)
        self.following = nn.Sequential(*following(after), *dropped(dropout))
        self.second = nn.Conv2d(after, after, 3, padding=1)
        self.squash = squash

    def forward(self, maps: Tensor, code: Tensor) -> Tensor:
        maps = self.following(self.first(maps) + self.told(code)[:, :, None, None])
        result: Tensor = self.squash(self.second(maps))
        return result


def noise_prediction(denoised: Denoised, examples: Tensor) -> Tensor:
    """The mean squared error of the guessed noise (Ho et al. 2020, equation 14)."""
    return functional.mse_loss(denoised.guess, denoised.noise)
