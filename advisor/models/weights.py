"""Networks of which only the weights are at hand: the header of a safetensors file names them with their shapes."""

from __future__ import annotations

import json
import os.path
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from advisor.errors import input_error
from advisor.files.named import read_named
from advisor.models.model import Layer, Model, Source
from advisor.models.packing import PackedWeights
from advisor.models.safetensors_header import MOST_BYTES, TITLE, Tensor, read_header, wrong
from advisor.wording import shorten

_MOST_FILES = 1_000
_PART_OF_SEVERAL = re.compile(r"-\d{5}-of-\d{5}$")


def weights_model(path: Path) -> Model:
    """The network whose weights these are: parameters are known, operations are not.

    Args:
        path: a file of weights, or the index (JSON) of several beside it.

    Raises InputError where a file cannot be read, or its header is none.
    """
    if _PART_OF_SEVERAL.search(path.stem):
        what = "this is one of several files that hold the weights together"
        raise input_error(
            TITLE, what, where=str(path), remedy="Name model.safetensors.index.json, which stands beside them."
        )
    files = _indexed(path) if path.suffix == ".json" else [path]
    found = list(_layers(path, files))
    layers = tuple(layer for layer, _ in found if layer is not None)
    if not layers:
        raise wrong(str(path), "its header names no weights")
    return Model(
        path.stem,
        "weights",
        Source.YOURS,
        (),
        layers,
        origin=f"the header of {path}",
        loaded=str(path),
        remarks=tuple(_remarks(found)),
    )


def _remarks(found: Sequence[tuple[Layer | None, str]]) -> Iterator[str]:
    """Sentences on tensors that were left out, and on those that were unpacked to be counted."""
    beside = [name for layer, name in found if layer is None]
    if beside:
        tensors = "1 tensor holds" if len(beside) == 1 else f"{len(beside):,} tensors hold"
        yield f"{tensors} no weights and are not counted, such as {shorten(beside[0])}."
    packed = Counter(how for layer, how in found if layer is not None and how)
    for how, count in sorted(packed.items()):
        yield f"Weights in {count:,} {'tensor' if count == 1 else 'tensors'} are packed: {how}."


def _indexed(path: Path) -> list[Path]:
    """The files beside an index that hold its weights."""
    try:
        places = json.loads(read_named(path, MOST_BYTES, TITLE)).get("weight_map")
    except (ValueError, RecursionError, AttributeError):
        places = None
    if not isinstance(places, dict) or not all(isinstance(name, str) for name in places.values()):
        raise wrong(str(path), "it is no index of weights")
    names = list(dict.fromkeys(places.values()))
    if len(names) > _MOST_FILES or not all(name and Path(name).name == name for name in names):
        raise wrong(str(path), f"it names no files beside it, or more than {_MOST_FILES:,}")
    if missing := next((name for name in names if not os.path.exists(path.with_name(name))), None):  # noqa: PTH110 any name
        raise wrong(
            str(path), f"it names {shorten(missing)}, which is not beside it", "Download or copy that file too."
        )
    return [path.with_name(name) for name in names]


def _layers(path: Path, files: Sequence[Path]) -> Iterator[tuple[Layer | None, str]]:
    """Each tensor as a layer and how its weights are packed, or None and its name where it holds none."""
    tensors: dict[str, Tensor] = {}
    places: dict[str, Path] = {}
    for file in files:
        for name, tensor in read_header(file).items():
            if name in tensors:
                raise wrong(str(file), f"{shorten(name)} is in {shorten(places[name].name)} too")
            tensors[name], places[name] = tensor, file
    packed = PackedWeights(path, tensors, places)
    for name, tensor in tensors.items():
        found = packed.weights(tensor)
        if found is None:
            yield None, name
        else:
            shape = tensor.shape if found.count == tensor.numbers else (found.count,)
            yield Layer(name, "weights", shape, parameters=found.count, active=found.count), found.how
