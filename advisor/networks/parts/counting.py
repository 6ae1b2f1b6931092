"""The parameters, operations and kept values of a network, added up layer by layer. No torch here."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from advisor.networks.parts.sizes import halvings


@dataclass(slots=True)
class Counts:
    """`parameters` of the whole network; `macs` (multiply-add operations) of one example's forward pass, products of
    matrices and convolutions only; `kept` values of one example that wait for the backward pass.

    The example of a gnn is a node. Everything that a network computes to learn counts as well: a gan's judge looks at a real
    example and twice at a produced one, a Boltzmann machine goes to its hidden units and back.

    Dense and convolutional layers keep their outputs before and after the activation (knowledge base, MM3); a layer of
    a transformer 17 values for each step and unit (Korthikanti et al. 2022, section 4.1: 34 bytes at 16 bits); of an LSTM
    the four gates, cell and output, twice, since fused kernels copy them.
    """

    parameters: int = 0
    macs: int = 0
    kept: int = 0

    def dense(self, widths: tuple[int, ...], places: int = 1) -> None:
        """Linear layers, applied at so many places of one example."""
        for before, after in pairwise(widths):
            self.convolution(before, after, 1, places)

    def convolution(self, before: int, after: int, taps: int, places: int, growth: int = 1) -> None:
        """`taps` weights look at each of `places` places of the result: 9 for a 3x3 kernel.

        A transposed convolution makes `growth` times as many places of them.
        """
        self.parameters += before * after * taps + after
        self.macs += before * after * taps * places
        self.kept += 2 * after * places * growth

    def recurrent(self, before: int, units: int, steps: int, gates: int) -> None:
        self.parameters += gates * (before * units + units * units + 2 * units)
        self.macs += gates * (before * units + units * units) * steps
        self.kept += (12 if gates == 4 else 2) * units * steps

    def spreading(self, values: int, channels: tuple[int, ...], side: int) -> None:
        """From values to a picture so many pixels wide, see `layers.spreading`."""
        smallest = side // 2 ** sum(halvings(side, len(channels) - 1))
        self.dense((values, channels[0] * smallest**2))
        self.enlarging(channels, side)

    def enlarging(self, channels: tuple[int, ...], side: int) -> None:
        """From the smallest maps to a picture so many pixels wide."""
        doubled = halvings(side, len(channels) - 1)[::-1]
        places = (side // 2 ** sum(doubled)) ** 2
        for (before, after), double in zip(pairwise(channels), doubled, strict=True):
            if double:
                self.convolution(before, after, 16, places, 4)
                places *= 4
            else:
                self.convolution(before, after, 9, places)

    def repeated(self, other: Counts, times: int) -> None:
        """Another network that each example passes so many times."""
        self.parameters += other.parameters
        self.macs += times * other.macs
        self.kept += times * other.kept

    def unet(self, channels: tuple[int, ...], outputs: int, side: int) -> None:
        """A U-Net of pictures of channels[0], halved between the stages."""
        pixels = side**2
        for number, (before, after) in enumerate(pairwise(channels)):
            here = pixels // 4**number
            self.convolution(before, after, 9, here)
            self.convolution(after, after, 9, here)
        for number, (below, after) in enumerate(pairwise(channels[:0:-1])):
            here = pixels // 4 ** (len(channels) - 3 - number)
            self.convolution(below, after, 4, here // 4, 4)
            self.convolution(2 * after, after, 9, here)
            self.convolution(after, after, 9, here)
        self.convolution(channels[1], outputs, 1, pixels)
