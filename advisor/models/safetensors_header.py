"""The header of a safetensors file: names, types and shapes of its tensors, checked against its offsets and its size.

The format: eight bytes with the length of the header, little-endian, then the header as JSON, then the numbers
(github.com/huggingface/safetensors, README).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from advisor.errors import InputError, input_error
from advisor.files.named import read_beginning
from advisor.models.families.reading import LARGEST
from advisor.wording import shorten

TITLE = "These weights cannot be used"
MOST_BYTES = 10_000_000
"""Of a header, or of an index; that of 100,000 tensors has as many. The format allows ten times as much."""
_LENGTH_BYTES = 8
_MOST_AXES = 8
_REMEDY = "Name a whole file in the format safetensors."
_METADATA = "__metadata__"
_BITS = {
    "BOOL": 8, "U8": 8, "I8": 8, "I16": 16, "U16": 16, "I32": 32, "U32": 32, "I64": 64, "U64": 64,
    "F64": 64, "F32": 32, "F16": 16, "BF16": 16, "C64": 64,
    "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "F6_E2M3": 6, "F6_E3M2": 6, "F4": 4,
}  # fmt: skip
"""Of one number, by its type."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """One entry of a header."""

    name: str
    type: str
    shape: tuple[int, ...]
    begin: int
    end: int

    @property
    def numbers(self) -> int:
        return prod(self.shape)

    @property
    def bits(self) -> int:
        """Of all of its numbers."""
        return self.numbers * _BITS[self.type]


def read_header(path: Path) -> dict[str, Tensor]:
    """The tensors of a file, by name. Raises InputError where it cannot be read, or its header does not fit its content."""
    where = str(path)
    length = int.from_bytes(read_beginning(path, _LENGTH_BYTES, TITLE), "little")
    if not 2 <= length <= MOST_BYTES:
        raise wrong(where, "it has no header of this format")
    header = read_beginning(path, _LENGTH_BYTES + length, TITLE)[_LENGTH_BYTES:]
    try:
        pairs = json.loads(header, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError):
        pairs = None
    if not isinstance(pairs, _Pairs) or len(header) < length:
        raise wrong(where, "its header is cut off, or no JSON")
    found: dict[str, Tensor] = {}
    for name, entry in pairs:
        if name == _METADATA:
            continue
        if name in found:
            raise wrong(where, f"its header names {shorten(name)} twice")
        found[name] = _tensor(where, name, entry)
    _check_places(where, list(found.values()), _LENGTH_BYTES + length, path)
    return found


def wrong(where: str, what: str, remedy: str = _REMEDY) -> InputError:
    """The refusal of a file of weights."""
    return input_error(TITLE, what, where=where, remedy=remedy)


class _Pairs(list[tuple[str, Any]]):
    """An object of JSON with all that it names, also what it names twice."""


def _tensor(where: str, name: str, entry: Any) -> Tensor:
    told: Mapping[str, Any] = dict(entry) if isinstance(entry, _Pairs) else {}
    shape, kind, offsets = told.get("shape"), told.get("dtype"), told.get("data_offsets")
    if not isinstance(shape, list) or len(shape) > _MOST_AXES or not all(map(_is_size, shape)):
        raise wrong(where, f"the shape of {shorten(name)} is no list of whole numbers")
    if not isinstance(kind, str) or kind not in _BITS:
        raise wrong(where, f"{shorten(name)} is of the type {shorten(kind)!r}, which the format does not have")
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(_is_place, offsets)):
        raise wrong(where, f"the data_offsets of {shorten(name)} are no two whole numbers from 0")
    begin, end = offsets
    tensor = Tensor(name, kind, tuple(shape), begin, end)
    if 8 * (end - begin) != tensor.bits:
        sizes = " x ".join(map(str, shape)) or "one number"
        what = (
            f"{shorten(name)} says {sizes} of {kind}, {tensor.bits // 8:,} bytes, and has {end - begin:,} of the file"
        )
        raise wrong(where, what)
    return tensor


def _check_places(where: str, tensors: Sequence[Tensor], begin: int, path: Path) -> None:
    """The numbers of all tensors lie one behind the other, up to the end of the file."""
    reached, before = 0, "the header"
    for tensor in sorted(tensors, key=lambda one: (one.begin, one.end)):
        if tensor.begin != reached:
            how = "overlaps" if tensor.begin < reached else "leaves a gap behind"
            raise wrong(
                where, f"{shorten(tensor.name)} {how} {shorten(before)}: it begins at {tensor.begin:,}, not {reached:,}"
            )
        reached, before = tensor.end, tensor.name
    if not path.is_file():  # a pipe, which has no size
        return
    size = path.stat().st_size - begin
    if size < reached:
        what = f"it is cut off: its header says {reached:,} bytes of numbers, and {max(0, size):,} are there"
        raise wrong(where, what, "Download or copy it again.")
    if size > reached:
        raise wrong(where, f"{size - reached:,} bytes follow the last of its tensors")


def _is_size(value: Any) -> bool:
    return type(value) is int and 0 <= value <= LARGEST


def _is_place(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**63
