"""The networks that were timed in table 2 of Shi et al. 2016 (arXiv:1608.07249) with their batches. No torch here.

The paper gives inputs, outputs, layers and parameters, not the widths. FCN: 1000 units a layer make the 55 and 58 million
that it states; its later revisions used 2048, with sigmoids throughout. LSTM: two layers of 256 units over an embedding as
wide, 10,000 words, a word predicted at every step, as in the authors' published configurations; that makes 6.2 million,
not the 13 million stated. All were trained by plain SGD.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from advisor.networks.families.alexnet import declaration as alexnet
from advisor.networks.families.resnet50 import declaration as resnet50
from advisor.networks.registry import family
from advisor.networks.spec import Description


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkNetwork(Description):
    """A network with the batch that it was timed with.

    Inputs are values, for the LSTM different words; steps are words of a text.
    """

    name: str
    title: str
    batch_size: int
    in_table: bool = True
    """True where the published table has it."""

    @property
    def type(self) -> str:
        """The type of network that a plan would name."""
        return "cnn" if self.modality == "image" else self.network

    def narrowed(self, share: float) -> BenchmarkNetwork:
        """The same plan with widths, inputs and outputs (of pictures the side) multiplied by a share of at most 1.

        For a first look at a slow machine, and for tests; no published figure is one of such a network.
        """
        if share >= 1:
            return self

        def part(size: int) -> int:
            return max(2, round(size * share))

        side = max(_LEAST_SIDE.get(self.network, 0), part(_SIDE))
        return replace(
            self,
            inputs=_COLORS * side**2 if self.modality == "image" else part(self.inputs),
            outputs=part(self.outputs),
            hidden_units=tuple(map(part, self.hidden_units)),
            in_table=False,
        )


_COLORS, _SIDE = 3, 224
_LEAST_SIDE = {"alexnet": alexnet.LEAST_SIDE, "resnet50": resnet50.LEAST_SIDE}
_WORDS = 10_000
_FCN = 26_752


def _fcn(name: str, title: str, layers: int, width: int, in_table: bool = True) -> BenchmarkNetwork:
    return BenchmarkNetwork(
        "ffn", "tabular", _FCN, _FCN, (width,) * layers, activation="sigmoid",
        name=name, title=title, batch_size=64, in_table=in_table,
    )  # fmt: skip


def _cnn(name: str, title: str) -> BenchmarkNetwork:
    units = family(name).hidden_units
    return BenchmarkNetwork(name, "image", _COLORS * _SIDE**2, 1000, units, name=name, title=title, batch_size=16)


def _lstm(name: str, title: str, steps: int) -> BenchmarkNetwork:
    return BenchmarkNetwork("lstm", "text", _WORDS, _WORDS, (256, 256), steps, name=name, title=title, batch_size=128)


SIX = (
    _fcn("fcn5", "FCN-5", 3, 1000),
    _fcn("fcn8", "FCN-8", 6, 1000),
    _cnn("alexnet", "AlexNet"),
    _cnn("resnet50", "ResNet-50"),
    _lstm("lstm32", "LSTM-32", 32),
    _lstm("lstm64", "LSTM-64", 64),
)
"""In the order of the table."""
EIGHT = (
    *SIX,
    _fcn("fcn5-2048", "FCN-5, 2048 wide", 3, 2048, in_table=False),
    _fcn("fcn8-2048", "FCN-8, 2048 wide", 6, 2048, in_table=False),
)
"""Also the fully connected ones of the later revisions."""
