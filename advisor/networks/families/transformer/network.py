"""The transformer: every step attends to every other. For texts, long series, and pictures cut into patches.

Vaswani et al. 2017 (arXiv:1706.03762), with the normalisation before each part (Xiong et al. 2020, arXiv:2002.04745);
pictures as in Dosovitskiy et al. 2021 (arXiv:2010.11929), films as in Tong et al. 2022 (arXiv:2203.12602), waves of sound as
in Baevski et al. 2020 (arXiv:2006.11477), spectrograms as in Radford et al. 2022 (arXiv:2212.04356).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Transformer(nn.Module):
    """Examples that `reader` turns into (batch, steps, width) -> (batch, outputs), or (batch, steps, outputs).

    Encoder layers; the mean over the steps answers for the example, or every step for itself.

    Args:
        reader: such as an embedding of tokens, a linear layer, or Patches.
        width: of a step; wider is the width between the two linear layers of each encoder layer.
        activation: between these two.
        causal: whether no step sees those after it, so that each can predict the next.
        padded: whether token 0 only fills up short texts: then no step attends to it.
    """

    def __init__(
        self,
        reader: nn.Module,
        steps: int,
        width: int,
        wider: int,
        heads: int,
        layers: int,
        outputs: int,
        activation: nn.Module,
        *,
        every_step: bool = False,
        causal: bool = False,
        padded: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.reader = reader
        self.positions = nn.Parameter(torch.randn(steps, width) * 0.02)
        layer = nn.TransformerEncoderLayer(
            width,
            nhead=heads,
            dim_feedforward=wider,
            dropout=dropout,
            activation=activation,
            batch_first=True,
            norm_first=True,
        )
        self.layers = nn.TransformerEncoder(layer, layers, nn.LayerNorm(width), enable_nested_tensor=False)
        self.every_step, self.causal, self.padded = every_step, causal, padded
        self.head = nn.Linear(width, outputs)

    def forward(self, examples: Tensor) -> Tensor:
        steps = self.reader(examples)
        steps = steps + self.positions[: steps.shape[1]]
        mask = padding = None
        if self.causal:
            mask = nn.Transformer.generate_square_subsequent_mask(steps.shape[1], device=steps.device)
        if self.padded:
            padding = examples == 0
            padding[:, 0] = False  # an empty text still has one step to look at
        steps = self.layers(steps, mask=mask, src_key_padding_mask=padding, is_causal=self.causal)
        result: Tensor = self.head(steps if self.every_step else _mean(steps, padding))
        return result


class Patches(nn.Module):
    """(batch, channels, height, width) -> (batch, patches, width of a step), from patches so many pixels wide."""

    def __init__(self, channels: int, width: int, size: int) -> None:
        super().__init__()
        self.cut = nn.Conv2d(channels, width, kernel_size=size, stride=size)

    def forward(self, pictures: Tensor) -> Tensor:
        patches: Tensor = self.cut(pictures).flatten(2).transpose(1, 2)
        return patches


class Tubes(nn.Module):
    """(batch, frames, values) of square frames -> (batch, tubes, width of a step), each of two frames by so many pixels."""

    def __init__(self, colours: int, side: int, width: int, size: int) -> None:
        super().__init__()
        self.frame, self.size = (colours, side, side), size
        self.cut = nn.Conv3d(colours, width, kernel_size=(2, size, size), stride=(2, size, size))

    def forward(self, films: Tensor) -> Tensor:
        frames = films.reshape(*films.shape[:2], *self.frame)
        tubes: Tensor = self.cut(frames.transpose(1, 2)).flatten(2).transpose(1, 2)
        return tubes

    def places(self, frames: int) -> int:
        """Tubes of a film of so many frames."""
        return frames // 2 * (self.frame[1] // self.size) ** 2


class Wave(nn.Module):
    """(batch, samples, values) -> (batch, steps, width): convolutions with these strides shorten a wave 320 times."""

    def __init__(
        self, values: int, width: int, channels: int, kernels: tuple[int, ...], strides: tuple[int, ...]
    ) -> None:
        super().__init__()
        self.sizes = list(zip(kernels, strides, strict=True))
        self.look = nn.ModuleList(
            nn.Conv1d(channels if number else values, channels, kernel, stride, bias=False)
            for number, (kernel, stride) in enumerate(self.sizes)
        )
        self.first = nn.GroupNorm(channels, channels)
        self.squash = nn.GELU()
        self.norm = nn.LayerNorm(channels)
        self.project = nn.Linear(channels, width)

    def forward(self, waves: Tensor) -> Tensor:
        heard = waves.transpose(1, 2)
        for number, look in enumerate(self.look):
            heard = look(heard)
            heard = self.squash(heard if number else self.first(heard))
        steps: Tensor = self.project(self.norm(heard.transpose(1, 2)))
        return steps

    def places(self, samples: int) -> int:
        """Steps of a wave of so many samples."""
        for kernel, stride in self.sizes:
            samples = (samples - kernel) // stride + 1
        return samples


class Spectrogram(nn.Module):
    """(batch, frames, values) -> (batch, steps, width): two convolutions, of which the second takes every other frame."""

    def __init__(self, values: int, width: int) -> None:
        super().__init__()
        self.look = nn.Conv1d(values, width, 3, padding=1)
        self.halve = nn.Conv1d(width, width, 3, stride=2, padding=1)
        self.squash = nn.GELU()

    def forward(self, frames: Tensor) -> Tensor:
        heard = self.squash(self.look(frames.transpose(1, 2)))
        steps: Tensor = self.squash(self.halve(heard)).transpose(1, 2)
        return steps

    def places(self, frames: int) -> int:
        """Steps of a spectrogram of so many frames."""
        return (frames + 1) // 2


def _mean(steps: Tensor, padding: Tensor | None) -> Tensor:
    """(batch, width): over all steps, or over those that are not padding."""
    if padding is None:
        return steps.mean(dim=1)
    present = (~padding).unsqueeze(2).to(steps.dtype)
    return (steps * present).sum(1) / present.sum(1)
