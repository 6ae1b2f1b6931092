"""Machines as their own files tell of them: /proc, /sys and /dev of the recorded ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from unittest import mock

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from advisor.machine.detection.detection import Machine, detect
from advisor.session import machines
from tests.machine.recorded import RECORDINGS, RecordedHost, unpacked

from ..case import Case, Format, Link
from ..marks import HOSTILE
from ..values import number_texts

_ROOT = "machine"
_VALUE = re.compile(r"0x[0-9a-f]+|\d+|\b(?:max|kB|yes|no|cuda|fpu)\b")
_COMMANDS = (
    ("recommend",),
    ("recommend", "--format", "json", "--set", "data.modality=image"),
    ("recommend", "--format", "html", "--set", "data.modality=text"),
    ("explain", "compute.threads"),
)


@cache
def _machines() -> dict[str, dict[str, bytes | Link]]:
    found: dict[str, dict[str, bytes | Link]] = {}
    for recording in sorted(RECORDINGS.glob("*.txt")):
        root = unpacked(recording.stem)
        found[recording.stem] = {
            f"{_ROOT}/{path.relative_to(root)}": Link(str(path.readlink())) if path.is_symlink() else path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_symlink() or path.is_file()
        }
    return found


def valid() -> Sequence[Case]:
    return [Case(_COMMANDS[number % len(_COMMANDS)], files) for number, files in enumerate(_machines().values())]


@st.composite
def mutated(draw: DrawFn) -> Case:
    files = dict(_machines()[draw(st.sampled_from(sorted(_machines())))])
    texts = sorted(name for name, content in files.items() if isinstance(content, bytes))
    for _ in range(draw(st.integers(1, 4))):
        name = draw(st.sampled_from(texts))
        content = files[name]
        assert isinstance(content, bytes)
        files[name] = draw(_changed(content.decode("utf-8", "surrogateescape"))).encode("utf-8", "surrogatepass")
    return Case(draw(st.sampled_from(_COMMANDS)), files)


@st.composite
def _changed(draw: DrawFn, text: str) -> str:
    found = list(_VALUE.finditer(text))
    kind = draw(st.integers(0, 9))
    if found and kind < 6:
        value = draw(st.sampled_from(found))
        number = value.group()
        put = draw(number_texts(number)) if number.isdecimal() else draw(st.sampled_from(HOSTILE))
        return text[: value.start()] + put + text[value.end() :]
    lines = text.splitlines(keepends=True)
    if lines and kind < 8:
        place = draw(st.integers(0, len(lines) - 1))
        lines[place] = draw(st.sampled_from(("", lines[place] * 2, lines[place][:5], lines[place] * 1000)))
        return "".join(lines)
    return draw(st.sampled_from(("", text * 2, text.replace("\n", ""), *HOSTILE)))


def _detect() -> Machine:
    return detect(Path(_ROOT), RecordedHost(threads=8, cores=4, memory=2**34))


@contextmanager
def _recorded() -> Iterator[None]:
    """Let the files of the case tell of the machine here."""
    with mock.patch.object(machines, "detect", _detect):
        yield


FORMATS = [Format("recordings", valid, mutated, around=_recorded)]
