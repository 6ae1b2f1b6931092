"""Which columns say whom a row belongs to, so that rows of one person are not divided."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from advisor.datasets.dataset import Inspection
from advisor.datasets.inspect import inspect
from advisor.datasets.tables.columns import names_persons

from .tables_made import written


def measured(folder: Path, name: str, values: Sequence[object]) -> Inspection:
    """600 rows in no order, with a column of this name."""
    draw = random.Random(0)
    rows = [[values[row % len(values)], round(draw.gauss(0, 1), 4), draw.choice(["ill", "well"])] for row in range(600)]
    draw.shuffle(rows)
    return inspect(written(folder / "t.csv", [[name, "pulse", "state"], *rows]), "state")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("subject", [f"S{number:02}" for number in range(30)]),
        ("subject", list(range(1, 31))),
        ("Patient", [f"Ann {number}" for number in range(30)]),
        ("user_name", [f"user{number}" for number in range(30)]),
        ("driver number", list(range(100, 140))),
    ],
)
def test_a_column_named_after_persons_that_come_again_is_a_group(
    tmp_path: Path, name: str, values: list[object]
) -> None:
    found = measured(tmp_path, name, values)
    assert found.group_column == name
    assert found.inputs == ("pulse",)
    assert any(f"'{name}' recurs" in remark.what for remark in found.remarks)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("country", [f"land {number}" for number in range(30)]),
        ("colour", [f"colour {number}" for number in range(30)]),
        ("device", ["phone", "tablet", "desktop"]),
        ("customer", ["new", "returning"]),
        ("store", [f"shop {number}" for number in range(30)]),
        ("store_type", [f"type {number}" for number in range(12)]),
    ],
)
def test_kinds_of_things_are_no_groups(tmp_path: Path, name: str, values: list[object]) -> None:
    found = measured(tmp_path, name, values)
    assert found.group_column is None
    assert found.inputs == (name, "pulse")


def test_a_name_that_says_more_than_who_is_not_the_name_of_a_person() -> None:
    assert all(map(names_persons, ("subject", "customerID", "Device No", "session key")))
    assert not any(map(names_persons, ("user_age", "person count", "site temperature", "id", "members")))
