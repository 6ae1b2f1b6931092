"""A fitted preparation without its examples: what is kept of it, and how it prepares others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy

from advisor.datasets.dataset import Examples
from advisor.datasets.preparing.encoded import Encoded, Scaled
from advisor.datasets.preparing.encoded_table import EncodedTable
from advisor.datasets.preparing.preparation import Preparation, TargetScale
from advisor.datasets.preparing.table_columns import columns_of, plain_columns
from advisor.datasets.preparing.tokens import FIRST_WORD, EncodedTexts
from advisor.datasets.values.words import tokens_of

Parts = Mapping[str, Any]
"""Arrays, text, numbers and transformers of scikit-learn, by their names."""
_SCALE = "targets"


def parts_of(prepared: Preparation) -> Parts:
    """Everything that was fitted, and nothing of the examples."""
    match prepared.encoded:
        case EncodedTable(_, columns):
            parts = columns.parts()
        case EncodedTexts(_, numbers, steps, counter):
            parts = {"words": "\n".join(numbers), "steps": steps, "counter": counter}
        case Scaled(_, mean, deviation):
            parts = {"mean": mean, "deviation": deviation}
        case _:
            raise RuntimeError("a preparation is fitted before it is kept")
    scale = prepared.scale
    return parts if scale is None else {**parts, _SCALE: numpy.stack([scale.mean, scale.deviation])}


def prepared_by(parts: Parts, examples: Examples) -> Preparation:
    """The preparation that was kept, for other examples. Raises LookupError, TypeError where a part is missing or odd."""
    encoded = _encoded(parts, examples.inputs)
    scale = TargetScale(*parts[_SCALE]) if _SCALE in parts else None
    return Preparation(examples, lambda rows: encoded, encoded, scale)


def _encoded(parts: Parts, inputs: Any) -> Encoded:
    if "columns" in parts:
        return EncodedTable(plain_columns(inputs), columns_of(parts))
    if "words" in parts:
        numbers = {word: number for number, word in enumerate(parts["words"].split("\n"), start=FIRST_WORD)}
        return EncodedTexts([tokens_of(text) for text in inputs], numbers, parts["steps"], parts["counter"])
    return Scaled(inputs, parts["mean"], parts["deviation"])


def unseen_categories(prepared: Preparation) -> dict[int, Counter[str]]:
    """Categories of the examples that the preparation was not fitted to, with their rows, by the place of their column."""
    encoded = prepared.encoded
    return encoded.columns.unknown(encoded.table) if isinstance(encoded, EncodedTable) else {}
