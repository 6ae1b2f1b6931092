"""Places in messages about strategies, as the command line calls them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from advisor.errors import InputError

_OPTIONS: Mapping[str, str] = MappingProxyType({
    "link, latency": "--latency", "--link, latency": "--latency", "latency": "--latency", "link": "--link",
    "workers": "--workers", "steps": "--steps", "batch": "--batch", "straggler": "--straggler", "overlap": "--overlap",
    "seed": "--seed", "seeds": "--seeds", "rate": "--rate", "strategies": "--strategies", "step time": "--step-time",
    "step time, spread": "--step-time", "faults, between_failures": "--failures", "faults, restart": "--restart",
    "faults, checkpoint_every": "--checkpoint", "faults, checkpoint_cost": "--checkpoint-cost", "faults": "--failures",
    "servers": "--servers",
})  # fmt: skip


@contextlib.contextmanager
def options_named() -> Iterator[None]:
    """Let an InputError from within say `--failures`, which somebody typed, for what the simulation calls otherwise."""
    try:
        yield
    except InputError as error:
        named = [replace(problem, where=_OPTIONS.get(problem.where, problem.where)) for problem in error.problems]
        raise InputError(error.title, named) from error
