"""The kinds of networks that are counted from their sizes, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from advisor.models.families.pictures import ConvNeXt, ResNet, VisionTransformer
from advisor.models.families.transformers import Decoder
from advisor.models.tape import Tape


class Family(Protocol):
    """A network given by its sizes."""

    @property
    def input(self) -> tuple[int, ...]:
        """The usual shape of an example."""

    def count(self, tape: Tape, input: tuple[int, ...]) -> None:
        """Run an example of this shape over the tape."""


FAMILIES: Mapping[str, type[Family]] = MappingProxyType(
    {
        "decoder": Decoder,
        "resnet": ResNet,
        "convnext": ConvNeXt,
        "vision_transformer": VisionTransformer,
    }
)
