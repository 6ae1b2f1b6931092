"""The process that builds a network and counts it: a program of its own, for the Python in which that network works.

It is given one line of JSON, a `Code`, and answers with a line for each layer and a last one, `{"arguments", "digest",
"torch", "backward", "uncounted", "remarks"}` or `{"failed"}`. See `asking`.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from advisor.children import guard
from advisor.models.code import Argument, Code, Library
from advisor.models.tracing.building import RefusedError, builder, digest_of, told
from advisor.models.tracing.chance import Count, count_module
from advisor.plain import decode, encode

_BATCH = 2
"""Examples of the first batch: see trace.BATCHES."""
_MOST_INPUTS = 4
"""Of which each is tried as numbers and as tokens."""
_LONGEST_REASON = 600


def _count(build: Callable[[], Any], shapes: Sequence[tuple[int, ...]]) -> tuple[Count, tuple[Argument, ...]]:
    """The layers and all else that is counted, and the arguments that the network took."""
    reasons: list[str] = []
    for contents in (False, True):  # with contents only where it looks at its numbers
        for taken in _readings(shapes):

            def inputs(batch: int, taken: Any = taken) -> tuple[Any, ...]:
                return tuple(torch.zeros(batch, *one.shape, dtype=_KINDS[one.tokens]) for one in taken)

            try:
                return count_module(build, inputs, contents=contents), taken
            except Exception as error:  # somebody else's code raises anything
                reasons.append(told(error))
    raise RefusedError(f"{reasons[0]} (It was given a batch of {_BATCH} examples of the shape that --input says.)")


_KINDS = {False: torch.float32, True: torch.long}


def _readings(shapes: Sequence[tuple[int, ...]]) -> Iterator[tuple[Argument, ...]]:
    """The shapes with each choice of numbers or tokens; where that fails, plain numbers with commas, `3,32,32`, as one."""
    together = [tuple(size for shape in shapes for size in shape)]
    ways = [shapes] if any(len(shape) > 1 for shape in shapes) or len(shapes) == 1 else [shapes, together]
    for way in ways:
        for tokens in itertools.product((False, True), repeat=min(len(way), _MOST_INPUTS)):
            yield tuple(map(Argument, way, (*tokens, *(False,) * (len(way) - len(tokens)))))


def _answer(code: Code) -> Iterator[dict[str, Any]]:
    build, usual = builder(code)
    shapes = [argument.shape for argument in code.arguments] or [usual]
    count, taken = _count(build, shapes)
    digest = digest_of(Path(code.file)) if code.library is Library.FILE else ""
    yield from (asdict(layer) for layer in count.layers)
    rest = {"backward": count.backward, "uncounted": count.uncounted, "remarks": count.remarks}
    yield {"arguments": encode(taken), "digest": digest, "torch": str(torch.__version__), **rest}


def main() -> None:
    answers = guard.begin()
    guard.keep_family(int(sys.argv[-1]))

    def say(message: dict[str, Any]) -> None:
        guard.write(answers, json.dumps(message).encode() + b"\n")

    request = sys.stdin.readline()
    guard.hide_input()
    try:
        for message in _answer(decode(Code, json.loads(request), "request")):
            say(message)
    except RefusedError as error:
        say({"failed": str(error)[:_LONGEST_REASON]})
    except BaseException as error:  # somebody else's code raises anything, and leaves by sys.exit
        say({"failed": told(error)[:_LONGEST_REASON]})
    os._exit(0)  # at once: torch's own end takes a while


if __name__ == "__main__":
    main()
