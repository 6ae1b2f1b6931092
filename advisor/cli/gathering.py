"""Inputs of a plan, gathered from the options of a command that name them."""

from __future__ import annotations

from typing import Any, NamedTuple

from advisor.cli.console import warn_once
from advisor.errors import Complain
from advisor.session.inputs import Inputs, gather

_INPUTS = frozenset({"answers", "sets", "machine", "school", "packs", "data", "target", "model", "input", "python"})


def inputs_of(options: NamedTuple, complain: Complain = warn_once, **given: Any) -> Inputs:
    """Gather what the options name, and what is given beside or instead of them. Raises InputError."""
    named = {name: value for name, value in options._asdict().items() if name in _INPUTS}
    return gather(**{**named, **given}, complain=complain, waiting=warn_once)
