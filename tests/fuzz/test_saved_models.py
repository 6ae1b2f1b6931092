"""Saved models whose files are changed: applied or refused in words, without a crash, an endless loop or a traceback.

They are applied in a process of their own, which is started once: seconds go into its imports. FUZZ_CASES as elsewhere.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from advisor.training.kept.card import CARD, ESTIMATOR, PREPARATION, WEIGHTS
from advisor.training.ladder.candidates import Candidate
from tests.training.test_kept import BOOSTING, FOREST, LINEAR, NETWORK, flats, saved, without, written

from .drawing import for_each
from .surviving import put_away
from .test_fuzz import CASES, KEPT

SECONDS = 30.0
"""In which one case has to be over; the first one has the imports besides."""
STARTING_SECONDS = 300.0
ROOT = Path(__file__).resolve().parents[2]
MODELS: dict[str, Candidate] = {"linear": LINEAR, "forest": FOREST, "boosting": BOOSTING, "network": NETWORK}
FILES = (ESTIMATOR, PREPARATION, WEIGHTS, CARD)
NUMBERS = (
    "0",
    "-1",
    "1",
    "255",
    "65536",
    "2147483647",
    "4294967295",
    "9223372036854775807",
    "1e308",
    "-0.5",
    "null",
    '""',
)


@dataclass(frozen=True)
class Change:
    """One change to one file of one model."""

    model: str
    file: str
    how: str
    member: int
    place: int
    """Of the changed byte or number: counted modulo what there is."""
    value: int
    text: str

    def make(self, folder: Path) -> None:
        path = folder / self.file
        if not path.exists():
            path = folder / (PREPARATION if self.how != "text" else CARD)
        raw = path.read_bytes()
        if path.name == CARD:
            path.write_bytes(_with_number(raw, self.place, self.text))
        elif self.how == "raw":
            path.write_bytes(_with_byte(raw, self.place, self.value))
        elif self.how == "cut":
            path.write_bytes(raw[: self.place % len(raw)])
        else:
            path.write_bytes(self._with_member(raw))

    def _with_member(self, raw: bytes) -> bytes:
        made = BytesIO()
        with zipfile.ZipFile(BytesIO(raw)) as old, zipfile.ZipFile(made, "w") as new:
            members = old.infolist()
            chosen = members[self.member % len(members)]
            for one in members:
                content = old.read(one)
                if one is chosen and self.how == "gone":
                    continue
                if one is chosen:
                    is_json = one.filename.endswith(".json")
                    content = _with_number(content, self.place, self.text) if is_json else self._with_values(content)
                new.writestr(one.filename, content)
        return made.getvalue()

    def _with_values(self, content: bytes) -> bytes:
        """Behind the header of an array, where its numbers are; eight bytes at once make a number of it."""
        start = 128 if content.startswith(b"\x93NUMPY") and self.place % 8 else 0
        if self.how == "byte" or len(content) < start + 8:
            return _with_byte(content, self.place, self.value, start)
        place = start + self.place % ((len(content) - start) // 8) * 8
        return content[:place] + (self.value % 2**64).to_bytes(8, "little") + content[place + 8 :]


def _with_byte(content: bytes, place: int, value: int, start: int = 0) -> bytes:
    if len(content) <= start:
        return content
    at = start + place % (len(content) - start)
    return content[:at] + bytes([value % 256]) + content[at + 1 :]


def _with_number(content: bytes, place: int, text: str) -> bytes:
    """JSON with another value in place of one of its numbers or words."""
    import re

    parts = list(re.finditer(rb'(?<=[:\[,] )(-?\d[\d.e+-]*|"[^"]*"|true|false|null)', content))
    if not parts:
        return content
    chosen = parts[place % len(parts)]
    return content[: chosen.start()] + text.encode() + content[chosen.end() :]


@st.composite
def changes(draw: DrawFn) -> Change:
    return Change(
        draw(st.sampled_from(sorted(MODELS))),
        draw(st.sampled_from(FILES)),
        draw(st.sampled_from(["raw", "cut", "gone", "byte", "number", "number", "number"])),
        draw(st.integers(0, 10_000)),
        draw(st.integers(0, 2**31)),
        draw(st.one_of(st.integers(-3, 300), st.integers(-(2**63), 2**64 - 1))),
        draw(st.sampled_from(NUMBERS)),
    )


class Applier:
    """The process, started anew where a case has ended it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def apply(self, folder: Path, data: Path) -> dict[str, str]:
        seconds = SECONDS
        if self._process is None:
            seconds += STARTING_SECONDS
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.fuzz.applying"], cwd=ROOT, text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
            )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"folder": str(folder), "data": str(data)}) + "\n")
        self._process.stdin.flush()
        if not select.select([self._process.stdout], [], [], seconds)[0]:
            self.end()
            return {"end": "failed", "said": f"nothing in {seconds:g} seconds"}
        line = self._process.stdout.readline()
        if not line:
            code = self._process.wait()
            self.end()
            return {"end": "failed", "said": f"the process ended with {code}"}
        found: dict[str, str] = json.loads(line)
        return found

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


@contextmanager
def applier() -> Iterator[Applier]:
    one = Applier()
    try:
        yield one
    finally:
        one.end()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("saved") / "flats.csv", without(flats(60), "rent"))


@pytest.mark.fuzz
def test_changed_models_are_applied_or_refused(table: Path, record_property: pytest.RecordProperty) -> None:
    kept = {name: saved(table, "class", winner, table.parent / name) for name, winner in MODELS.items()}
    ends: Counter[str] = Counter()
    told: list[str] = []
    begun, slowest = time.monotonic(), 0.0
    with applier() as process:
        for name, folder in kept.items():
            assert process.apply(folder, table)["end"] == "accepted", name

        def one(change: Change) -> None:
            place = KEPT / "running" / f"saved-model-{os.getpid()}"
            put_away(place)
            shutil.copytree(kept[change.model], place)
            change.make(place)
            nonlocal slowest
            before = time.monotonic()
            outcome = process.apply(place, table)
            slowest = max(slowest, time.monotonic() - before)
            ends[outcome["end"]] += 1
            if outcome["end"] == "failed":
                failed = KEPT / "failed" / "saved-model" / str(ends.total())
                put_away(failed)
                shutil.copytree(place, failed)
                told.append(f"{failed}\n{change}\n{outcome['said']}")
            put_away(place)

        for_each(changes(), CASES, "saved model", one)
    spent = time.monotonic() - begun
    record_property("fuzz", {"format": "saved model", **ends, "seconds": spent, "slowest": slowest})
    assert not told, f"{len(told)} of {CASES}: {dict(ends)}\n" + "\n".join(told[:10])
