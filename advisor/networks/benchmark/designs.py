"""AlexNet and ResNet-50: networks whose plan is fixed but for their widths. No torch here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Design:
    """Channels or units of each part, and the smallest picture (dots along a side) that the network can read."""

    hidden_units: tuple[int, ...]
    least_side: int
    why: str
    """A smaller one cannot be read."""

    def refusal(self, network: str, units: int, side: int) -> str | None:
        """Why so many hidden units, or a picture so wide, cannot make this network; None where they can."""
        if units != len(self.hidden_units):
            return f"The hidden units of {network} are {len(self.hidden_units)} numbers, not {units}."
        if side < self.least_side:
            return f"{network} reads pictures at least {self.least_side} dots wide, not {side}: {self.why}"
        return None


RESNET_BLOCKS = (3, 4, 6, 3)
"""Blocks a stage of ResNet-50 (He et al. 2016, arXiv:1512.03385, table 1)."""
RESNET_EXPANSION = 4
"""Channels that leave a block, for each channel within it."""

DESIGNS: Mapping[str, Design] = MappingProxyType(
    {
        "alexnet": Design(
            (64, 192, 384, 256, 256, 4096, 4096), 63, "its strides and poolings would leave nothing of a smaller one."
        ),
        "resnet50": Design(
            (64, 128, 256, 512),
            33,
            "of a smaller one a single dot would be left, and one example cannot be normalised.",
        ),
    }
)
"""By the name that a spec has. Of AlexNet the five convolutions and the two dense layers; of ResNet-50 the inner channels
of its four stages, of which the first are those of its first convolution too."""


def alexnet_sides(side: int) -> tuple[int, int, int, int]:
    """Dots along a side after the first convolution, and after each of the three poolings."""
    first = (side + 2 * 2 - 11) // 4 + 1
    one = (first - 3) // 2 + 1
    two = (one - 3) // 2 + 1
    return first, one, two, (two - 3) // 2 + 1


def resnet_sides(side: int) -> tuple[int, int, tuple[int, ...]]:
    """Dots along a side after the first convolution, after the pooling, and within each stage; each halving rounds up."""
    first = -(-side // 2)
    pooled = -(-first // 2)
    stages = [pooled]
    for _ in RESNET_BLOCKS[1:]:
        stages.append(-(-stages[-1] // 2))
    return first, pooled, tuple(stages)
