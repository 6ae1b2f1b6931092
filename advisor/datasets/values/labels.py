"""The numbers of classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[numpy.int64]


def class_numbers(labels: Sequence[str], known: Sequence[str]) -> tuple[Numbers, tuple[str, ...]]:
    """The number of each label, and all classes: the known ones in their order, then others in the order of the alphabet."""
    others = sorted(set(labels) - set(known))
    classes = (*known, *others)
    number = {name: position for position, name in enumerate(classes)}
    return numpy.array([number[label] for label in labels], numpy.int64), classes
