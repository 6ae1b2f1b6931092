"""Machine profiles: exported files, and those that the advisor keeps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from advisor.probes.outcome import Outcome
from tests.agent.profiles_made import MEMORY, ONE_THREAD, compared, gauged, profile

from ..case import STATE, Case, Format
from ..trees import mutated as mutated_tree
from ..trees import written

_FILE, _OTHER, _KEPT = "lab.json", "other.json", f"{STATE}/measurements/lab.json"
_EXPORTED = (
    ("profiles", "show", _FILE),
    ("profiles", "show", _FILE, "--format", "json"),
    ("profiles", "show", _FILE, "--format", "html"),
    ("profiles", "compare", _FILE),
    ("profiles", "compare", _FILE, "--since", "2026-11-21", "--format", "html"),
    ("profiles", "compare", _FILE, _OTHER),
    ("profiles", "compare", _OTHER, _FILE, "--format", "json"),
    ("profiles", "export", _FILE, "--anonymous"),
    ("recommend", "--machine", _FILE),
    ("recommend", "--machine", _FILE, "--format", "json", "--set", "data.modality=image"),
)
_REMEMBERED = (
    ("profiles", "list"),
    ("profiles", "show", "this"),
    ("profiles", "show", "lab", "--format", "json"),
    ("profiles", "compare", "lab"),
    ("profiles", "export", "lab"),
    ("profiles", "path", "lab"),
    ("recommend", "--machine", "lab"),
)


def _gauged(**changed: str) -> Outcome:
    return gauged({MEMORY: 3e10, ONE_THREAD: 1e10}, probe="memory", **changed)


@cache
def _profiles() -> list[Any]:
    first = [_gauged(), compared(), _gauged(date="2026-11-21"), compared(date="2026-11-22", before=4)]
    return [profile(first).to_json(), profile([compared(date="2026-11-22"), _gauged()], name="other").to_json()]


def _exported(command: tuple[str, ...], tree: Any) -> Case:
    return Case(command, {_FILE: written(tree), _OTHER: written(_profiles()[1])}, names=(_FILE,))


def _kept(command: tuple[str, ...], tree: Any) -> Case:
    return Case(command, {_KEPT: written(tree)}, names=("lab",))


def valid() -> Sequence[Case]:
    first = _profiles()[0]
    return [*(_exported(command, first) for command in _EXPORTED), *(_kept(command, first) for command in _REMEMBERED)]


@st.composite
def mutated(draw: DrawFn) -> Case:
    tree = draw(mutated_tree(_profiles()[0]))
    return _exported(draw(st.sampled_from(_EXPORTED)), tree)


@st.composite
def mutated_kept(draw: DrawFn) -> Case:
    return _kept(draw(st.sampled_from(_REMEMBERED)), draw(mutated_tree(_profiles()[0])))


FORMATS = [Format("profiles", valid, mutated), Format("kept-profiles", lambda: (), mutated_kept)]
