"""Tables of very many columns: judged together as each would be alone, and refused beyond a declared number."""

from __future__ import annotations

import random
from pathlib import Path

import polars
import pytest

from advisor.datasets.dataset import Kind
from advisor.datasets.inspect import inspect
from advisor.datasets.tables.columns import judge, judge_all
from advisor.errors import InputError

from .tables_made import written

DRAW = random.Random(0)
CELLS = {
    "number": lambda: f"{DRAW.gauss(0, 1):.3f}", "whole": lambda: str(DRAW.randint(0, 999)), "bit": lambda: DRAW.choice("01"),
    "comma": lambda: f"{DRAW.randint(0, 99)},{DRAW.randint(10, 99)}", "grouped": lambda: f"{DRAW.randint(1000, 9999999):,}",
    "infinite": lambda: DRAW.choice(["inf", "-Infinity", "1.5", "2"]), "code": lambda: f"0{DRAW.randint(0, 99)}",
    "day": lambda: f"2020-{DRAW.randint(1, 12):02}-{DRAW.randint(1, 28):02}", "digits": lambda: f"202001{DRAW.randint(10, 28)}",
    "yes": lambda: DRAW.choice(["yes", "no"]), "gene": lambda: DRAW.choice(["AA", "AG", "GG"]), "same": lambda: "x",
    "empty": lambda: "", "said": lambda: " ".join(DRAW.choices(["the", "cat", "sat"], k=9)),
    "mixed": lambda: DRAW.choice(["1", "two", "3,5", "x 4"]), "euro": lambda: f"€ {DRAW.randint(1, 99)}.50",
}  # fmt: skip


@pytest.mark.parametrize("rows", [1, 12, 70])
def test_columns_are_judged_together_as_each_is_alone(rows: int) -> None:
    columns = [
        polars.Series(f"{name}{gaps}", [None if DRAW.random() < gaps else cell() for _ in range(rows)], polars.String)
        for name, cell in CELLS.items()
        for gaps in (0, 0.2)
    ]
    for raw, together in zip(columns, judge_all(columns), strict=True):
        alone = judge(raw)
        assert (together.column, together.style) == (alone.column, alone.style)
        assert together.values.equals(alone.values, check_dtypes=True, check_names=True)


def test_a_table_of_very_many_columns_is_inspected_whole(tmp_path: Path) -> None:
    names = [*(f"gene{n}" for n in range(3000)), "copy", "ill"]
    rows = [[*(f"{DRAW.gauss(0, 1):.2f}" for _ in range(3000)), row % 2, "ab"[row % 2]] for row in range(60)]
    found = inspect(written(tmp_path / "t.csv", [names, *rows]), "ill")
    assert len(found.columns) == 3002
    assert found.facts["data.inputs"] == 3000
    assert {column.kind for column in found.columns[:3000]} == {Kind.NUMBER}
    assert any("'copy' is the target 'ill' under another name" in remark.what for remark in found.remarks)


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_more_columns_than_are_looked_at_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    monkeypatch.setattr("advisor.datasets.refusals.MOST_COLUMNS", 50, raising=False)
    table = polars.DataFrame({f"c{n}": [n, n + 1] for n in range(51)})
    path = tmp_path / f"t.{ending}"
    {"csv": table.write_csv, "parquet": table.write_parquet, "jsonl": table.write_ndjson}[ending](path)
    with pytest.raises(InputError, match=r"the table has 51 columns.*Save those that vary most, 50 at most"):
        inspect(path)
