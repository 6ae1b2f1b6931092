"""A network that exists as code, counted in a process of its own, and in the Python in which it works."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from advisor.children.command import own_module_command
from advisor.children.errors import NonsenseError
from advisor.children.messages import Text, parsed
from advisor.children.supervise import End, Limits, supervise
from advisor.errors import Complain, InputError, input_error
from advisor.models.code import Argument, Code, Library
from advisor.models.model import Layer, Model, Source
from advisor.models.named import Naming, naming, written
from advisor.plain import decode, encode
from advisor.wording import shorten

_TITLE = "This network cannot be counted"
_CHILD = "advisor.models.tracing.child"
_SLOW = "Look in its code for what takes so long; for a probe, --budget gives more time."
_MOST = 2**63
_MOST_NAMED = 10
"""Operations, or remarks."""
SECONDS = 300.0
"""A first import of torch from a cold disk takes half a minute, a large network as long again."""
QUIET_SECONDS = 10.0
"""Nothing is said of a wait that is over by then."""


def built_model(
    name: str,
    shapes: Sequence[tuple[int, ...]] = (),
    python: Path | None = None,
    seconds: float = SECONDS,
    complain: Complain | None = None,
) -> Model:
    """The network of `FILE.py:FACTORY` or `timm:NAME`, built and counted on tensors without contents where it allows that.

    The code runs in a process of its own, whose memory and time are watched.

    Args:
        shapes: of its arguments, for one example.
        python: the interpreter in which it works; that of this program if None.
        seconds: that it may take in all.
        complain: is told once where it takes long.

    Raises InputError: the code cannot be run, it builds no network in time, or the network does not take the shapes.
    """
    code = _code(name, shapes, python)
    wait = _Wait(name, seconds, complain)
    layers: list[Layer] = []
    last: list[_Last] = []

    def hear(line: bytes) -> bool:
        try:
            message = parsed(line)
            if "kind" in message:
                layers.append(_checked(decode(Layer, message, "layer")))
                return False
            last.append(_complete(decode(_Last, message, "the last line")))
        except ValueError as error:
            raise NonsenseError(str(error)) from error
        return True

    command = own_module_command(_CHILD, python)
    limits = Limits()
    try:
        ending = supervise(
            command,
            hear,
            deadline=wait.begun + seconds,
            request=json.dumps(encode(code)).encode() + b"\n",
            memory_bytes=limits.memory(),
            limits=limits,
            stopped=wait.goes_on,
        )
    except OSError as error:
        raise _refused(
            command.arguments[0], f"this Python cannot be started ({error.strerror or error})", python
        ) from None
    if ending.end is End.LATE:
        raise input_error(_TITLE, _late(seconds), where=shorten(name, 200), remedy=_SLOW)
    if ending.end is not End.SAID_ALL:
        raise _refused(name, ending.explain(ending.reason or "it was stopped."), python)
    found = last[0]
    if found.failed:
        raise _refused(name, found.failed, python)
    return _model(name, layers, replace(code, arguments=found.arguments, digest=found.digest, torch=found.torch), found)


@dataclass
class _Wait:
    """The time while somebody else's code is at work; told once where it gets long."""

    name: str
    seconds: float
    complain: Complain | None
    begun: float = field(default_factory=time.monotonic)

    def goes_on(self) -> bool:
        """False: nobody stops it. Asked several times a second."""
        if self.complain is not None and time.monotonic() - self.begun >= QUIET_SECONDS:
            what = f"The code of {shorten(self.name, 200)} has been running for {QUIET_SECONDS:g} seconds"
            self.complain("This takes a while", f"{what}. It is ended after {self.seconds:.3g} seconds.")
            self.complain = None
        return False


@dataclass(frozen=True, slots=True)
class _Last:
    """The last line of the child."""

    failed: Text = ""
    arguments: tuple[Argument, ...] = ()
    digest: Text = ""
    torch: Text = ""
    backward: int | None = None
    uncounted: tuple[Text, ...] = ()
    remarks: tuple[Text, ...] = ()


def _complete(last: _Last) -> _Last:
    """Raises ValueError where it tells neither what failed nor what the network took."""
    sizes = [size for argument in last.arguments for size in argument.shape]
    if last.backward is not None and not 0 <= last.backward < _MOST:
        raise ValueError("its way back has impossible counts")
    if not last.failed and not (sizes and last.torch and all(0 < size < _MOST for size in sizes)):
        raise ValueError("it tells no arguments")
    return last


def _checked(layer: Layer) -> Layer:
    """Raises ValueError for numbers that none can have."""
    counts = (
        layer.parameters,
        layer.active,
        layer.frozen,
        layer.multiply_adds,
        layer.kept,
        layer.kept_bytes,
        layer.moved,
    )
    if not all(0 <= count < _MOST for count in (*counts, *layer.shape)) or layer.frozen > layer.parameters:
        raise ValueError(f"{shorten(layer.name)} has impossible counts")
    return layer


def _code(name: str, shapes: Sequence[tuple[int, ...]], python: Path | None) -> Code:
    arguments = tuple(Argument(shape) for shape in shapes)
    interpreter = "" if python is None else str(python.absolute())  # not resolved: that leaves its venv
    if naming(name) is Naming.LIBRARY:
        return Code(Library.TIMM, name.partition(":")[2], arguments, python=interpreter)
    file, factory = written(name)
    if not shapes:
        what = "the shape of an example is not known"
        raise input_error(_TITLE, what, where="--input", remedy="Add --input 3x224x224, without the batch.")
    if not file.is_file():
        raise input_error(_TITLE, "there is no such file", where=shorten(file, 200), remedy="Check the name.")
    return Code(Library.FILE, factory, arguments, file=str(file.resolve()), python=interpreter)


def _model(name: str, layers: Sequence[Layer], code: Code, found: _Last) -> Model:
    library = code.library is Library.TIMM
    return Model(
        name,
        "timm" if library else "written",
        Source.PUBLISHED if library else Source.YOURS,
        code.arguments[0].shape if code.arguments else (),
        tuple(layers),
        origin=f"built and counted with torch {shorten(code.torch, 40)}",
        loaded=name,
        backward=found.backward,
        uncounted=tuple(shorten(one, 60) for one in found.uncounted[:_MOST_NAMED]),
        remarks=tuple(shorten(one, 300) for one in found.remarks[:_MOST_NAMED]),
        code=code,
    )


def _late(seconds: float) -> str:
    return f"it was not built and counted within {seconds:.3g} seconds"


def _refused(where: str, what: str, python: Path | None) -> InputError:
    other = (
        "" if python is not None or "No module named" not in what else "Name the Python that has it with --python PATH."
    )
    return input_error(_TITLE, what, where=shorten(where, 200), remedy=other)
