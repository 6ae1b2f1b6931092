"""The transformer: every step attends to every other. For texts, long series, and pictures cut into patches.

Vaswani et al. 2017 (arXiv:1706.03762), with the normalisation before each part (Xiong et al. 2020, arXiv:2002.04745);
pictures as in Dosovitskiy et al. 2021 (arXiv:2010.11929), films as in Tong et al. 2022 (arXiv:2203.12602), waves of sound as
in Baevski et al. 2020 (arXiv:2006.11477), spectrograms as in Radford et al. 2022 (arXiv:2212.04356).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


class Transformer(nn.Module):
    """Examples that `reader` turns into (batch, steps, width) -> (batch, outputs), or (batch, steps, outputs).

    Encoder layers; the mean over the steps answers for the example, or every step for itself.

    Args:
        reader: such as an embedding of tokens, a linear layer, or Patches.
        width: of a step; wider is the width between the two linear layers of each encoder layer.
        activation: between these two.
        causal: whether no step sees those after it, so that each can predict the next.
        padded: whether token 0 only fills up short texts: then no step attends to it.
        tied: whether the embedding is the last matrix as well (Press and Wolf 2017, arXiv:1608.05859).
        key_heads: those of keys and values in layers as large language models have them, see Gated; None for the usual ones.
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
        tied: bool = False,
        key_heads: int | None = None,
    ) -> None:
        super().__init__()
        self.reader = reader
        self.every_step, self.causal, self.padded = every_step, causal, padded
        if key_heads is None:
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
            self.layers: nn.Module = nn.TransformerEncoder(
                layer, layers, nn.LayerNorm(width), enable_nested_tensor=False
            )
        else:
            self.register_parameter("positions", None)
            self.layers = Gated(width, wider, heads, key_heads, layers, activation, dropout)
        self.head = nn.Linear(width, outputs, bias=key_heads is None and not tied)
        if tied:
            self.head.weight = reader.weight  # type: ignore[assignment]
            nn.init.normal_(self.head.weight, std=0.02)

    def forward(self, examples: Tensor) -> Tensor:
        steps = self.reader(examples)
        if self.positions is not None:
            steps = steps + self.positions[: steps.shape[1]]
        mask = padding = None
        if self.causal and not isinstance(self.layers, Gated):  # whose kernel needs none
            mask = nn.Transformer.generate_square_subsequent_mask(steps.shape[1], device=steps.device)
        if self.padded:
            padding = examples == 0
            padding[:, 0] = False  # an empty text still has one step to look at
        steps = self.layers(steps, mask=mask, src_key_padding_mask=padding, is_causal=self.causal)
        result: Tensor = self.head(steps if self.every_step else _mean(steps, padding))
        return result


class Gated(nn.Module):
    """(batch, steps, width) -> the same: layers as language models of a billion weights and more have them.

    RMSNorm before each part (Zhang and Sennrich 2019, arXiv:1910.07467), queries and keys that are turned by their positions
    (Su et al. 2021, arXiv:2104.09864), keys and values that several heads share (Ainslie et al. 2023, arXiv:2305.13245),
    feed-forward layers with a gate (Shazeer 2020, arXiv:2002.05202), and no shifts; all together in Grattafiori et al. 2024
    (arXiv:2407.21783), section 3.2.
    """

    def __init__(
        self, width: int, wider: int, heads: int, key_heads: int, layers: int, activation: nn.Module, dropout: float
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            GatedLayer(width, wider, heads, key_heads, activation, dropout) for _ in range(layers)
        )
        self.norm = nn.RMSNorm(width)

    def forward(
        self, steps: Tensor, mask: None = None, src_key_padding_mask: Tensor | None = None, is_causal: bool = False
    ) -> Tensor:
        for layer in self.layers:
            steps = layer(steps, src_key_padding_mask, is_causal)
        result: Tensor = self.norm(steps)
        return result


class GatedLayer(nn.Module):
    """See Gated."""

    def __init__(
        self, width: int, wider: int, heads: int, key_heads: int, activation: nn.Module, dropout: float
    ) -> None:
        super().__init__()
        self.head, shared = width // heads, key_heads * (width // heads)
        self.norm1, self.norm2 = nn.RMSNorm(width), nn.RMSNorm(width)
        self.query, self.key, self.value = (nn.Linear(width, size, bias=False) for size in (width, shared, shared))
        self.output = nn.Linear(width, width, bias=False)
        self.gate, self.up = nn.Linear(width, wider, bias=False), nn.Linear(width, wider, bias=False)
        self.down = nn.Linear(wider, width, bias=False)
        self.activation, self.dropout = activation, nn.Dropout(dropout)

    def forward(self, steps: Tensor, padding: Tensor | None, causal: bool) -> Tensor:
        steps = steps + self.dropout(self._attend(self.norm1(steps), padding, causal))
        seen = self.norm2(steps)
        inner = self.dropout(self.activation(self.gate(seen)) * self.up(seen))
        result: Tensor = steps + self.dropout(self.down(inner))
        return result

    def _attend(self, steps: Tensor, padding: Tensor | None, causal: bool) -> Tensor:
        heads = (self.query, self.key, self.value)
        query, key, value = (part(steps).unflatten(2, (-1, self.head)) for part in heads)
        seen = functional.scaled_dot_product_attention(
            turned(query).transpose(1, 2),
            turned(key).transpose(1, 2),
            value.transpose(1, 2),
            attn_mask=None if padding is None else ~padding[:, None, None],
            dropout_p=self.dropout.p if self.training else 0.0,
            is_causal=causal,
            enable_gqa=True,
        )
        result: Tensor = self.output(seen.transpose(1, 2).flatten(2))
        return result


def turned(heads: Tensor) -> Tensor:
    """(batch, steps, heads, width of a head) -> the same, each pair of values turned by an angle that grows with the step."""
    steps, half = heads.shape[1], heads.shape[3] // 2
    slower = torch.arange(half, device=heads.device) / max(1, half)
    angles = torch.outer(torch.arange(steps, device=heads.device), 1e4**-slower).unsqueeze(1)
    sine, cosine = angles.sin().to(heads.dtype), angles.cos().to(heads.dtype)
    first, second, rest = heads[..., :half], heads[..., half : 2 * half], heads[..., 2 * half :]
    return torch.cat([first * cosine - second * sine, first * sine + second * cosine, rest], dim=3)


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

    def __init__(self, colors: int, side: int, width: int, size: int) -> None:
        super().__init__()
        self.frame, self.size = (colors, side, side), size
        self.cut = nn.Conv3d(colors, width, kernel_size=(2, size, size), stride=(2, size, size))

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
