"""The transformer: every step attends to every other. For texts, long series, and pictures cut into patches.

Vaswani et al. 2017 (arXiv:1706.03762), with the normalisation before each part (Xiong et al. 2020, arXiv:2002.04745);
pictures as in Dosovitskiy et al. 2021 (arXiv:2010.11929).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from advisor.networks.sizes import heads, layers_for, patch_size
from advisor.networks.spec import Layout, NetworkSpec, Picture, foretells_tokens, hidden_units, layout, picture_of


class Transformer(nn.Module):
    """(batch, steps, values), (batch, steps) of tokens or pictures -> (batch, outputs), or (batch, steps, outputs).

    Encoder layers; the mean over the steps answers for the example. Where every token is foretold, no step sees those
    after it and each answers for itself.
    """

    def __init__(self, spec: NetworkSpec) -> None:
        super().__init__()
        width, *rest = hidden_units(spec)
        self.reader, steps = _reader(spec, width)
        self.positions = nn.Parameter(torch.randn(steps, width) * 0.02)
        layer = nn.TransformerEncoderLayer(
            width,
            nhead=heads(width),
            dim_feedforward=rest[0] if rest else 4 * width,
            dropout=0.0,
            activation="gelu" if spec.activation == "gelu" else "relu",
            batch_first=True,
            norm_first=True,
        )
        self.layers = nn.TransformerEncoder(layer, layers_for(width), nn.LayerNorm(width), enable_nested_tensor=False)
        self.every_step = foretells_tokens(spec)
        self.head = nn.Linear(width, spec.outputs)

    def forward(self, examples: Tensor) -> Tensor:
        steps = self.reader(examples) + self.positions
        mask = None
        if self.every_step:
            mask = nn.Transformer.generate_square_subsequent_mask(steps.shape[1], device=steps.device)
        steps = self.layers(steps, mask=mask, is_causal=self.every_step)
        result: Tensor = self.head(steps if self.every_step else steps.mean(dim=1))
        return result


class Patches(nn.Module):
    """(batch, colours, side, side) -> (batch, patches, width)."""

    def __init__(self, shape: Picture, width: int) -> None:
        super().__init__()
        size = patch_size(shape.side)
        self.number = (shape.side // size) ** 2
        self.cut = nn.Conv2d(shape.colours, width, kernel_size=size, stride=size)

    def forward(self, pictures: Tensor) -> Tensor:
        patches: Tensor = self.cut(pictures).flatten(2).transpose(1, 2)
        return patches


def _reader(spec: NetworkSpec, width: int) -> tuple[nn.Module, int]:
    """What turns an example into steps of this width, and how many steps there are."""
    match layout(spec):
        case Layout.PICTURE:
            patches = Patches(picture_of(spec), width)
            return patches, patches.number
        case Layout.TOKENS:
            return nn.Embedding(spec.inputs, width), spec.sequence_length or 1
        case _:
            return nn.Linear(spec.inputs, width), spec.sequence_length or 1
