"""A network that exists as code, counted in a process of its own, and in the Python in which it works."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.children.command import script_command
from advisor.children.errors import NonsenseError
from advisor.children.messages import Natural, Text, parsed
from advisor.children.supervise import End, Ending, Limits, supervise
from advisor.errors import InputError, input_error
from advisor.models.model import Layer, Model, Source
from advisor.models.named import Naming, naming, written
from advisor.plain import decode
from advisor.wording import shorten

_TITLE = "This network cannot be counted"
_CHILD = Path(__file__).with_name("child.py")
_MOST = 2**63
SECONDS = 300.0
"""A first import of torch from a cold disk takes half a minute, a large network as long again."""


def built_model(
    name: str, shapes: Sequence[tuple[int, ...]] = (), python: Path | None = None, seconds: float = SECONDS
) -> Model:
    """The network of `FILE.py:FACTORY` or `timm:NAME`, built and counted on tensors without contents where it allows that.

    The code runs in a process of its own, whose memory and time are watched.

    Args:
        shapes: of its arguments, for one example.
        python: the interpreter in which it works; that of this program if None.

    Raises InputError: the code cannot be run, it builds no network, or the network does not take the shapes.
    """
    request = _request(name, shapes)
    layers: list[Layer] = []
    last: list[_Last] = []

    def hear(line: bytes) -> bool:
        try:
            message = parsed(line)
            if "kind" in message:
                layers.append(_checked(decode(Layer, message, "layer")))
                return False
            last.append(decode(_Last, message, "the last line"))
        except ValueError as error:
            raise NonsenseError(str(error)) from error
        return True

    command = script_command(_CHILD, python)
    limits = Limits()
    try:
        ending = supervise(
            command,
            hear,
            deadline=time.monotonic() + seconds,
            request=json.dumps(request).encode() + b"\n",
            memory_bytes=limits.memory(),
            limits=limits,
        )
    except OSError as error:
        raise _refused(
            command.arguments[0], f"this Python cannot be started ({error.strerror or error})", python
        ) from None
    if ending.end is not End.SAID_ALL:
        raise _refused(name, _why(ending, seconds), python)
    if last[0].failed:
        raise _refused(name, last[0].failed, python)
    return _model(name, layers, last[0])


@dataclass(frozen=True, slots=True)
class _Last:
    """The last line of the child."""

    failed: Text = ""
    input: tuple[tuple[Natural, ...], ...] = ()
    torch: Text = ""


def _checked(layer: Layer) -> Layer:
    """Raises ValueError for numbers that none can have."""
    counts = (layer.parameters, layer.active, layer.multiply_adds, layer.kept, layer.kept_bytes, layer.moved)
    if not all(0 <= count < _MOST for count in (*counts, *layer.shape)):
        raise ValueError(f"{shorten(layer.name)} has impossible counts")
    return layer


def _request(name: str, shapes: Sequence[tuple[int, ...]]) -> Mapping[str, object]:
    if naming(name) is Naming.LIBRARY:
        return {"timm": name.partition(":")[2], "input": shapes}
    file, factory = written(name)
    if not shapes:
        what = "the shape of an example is not known"
        raise input_error(_TITLE, what, where="--input", remedy="Add --input 3x224x224, without the batch.")
    if not file.is_file():
        raise input_error(_TITLE, "there is no such file", where=shorten(file, 200), remedy="Check the name.")
    return {"file": str(file.resolve()), "factory": factory, "input": shapes}


def _model(name: str, layers: Sequence[Layer], last: _Last) -> Model:
    library = naming(name) is Naming.LIBRARY
    return Model(
        name,
        "timm" if library else "written",
        Source.PUBLISHED if library else Source.YOURS,
        last.input[0] if last.input else (),
        tuple(layers),
        origin=f"built and counted with torch {shorten(last.torch, 40)}",
        loaded=name,
    )


def _why(ending: Ending, seconds: float) -> str:
    if ending.end is End.LATE:
        return f"it was not built and counted within {seconds:g} seconds"
    return ending.explain(ending.reason or "it was stopped.")


def _refused(where: str, what: str, python: Path | None) -> InputError:
    other = (
        "" if python is not None or "No module named" not in what else "Name the Python that has it with --python PATH."
    )
    return input_error(_TITLE, what, where=shorten(where, 200), remedy=other)
