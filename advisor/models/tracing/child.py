"""The process that builds a network and counts it: a program of its own, for the Python in which that network works.

It is given one line of JSON, `{"file", "factory", "input"}` or `{"timm", "input"}`, and answers with a line for each layer
and a last one, `{"input", "torch"}` or `{"failed"}`. See `asking`.
"""

from __future__ import annotations

import sys

if sys.version_info < (3, 11):  # noqa: UP036  somebody's own Python may be any
    sys.exit("Python 3.11 or newer is needed to count a network")

import difflib
import importlib
import importlib.util
import inspect
import itertools
import json
import os
import traceback
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_PACKAGE = "advisor"
_BATCH = 2
"""Examples of the first batch: see trace.traced."""
_MOST_INPUTS = 4
"""Of which each is tried as numbers and as tokens."""
_LONGEST_REASON = 600


def _found_alone() -> None:
    """Let this very package be imported, though it be not installed here, and nothing beside it."""
    here = str(Path(__file__).parent)
    sys.path[:] = [folder for folder in sys.path if folder != here]  # where its neighbours would hide others
    package = types.ModuleType(_PACKAGE)
    package.__path__ = [str(Path(__file__).resolve().parents[2])]
    sys.modules[_PACKAGE] = package


def _told(error: Exception) -> str:
    """The fault, and the line of the code in which it showed."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if "site-packages" not in one.filename]
    place = f", {Path(frames[-1].filename).name} line {frames[-1].lineno}" if frames else ""
    own = bool(frames) and Path(frames[-1].filename).parent != Path(__file__).parent
    return f"{type(error).__name__}: {error}{place if own else ''}"


class _RefusedError(Exception):
    """The network cannot be counted; the message says why."""


def _of_file(file: Path, factory: str) -> Callable[[], Any]:
    """The function, class or network of this name in the file, whose neighbours it may import."""
    sys.path.append(str(file.parent))  # behind all that is installed
    called = f"_named_{file.stem}"  # so that it hides nothing, whatever the file is called
    spec = importlib.util.spec_from_file_location(called, file)
    if spec is None or spec.loader is None:
        raise _RefusedError("it is no file of Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[called] = module
    spec.loader.exec_module(module)
    made: Any = module
    for name in factory.split("."):
        if not hasattr(made, name):
            known = [one for one, value in vars(made).items() if callable(value) and not one.startswith("_")]
            raise _RefusedError(f"it has no {factory}; it has {', '.join(known[:10]) or 'no functions'}")
        made = getattr(made, name)
    return made if (callable(made) and not hasattr(made, "forward")) or inspect.isclass(made) else lambda: made


def _of_timm(name: str) -> tuple[Callable[[], Any], tuple[int, ...]]:
    """The network of this name, and the shape of its usual example."""
    try:
        with _without_operators():
            timm: Any = importlib.import_module("timm")
    except ImportError as error:
        raise _RefusedError(f"timm cannot be imported ({error}): pip install timm") from error
    plain = name.partition(".")[0]
    if not timm.is_model(plain):
        near = difflib.get_close_matches(plain[:100], timm.list_models(), n=3)
        raise _RefusedError(f"timm has no model {name}" + (f": did you mean {' or '.join(near)}?" if near else ""))
    usual = timm.get_pretrained_cfg(name, allow_unregistered=True)
    return lambda: timm.create_model(name), tuple(usual.input_size if usual is not None else (3, 224, 224))


@contextmanager
def _without_operators() -> Iterator[None]:
    """Libraries of models import torchvision, whose compiled operators may be those of another torch: none is needed."""
    import torch

    register = torch.library.register_fake

    def patient(operator: Any, *given: Any, **named: Any) -> Any:
        if str(operator).startswith("torchvision::"):
            return lambda function: function
        return register(operator, *given, **named)

    torch.library.register_fake = patient
    try:
        yield
    finally:
        torch.library.register_fake = register


def _layers(build: Callable[[], Any], shapes: Sequence[tuple[int, ...]]) -> tuple[list[Any], list[tuple[int, ...]]]:
    """The layers, and the shapes that the network took."""
    import torch

    trace: Any = importlib.import_module(f"{_PACKAGE}.models.tracing.trace")
    reasons: list[str] = []
    for contents in (False, True):  # with contents only where it looks at its numbers
        for taken, kinds in _readings(shapes):

            def inputs(batch: int, taken: Any = taken, kinds: Any = kinds) -> tuple[Any, ...]:
                return tuple(torch.zeros(batch, *shape, dtype=kind) for shape, kind in zip(taken, kinds, strict=True))

            try:
                return trace.traced(_module(build), inputs, contents=contents), list(taken)
            except Exception as error:  # somebody else's code raises anything
                reasons.append(_told(error))
    raise _RefusedError(f"{reasons[0]} (It was given a batch of {_BATCH} examples of the shape that --input says.)")


def _module(build: Callable[[], Any]) -> Callable[[], Any]:
    from torch import nn

    def made() -> nn.Module:
        found = build()
        if not isinstance(found, nn.Module):
            raise TypeError(f"it returns a {type(found).__name__}, and no torch.nn.Module")
        return found

    return made


def _readings(shapes: Sequence[tuple[int, ...]]) -> Iterator[tuple[Sequence[tuple[int, ...]], tuple[Any, ...]]]:
    """The shapes with each choice of numbers or tokens; where that fails, plain numbers with commas, `3,32,32`, as one."""
    import torch

    together = [tuple(size for shape in shapes for size in shape)]
    ways = [shapes] if any(len(shape) > 1 for shape in shapes) or len(shapes) == 1 else [shapes, together]
    for way in ways:
        for kinds in itertools.product((torch.float32, torch.long), repeat=min(len(way), _MOST_INPUTS)):
            yield way, kinds + (torch.float32,) * (len(way) - len(kinds))


def _answer(asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    from dataclasses import asdict

    import torch

    shapes = [tuple(shape) for shape in asked["input"]]
    if "timm" in asked:
        build, usual = _of_timm(asked["timm"])
        shapes = shapes or [usual]
    else:
        build = _of_file(Path(asked["file"]), asked["factory"])
    layers, taken = _layers(build, shapes)
    yield from (asdict(layer) for layer in layers)
    yield {"input": [list(shape) for shape in taken], "torch": str(torch.__version__)}


def main() -> None:
    _found_alone()
    guard: Any = importlib.import_module(f"{_PACKAGE}.children.guard")
    answers = guard.begin()

    def say(message: dict[str, Any]) -> None:
        guard.write(answers, json.dumps(message).encode() + b"\n")

    try:
        for message in _answer(json.loads(sys.stdin.readline())):
            say(message)
    except _RefusedError as error:
        say({"failed": str(error)[:_LONGEST_REASON]})
    except Exception as error:  # somebody else's code raises anything
        say({"failed": _told(error)[:_LONGEST_REASON]})
    os._exit(0)  # at once: torch's own end takes a while


if __name__ == "__main__":
    main()
