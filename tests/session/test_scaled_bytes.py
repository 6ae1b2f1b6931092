"""Bytes follow the examples: where another number of examples is stated than the data have, so do their bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from advisor.facts.fact_base import FactBase, Source
from advisor.session.data import with_scaled_bytes
from advisor.session.inputs import gather

ROWS = 60


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = "".join(f"{number * 0.37 % 3:.2f},{'red' if number % 2 else 'white'}\n" for number in range(ROWS))
    (tmp_path / "wine.csv").write_text(f"acid,kind\n{rows}", encoding="utf-8")
    return tmp_path / "wine.csv"


@pytest.mark.parametrize("given_as", ["what_if", "sets"])
@pytest.mark.parametrize(
    ("stated", "times", "source"),
    [
        (["data.examples=600"], 10, Source.DERIVED), (["data.examples=6"], 0.1, Source.DERIVED),
        (["data.examples=60"], 1, Source.INSPECTED), (["task.kind=classify"], 1, Source.INSPECTED),
    ],
)  # fmt: skip
def test_bytes_are_scaled_with_the_examples(
    stated: list[str], times: float, source: Source, given_as: str, table: Path
) -> None:
    facts = gather(data=table, target="kind", complain=lambda *_: None, recall=False, **{given_as: stated}).facts  # type: ignore[arg-type]
    known = facts.known("data.bytes")
    assert known is not None
    assert (known.value, known.source) == (round(table.stat().st_size * times), source)
    assert (f"of {ROWS} examples, scaled" in known.note) is (times != 1)


def test_stated_bytes_stay_as_they_are_stated(table: Path) -> None:
    stated = ["data.examples=600", "data.bytes=5 GB"]
    facts = gather(data=table, target="kind", complain=lambda *_: None, recall=False, what_if=stated).facts
    known = facts.known("data.bytes")
    assert known is not None
    assert (known.value, known.source) == (5 * 10**9, Source.ASKED)


@given(some.integers(1, 10**9), some.integers(1, 10**15), some.integers(1, 10**9))
def test_scaling_twice_is_scaling_once(seen: int, size: int, stated: int) -> None:
    facts = FactBase.of({"data.examples": seen, "data.bytes": size}, Source.INSPECTED)
    once = with_scaled_bytes(facts.with_values({"data.examples": stated}, Source.ASKED))
    assert with_scaled_bytes(once) == once
    known = once.known("data.bytes")
    assert known is not None
    assert known.value == pytest.approx(max(1, size * stated / seen), rel=1e-9, abs=1)
