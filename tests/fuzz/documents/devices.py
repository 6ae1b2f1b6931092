"""Profiles of devices, as they stand in profiles/devices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from unittest import mock

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from advisor.cli.commands.profiles import kept
from advisor.machine.profiles import files
from advisor.resources import device_files

from ..case import Case, Format
from ..yaml_values import Span, any_text, mutated_values, spans

_OF_FEW_WORDS = ("kind", "name", "source", "sources", "unit", "verified")
_NAMES = ("rtx-3090", "h100-sxm-80gb", "epyc-9654", "m1-max", "mi300x")


@cache
def _texts() -> dict[str, str]:
    return {path.stem: path.read_text("utf-8") for path in device_files() if path.stem in _NAMES}


@cache
def _written() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in device_files():
        for span in spans(path.read_text("utf-8")):
            if span.text not in found.setdefault(span.key, []):
                found[span.key].append(span.text)
    return found


def _commands(name: str) -> Sequence[tuple[str, ...]]:
    return (
        ("profiles", "show", name),
        ("profiles", "show", name, "--format", "json"),
        ("profiles", "show", name, "--format", "html"),
        ("profiles", "list"),
        ("profiles", "path", name),
        ("recommend", "--machine", name, "--format", "json"),
        ("explain", "training.precision", "--machine", name),
    )


def _case(name: str, command: tuple[str, ...], text: str) -> Case:
    return Case(command, {f"devices/{name}.yaml": text.encode("utf-8", "surrogatepass")}, names=(f"{name}.yaml", name))


def valid() -> Sequence[Case]:
    return [_case(name, command, text) for name, text in _texts().items() for command in _commands(name)]


def _instead(span: Span) -> st.SearchStrategy[str]:
    """Numbers and texts of any kind; of a few words that a key may hold, mostly the one that is there."""
    if span.key in _OF_FEW_WORDS:
        return st.sampled_from([span.text] * 6 + _written()[span.key]) | st.just(span.text) | any_text(span)
    return st.sampled_from(_written()[span.key]) | any_text(span)


@st.composite
def mutated(draw: DrawFn) -> Case:
    name = draw(st.sampled_from(sorted(_texts())))
    text = draw(mutated_values(_texts()[name], 2, _instead))
    return _case(name, draw(st.sampled_from(_commands(name))), text)


@contextmanager
def _of_the_case() -> Iterator[None]:
    """Let the folder of the case stand for profiles/devices."""

    def found(folder: Path | None = None) -> list[Path]:
        return device_files(folder or Path("devices"))

    with ExitStack() as patched:
        for module in (files, kept):
            patched.enter_context(mock.patch.object(module, "device_files", found))
        files._shipped_devices.cache_clear()
        try:
            yield
        finally:
            files._shipped_devices.cache_clear()


FORMATS = [Format("devices", valid, mutated, accepted_share=0.4, around=_of_the_case)]
