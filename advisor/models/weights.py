"""Networks of which only the weights are at hand: the header of a safetensors file names them with their shapes.

The format: eight bytes with the length of the header, little-endian, then the header as JSON, then the numbers
(github.com/huggingface/safetensors, README).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any

from advisor.errors import InputError, input_error
from advisor.files.named import read_beginning, read_named
from advisor.models.families.reading import LARGEST
from advisor.models.model import Layer, Model, Source
from advisor.wording import shorten

_TITLE = "These weights cannot be used"
_LENGTH_BYTES = 8
_MOST_BYTES = 10_000_000
"""Of a header, or of an index; that of 100,000 tensors has as many. The format allows ten times as much."""
_MOST_FILES = 1_000
_NO_WEIGHTS = ("running_mean", "running_var", "num_batches_tracked", "position_ids", "inv_freq")
"""Kept beside what is learned, by the last part of the name."""
_PART_OF_SEVERAL = re.compile(r"-\d{5}-of-\d{5}$")
_PACKED = ("qweight", "qzeros")
"""Several weights of few bits in each number (GPTQ, AWQ)."""
_MOST_AXES = 8
_REMEDY = "Name a whole file in the format safetensors."


def weights_model(path: Path) -> Model:
    """The network whose weights these are: parameters are known, operations are not.

    Args:
        path: a file of weights, or the index (JSON) of several beside it.

    Raises InputError where a file cannot be read, or its header is none.
    """
    if _PART_OF_SEVERAL.search(path.stem):
        what = "this is one of several files that hold the weights together"
        raise input_error(
            _TITLE, what, where=str(path), remedy="Name model.safetensors.index.json, which stands beside them."
        )
    files = _indexed(path) if path.suffix == ".json" else [path]
    layers = tuple(layer for file in files for layer in _layers(file))
    if not layers:
        raise _wrong(str(path), "its header names no weights")
    return Model(path.stem, "weights", Source.YOURS, (), layers, origin=f"the header of {path}", loaded=str(path))


def _indexed(path: Path) -> list[Path]:
    """The files beside an index that hold its weights."""
    try:
        places = json.loads(read_named(path, _MOST_BYTES, _TITLE)).get("weight_map")
    except (ValueError, RecursionError, AttributeError):
        places = None
    if not isinstance(places, dict) or not all(isinstance(name, str) for name in places.values()):
        raise _wrong(str(path), "it is no index of weights")
    names = list(dict.fromkeys(places.values()))
    if len(names) > _MOST_FILES or not all(name and Path(name).name == name for name in names):
        raise _wrong(str(path), f"it names no files beside it, or more than {_MOST_FILES:,}")
    return [path.with_name(name) for name in names]


def _layers(path: Path) -> Iterator[Layer]:
    where = str(path)
    length = int.from_bytes(read_beginning(path, _LENGTH_BYTES, _TITLE), "little")
    if not 2 <= length <= _MOST_BYTES:
        raise _wrong(where, "it has no header of this format")
    header = read_beginning(path, _LENGTH_BYTES + length, _TITLE)[_LENGTH_BYTES:]
    try:
        found = json.loads(header)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or len(header) < length:
        raise _wrong(where, "its header is cut off, or no JSON")
    for name, entry in found.items():
        last = name.rpartition(".")[2]
        if last in _PACKED:
            raise _wrong(
                where, f"{shorten(name)} holds weights packed in 4 bits, which cannot be counted from its shape"
            )
        if name != "__metadata__" and last not in _NO_WEIGHTS:
            yield _layer(where, name, entry)


def _layer(where: str, name: str, entry: Any) -> Layer:
    shape = entry.get("shape") if isinstance(entry, Mapping) else None
    if not isinstance(shape, list) or len(shape) > _MOST_AXES or not all(map(_is_size, shape)):
        raise _wrong(where, f"the shape of {shorten(name)} is no list of whole numbers")
    count = prod(shape)
    return Layer(name, "weights", tuple(shape), parameters=count, active=count)


def _is_size(value: Any) -> bool:
    return type(value) is int and 0 <= value <= LARGEST


def _wrong(where: str, what: str) -> InputError:
    return input_error(_TITLE, what, where=where, remedy=_REMEDY)
