"""Times with an offset from UTC are instants, as those of a typed column are; 24:00 is the next midnight."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as some

from advisor.datasets.dataset import Kind, Task, Weight
from advisor.datasets.inspect import inspect
from advisor.datasets.tables.columns import judge
from tests.datasets.tables_made import written

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2023-10-29T02:00:00+02:00", datetime(2023, 10, 29)),
        ("2023-10-29T02:00:00+01:00", datetime(2023, 10, 29, 1)),
        ("2023-10-29 02:00:00.5+0200", datetime(2023, 10, 29, 0, 0, 0, 500_000)),
        ("2023-10-29 02:00-05:30", datetime(2023, 10, 29, 7, 30)),
        ("2023-10-29 02:00+02", datetime(2023, 10, 29)),
        ("2023-10-29 02:00:00Z", datetime(2023, 10, 29, 2)),
        ("2023-10-29 02:00:00 UTC", datetime(2023, 10, 29, 2)),
        ("2023-10-29 02:00:00 CEST", datetime(2023, 10, 29)),
        ("2023-07-29 02:30:00 America/New_York", datetime(2023, 7, 29, 6, 30)),
        ("2023-10-29T02:30:00+01:00[Europe/Berlin]", datetime(2023, 10, 29, 1, 30)),
        ("29.10.2023 10:30 PM PST", datetime(2023, 10, 30, 6, 30)),
        ("2023-10-29 24:00:00", datetime(2023, 10, 30)),
        ("2023-10-29T24:00", datetime(2023, 10, 30)),
        ("2023-10-29 24:00:00+02:00", datetime(2023, 10, 29, 22)),
        ("2016-12-31 23:59:60", datetime(2017, 1, 1)),
        ("20231029T020000+0200", datetime(2023, 10, 29)),
        ("20231029T0230", datetime(2023, 10, 29, 2, 30)),
    ],
)
def test_a_time_is_the_instant_that_it_says(text: str, instant: datetime) -> None:
    judged = judge(polars.Series("when", [text, text.replace("29", "28").replace("2016", "2015")]))
    assert judged.kind is Kind.DATE
    assert judged.values[0] == instant


def test_hours_across_the_end_of_summer_time_are_a_series_as_a_typed_column_is(tmp_path: Path) -> None:
    instants = [datetime(2023, 10, 20, tzinfo=UTC) + timedelta(hours=hour) for hour in range(400)]
    values = [100 + hour % 24 for hour in range(400)]
    rows = [[moment.astimezone(BERLIN).isoformat(), value] for moment, value in zip(instants, values, strict=True)]
    text = inspect(written(tmp_path / "text.csv", [["ts", "value"], *rows]), "value")
    polars.DataFrame({"ts": instants, "value": values}).write_parquet(tmp_path / "typed.parquet")
    typed = inspect(tmp_path / "typed.parquet", "value")
    assert (text.task, text.examples, text.columns[0].distinct) == (Task.FORECAST, typed.examples, 400)
    assert typed.task is Task.FORECAST
    assert text.columns[0].examples == typed.columns[0].examples


def test_times_without_an_offset_among_others_are_reported(tmp_path: Path) -> None:
    rows = [
        [f"2023-10-{1 + n % 28:02} 0{n % 10}:00:00{'+02:00' if n % 4 else ''}", n % 7, "ab"[n % 2]] for n in range(80)
    ]
    found = inspect(written(tmp_path / "table.csv", [["when", "size", "y"], *rows]), "y")
    (remark,) = [remark for remark in found.remarks if "no offset" in remark.what]
    assert (remark.weight, remark.what[:29]) == (Weight.WARNING, "20 of 80 times of 'when' have")


@given(
    some.lists(
        some.tuples(some.datetimes(datetime(1980, 1, 1), datetime(2060, 1, 1)), some.integers(-840, 840)), min_size=2
    )
)
def test_mixed_offsets_keep_the_order_of_instants(times: list[tuple[datetime, int]]) -> None:
    texts = []
    for moment, minutes in times:
        sign, rest = "-" if minutes < 0 else "+", abs(minutes)
        local = moment.replace(microsecond=0) + timedelta(minutes=minutes)
        texts.append(f"{local.isoformat()}{sign}{rest // 60:02}:{rest % 60:02}")
    judged = judge(polars.Series("when", [*texts, None]))
    if judged.kind is Kind.DATE:
        assert judged.values.to_list()[:-1] == [moment.replace(microsecond=0) for moment, _ in times]
    else:
        assert len(set(texts)) == 1


@pytest.mark.parametrize(
    ("ends", "shown"),
    [
        (["+02:00", "+01:00"], "120 of 120 times of 'since' are converted to UTC, from +02:00 (60 rows) and +01:00 (60 rows)."),
        (["Z", "-0500"], "60 of 120 times of 'since' are converted to UTC, from -0500 (60 rows)."),
        ([" CEST", " UTC"], "60 of 120 times of 'since' are converted to UTC, from CEST (60 rows)."),
        ([" Europe/Berlin"], "120 of 120 times of 'since' are converted to UTC, from Europe/Berlin (120 rows)."),
        (["Z", "+00:00", "+0000"], ""), ([""], ""),
    ],
)  # fmt: skip
def test_a_conversion_to_utc_is_reported_once(ends: list[str], shown: str, tmp_path: Path) -> None:
    rows = [
        [f"2023-{1 + n % 9:02}-1{n % 7}T0{n % 5}:30:00{ends[n % len(ends)]}", n * 7 % 31, "ab"[n % 2]]
        for n in range(120)
    ]
    found = inspect(written(tmp_path / "table.csv", [["since", "size", "y"], *rows]), "y")
    assert [remark.what for remark in found.remarks if "UTC" in remark.what] == ([shown] if shown else [])


@pytest.mark.parametrize("zone", ["Europe/Berlin", "UTC", None])
def test_a_typed_zone_is_reported_as_well(zone: str | None, tmp_path: Path) -> None:
    moments = polars.Series([datetime(2023, 1 + n % 9, 1 + n % 7, n % 5) for n in range(120)]).dt.replace_time_zone(
        zone
    )
    frame = polars.DataFrame({"since": moments, "size": [n * 7 % 31 for n in range(120)], "y": ["a", "b"] * 60})
    frame.write_parquet(tmp_path / "table.parquet")
    said = [remark.what for remark in inspect(tmp_path / "table.parquet", "y").remarks if "UTC" in remark.what]
    wanted = "120 of 120 times of 'since' are converted to UTC, from Europe/Berlin (120 rows)."
    assert said == ([wanted] if zone == "Europe/Berlin" else [])
