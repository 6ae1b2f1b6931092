"""The convolutional network: for pictures, and for series and texts whose neighbouring steps belong together.

LeCun et al. 1998, Gradient-based learning applied to document recognition; two narrow convolutions a stage from
Simonyan and Zisserman 2015 (arXiv:1409.1556), the average over all places instead of wide dense layers from Lin, Chen
and Yan 2014 (arXiv:1312.4400); over words Kim 2014 (arXiv:1408.5882).
"""

from __future__ import annotations

from itertools import pairwise

from torch import Tensor, nn

from advisor.networks.layers import activation
from advisor.networks.sizes import EMBEDDING_WIDTH
from advisor.networks.spec import Layout, NetworkSpec, hidden_units, layout, picture_of


class PictureCnn(nn.Module):
    """(batch, colours, side, side) -> (batch, outputs).

    Each stage has two 3x3 convolutions and halves the picture, as long as there is more than one dot to halve.
    """

    def __init__(self, spec: NetworkSpec) -> None:
        super().__init__()
        shape = picture_of(spec)
        side, channels = shape.side, (shape.colours, *hidden_units(spec))
        stages: list[nn.Module] = []
        for before, after in pairwise(channels):
            stages += [nn.Conv2d(before, after, 3, padding=1), activation(spec.activation)]
            stages += [nn.Conv2d(after, after, 3, padding=1), activation(spec.activation)]
            if side > 1:
                stages.append(nn.MaxPool2d(2))
                side //= 2
        self.stages = nn.Sequential(*stages, nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.head = nn.Linear(channels[-1], spec.outputs)

    def forward(self, pictures: Tensor) -> Tensor:
        result: Tensor = self.head(self.stages(pictures))
        return result


class SequenceCnn(nn.Module):
    """(batch, steps, values) or (batch, steps) of tokens -> (batch, outputs).

    Each stage looks at three neighbouring steps and halves their number, as long as there is more than one.
    """

    def __init__(self, spec: NetworkSpec) -> None:
        super().__init__()
        tokens = layout(spec) is Layout.TOKENS
        self.embedding = nn.Embedding(spec.inputs, EMBEDDING_WIDTH) if tokens else nn.Identity()
        steps = spec.sequence_length or 1
        channels = (EMBEDDING_WIDTH if tokens else spec.inputs, *hidden_units(spec))
        stages: list[nn.Module] = []
        for before, after in pairwise(channels):
            stages += [nn.Conv1d(before, after, 3, padding=1), activation(spec.activation)]
            if steps > 1:
                stages.append(nn.MaxPool1d(2))
                steps //= 2
        self.stages = nn.Sequential(*stages, nn.AdaptiveAvgPool1d(1), nn.Flatten())
        self.head = nn.Linear(channels[-1], spec.outputs)

    def forward(self, steps: Tensor) -> Tensor:
        result: Tensor = self.head(self.stages(self.embedding(steps).transpose(1, 2)))
        return result


def build_cnn(spec: NetworkSpec) -> nn.Module:
    return PictureCnn(spec) if layout(spec) is Layout.PICTURE else SequenceCnn(spec)
