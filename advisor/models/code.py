"""A network that exists as code: where it is found, and what it takes. Nothing of it is run here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Library(StrEnum):
    """The place of the code."""

    FILE = "file"
    """A function, class or network in somebody's own file."""
    TIMM = "timm"
    TRANSFORMERS = "transformers"
    SMP = "segmentation_models_pytorch"


@dataclass(frozen=True, slots=True)
class Argument:
    """One of the tensors that the network takes."""

    shape: tuple[int, ...]
    """Of one example."""
    tokens: bool = False
    """Whole numbers that choose rows of a table, rather than numbers of any kind."""
    name: str = ""
    """Empty where its place tells it."""


@dataclass(frozen=True, slots=True)
class Code:
    """All that is needed to build a network, with weights that are drawn."""

    library: Library
    network: str
    """The function of the file, the model of timm, the class of transformers, or the encoder of a U-Net."""
    arguments: tuple[Argument, ...] = ()
    file: str = ""
    """Its whole path."""
    configuration: str = ""
    """The class of transformers that describes it."""
    sizes: Mapping[str, object] = field(default_factory=dict)
    """Arguments of that class."""
    digest: str = ""
    """Of the contents of the file, and of those beside it that it imports."""
    torch: str = ""
    """The version with which it was built and counted; empty where it was not."""
    python: str = ""
    """The interpreter in which it works; empty for that of this program."""

    @property
    def shapes(self) -> str:
        """`3x224x224`, with commas between several."""
        return ",".join("x".join(map(str, argument.shape)) for argument in self.arguments)
