"""The transformer: every step attends to every other. For texts, long series, and pictures cut into patches.

Vaswani et al. 2017 (arXiv:1706.03762), with the normalisation before each part (Xiong et al. 2020, arXiv:2002.04745);
pictures as in Dosovitskiy et al. 2021 (arXiv:2010.11929).
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


def _mean(steps: Tensor, padding: Tensor | None) -> Tensor:
    """(batch, width): over all steps, or over those that are not padding."""
    if padding is None:
        return steps.mean(dim=1)
    present = (~padding).unsqueeze(2).to(steps.dtype)
    return (steps * present).sum(1) / present.sum(1)
