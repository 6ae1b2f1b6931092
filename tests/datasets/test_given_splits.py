"""Splits that somebody asks for: made so or refused, and what they give away."""

from __future__ import annotations

import math
import random
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from advisor.datasets.dataset import Examples, Task
from advisor.datasets.dividing import Divided, asked, divided, fingerprint_of_test
from advisor.datasets.given import GivenSplit
from advisor.datasets.inspect import inspect
from advisor.datasets.loading import load
from advisor.datasets.preparing.as_told import split_as_told
from advisor.datasets.preparing.splits import inner_folds
from advisor.errors import InputError
from tests.datasets.made import numbered, write_csv, write_digits
from tests.properties import examples

HEADER = ("patient", "day", "size", "city", "class")


def flats(path: Path, count: int, *, seed: int = 0, first: int = 0, people: int = 30) -> Path:
    """A row a day; its class follows from size and city."""
    draw, rows = random.Random(seed), []
    for number in range(first, first + count):
        size, city = draw.random() * 100, draw.choice(("Ulm", "Bonn"))
        day = f"20{10 + number // 336:02}-{1 + number % 336 // 28:02}-{1 + number % 28:02}"
        rows.append((f"p{draw.randrange(people)}", day, round(size, 6), city, "dear" if size > 50 else "cheap"))
    return write_csv(path, HEADER, rows)


def split_of(data: Path, **given: Any) -> Divided:
    told = GivenSplit(**{name: str(value) for name, value in given.items()})
    return divided(asked(inspect(data, "class"), told), told, most_examples=10_000, seed=0)


@st.composite
def sides(draw: st.DrawFn) -> tuple[Examples, GivenSplit, int]:
    """Examples with times and groups, any of which divide them; perhaps the last ones are a test of their own."""
    count = draw(st.integers(20, 90))
    whole = st.lists(st.integers(0, draw(st.integers(0, 40))), min_size=count, max_size=count)
    groups, times = numpy.array(draw(whole)), numpy.array(draw(whole), numpy.float64)
    by_time, by_group = draw(st.booleans()), draw(st.booleans())
    tested = draw(st.integers(2, count // 2)) if draw(st.booleans()) or not (by_time or by_group) else 0
    given = GivenSplit("t.csv" if tested else None, "day" if by_time else None, "who" if by_group else None)
    numeric = draw(st.booleans())
    classes = numpy.array(draw(st.lists(st.integers(0, 2), min_size=count, max_size=count)))
    data = numbered(
        count,
        task=Task.REGRESS if numeric else Task.CLASSIFY,
        targets=classes[:, None].astype(float) if numeric else classes,
        classes=() if numeric else ("a", "b", "c"),
        groups=groups if by_group else None,
        times=times if by_time else None,
    )
    return data, given, tested


@drawn(sides(), st.integers(0, 3))
@examples(300)
def test_no_group_is_on_both_sides_and_nothing_is_learned_that_is_later_than_what_judges(
    told: tuple[Examples, GivenSplit, int], seed: int
) -> None:
    data, given, tested = told
    try:
        split = split_as_told(data, given, tested=tested, seed=seed)
    except InputError:
        return
    assert len(split.training) >= 5
    assert len(split.test) >= 1
    if tested:
        assert split.test.tolist() == list(range(len(data) - tested, len(data)))
    for part in (split, *inner_folds(data, split.training, 5, seed)):
        assert not set(part.training) & set(part.test)
        if given.group is not None:
            assert data.groups is not None
            assert not set(data.groups[part.training]) & set(data.groups[part.test])
        if given.time_column is not None and not (part is split and tested):
            assert data.times is not None
            assert data.times[part.training].max() < data.times[part.test].min()


def test_a_column_of_groups_is_no_input_and_its_rows_stay_together(tmp_path: Path) -> None:
    data = flats(tmp_path / "a.csv", 300)
    told = asked(inspect(data, "class"), GivenSplit(group="city"))
    assert "city" not in told.inputs
    assert told.facts["data.inputs"] == len(told.inputs)
    found = split_of(data, group="patient")
    assert found.split.how.startswith("The test is ")
    assert "whole groups by 'patient', drawn at random (" in found.split.how
    assert "divided in the same way" in found.split.how


def test_the_latest_rows_are_the_test_wherever_they_stand_in_the_file(tmp_path: Path) -> None:
    data = flats(tmp_path / "a.csv", 200)
    header, *rows = data.read_text().splitlines()
    random.Random(1).shuffle(rows)
    data.write_text("\n".join([header, *rows]) + "\n")
    found = split_of(data, time_column="day")
    assert "40 of 200 (20 %) of the examples, the last ones by 'day'." in found.split.how
    days = numpy.array([row.split(",")[1] for row in rows])
    assert max(days[found.split.training]) < min(days[found.split.test])


def test_rows_without_a_time_are_only_learned_from(tmp_path: Path) -> None:
    data = write_csv(
        tmp_path / "a.csv", ("year", "x", "class"), [(n // 10 if n else "", n % 7, "ab"[n % 2]) for n in range(100)]
    )
    found = split_of(data, time_column="year")
    assert "1 has no time and is only learned from" in found.split.how
    assert 0 in found.split.training


def test_a_test_of_its_own_is_matched_by_names_and_everything_else_is_learned_from(tmp_path: Path) -> None:
    data = flats(tmp_path / "a.csv", 200)
    test = flats(tmp_path / "b.csv", 50, seed=1, first=200)
    lines = [line.split(",") for line in test.read_text().splitlines()]
    test.write_text("\n".join(",".join([*reversed(line), "more"]) for line in lines) + "\n")
    found = split_of(data, test=test)
    assert len(found.split.training) == 200
    assert found.split.how == "The test is the 50 examples of b.csv; all 200 others are learned from."
    columns: Any = found.examples.inputs
    assert columns["city"][200:].to_list() == [line[3] for line in lines[1:]]
    assert any("'more'" in said for said in found.warned)
    apart = split_of(flats(data, 400, people=200), test=flats(test, 50, seed=1, first=400, people=200), group="patient")
    assert 300 < len(apart.split.training) < 400
    assert "the rest share a value of 'patient' with the test" in apart.split.how


def test_numbers_and_pictures_are_tested_by_others_of_their_kind(tmp_path: Path) -> None:
    draw = random.Random(0)
    rows = [(round(draw.random(), 5), round(draw.random(), 5)) for _ in range(80)]
    data = write_csv(tmp_path / "a.csv", ("x", "y"), [(x, 3 * x + y) for x, y in rows])
    test = write_csv(tmp_path / "b.csv", ("y", "x"), [*((3 * x + y, x) for x, y in rows[:9]), ("", 0.5)])
    told = GivenSplit(test=str(test))
    found = divided(inspect(data, "y"), told, most_examples=1000, seed=0)
    assert found.examples.targets[-1, 0] == pytest.approx(3 * rows[8][0] + rows[8][1])
    assert "1 of the rows in the test has no value for the target" in found.examples.left_out
    pictures = write_digits(tmp_path / "digits", 60)
    told = GivenSplit(test=str(write_digits(tmp_path / "others", 30)))
    found = divided(inspect(pictures), told, most_examples=1000, seed=0)
    assert (len(found.split.training), len(found.split.test)) == (60, 30)
    assert any(
        said.startswith("30 of the 30 test examples stand in the training as well, the same:") for said in found.warned
    )


def sales(path: Path, days: range, shops: tuple[str, ...] = ("",), *, seed: int = 0) -> Path:
    """A row a day and shop, with a week in it."""
    draw, first = random.Random(seed), date(2024, 1, 1)
    rows = [
        (first + timedelta(day), shop, round(20 + 5 * (day % 7) + day / 9 + draw.gauss(0, 1), 3))
        for day in days
        for shop in shops
    ]
    if shops == ("",):
        return write_csv(path, ("day", "sold"), [(day, sold) for day, _, sold in rows])
    return write_csv(path, ("day", "shop", "sold"), rows)


@pytest.mark.parametrize("horizon", [1, 7])
def test_what_follows_a_series_is_predicted_from_all_before_it(tmp_path: Path, horizon: int) -> None:
    data, test = sales(tmp_path / "a.csv", range(150)), sales(tmp_path / "b.csv", range(150, 200), seed=1)
    found = divided(inspect(data, "sold"), GivenSplit(str(test)), most_examples=1000, seed=0, horizon=horizon)
    both = write_csv(tmp_path / "both.csv", ("day", "sold"), [])
    both.write_text(data.read_text() + test.read_text().partition("\n")[2])
    whole = load(inspect(both, "sold"), most_examples=1000, horizon=horizon)
    examples, split = found.examples, found.split
    assert examples.series is not None
    assert whole.series is not None
    assert examples.series.values == pytest.approx(whole.series.values, nan_ok=True)
    ends = examples.series.ends
    assert ends[split.test].tolist() == list(range(150, 200 - horizon + 1))
    assert ends[split.training].max() == 150 - horizon, "nothing that is learned reaches into the test"
    assert split.how == (
        f"The test is the {51 - horizon} examples of b.csv; all {len(split.training)} others are learned from."
    )
    assert examples.inputs[split.test[0]][:, 0] == pytest.approx(whole.series.values[150 - 14 : 150])


def test_a_test_that_begins_long_after_a_series_is_said_with_the_steps_between(tmp_path: Path) -> None:
    data = inspect(sales(tmp_path / "a.csv", range(150)), "sold")

    def warned(name: str, first: int) -> str:
        test = GivenSplit(str(sales(tmp_path / name, range(first, first + 50))))
        return " ".join(divided(data, test, most_examples=1000, seed=0).warned)

    assert warned("next.csv", 150) == ""
    assert warned("weekend.csv", 153) == ""
    assert "it begins long after the data end. Between its first row and the last of the data lie 850 steps" in warned(
        "late.csv", 1000
    )
    assert "lie 20 steps" in warned("later.csv", 170)


def test_the_later_parts_of_several_series_are_a_test(tmp_path: Path) -> None:
    shops = ("Bonn", "Ulm")
    data = sales(tmp_path / "a.csv", range(100), shops)
    found = divided(
        inspect(data, "sold"),
        GivenSplit(str(sales(tmp_path / "b.csv", range(100, 130), shops))),
        most_examples=1000,
        seed=0,
    )
    assert len(found.split.test) == 60
    few = divided(inspect(data, "sold"), GivenSplit(str(tmp_path / "b.csv")), most_examples=30, seed=0)
    assert (len(few.split.training), len(few.split.test)) == (30, 30)
    assert "60 of " in few.examples.left_out


def test_what_is_no_later_part_of_a_series_is_refused(tmp_path: Path) -> None:
    data = inspect(sales(tmp_path / "a.csv", range(100)), "sold")

    def refusal(test: Path, horizon: int = 1) -> str:
        with pytest.raises(InputError) as refused:
            divided(data, GivenSplit(str(test)), most_examples=1000, seed=0, horizon=horizon)
        return str(refused.value)

    assert "20 of its 50 rows are not later than the last of the data" in refusal(
        sales(tmp_path / "b.csv", range(80, 130))
    )
    assert "its 4 rows are predicted 7 steps ahead 0 times" in refusal(sales(tmp_path / "b.csv", range(100, 104)), 7)
    assert "the column 'sold' is missing" in refusal(write_csv(tmp_path / "b.csv", ("day", "x"), [("2025-01-01", 1)]))
    steps = [[round(math.sin(n + step / 2), 3) for step in range(12)] for n in range(60)]
    wide = inspect(write_csv(tmp_path / "wide.csv", [f"t{n}" for n in range(12)], steps))
    with pytest.raises(
        InputError, match="a test of its own can be given for tables, arrays, series with a row for each"
    ):
        divided(wide, GivenSplit(str(data.path)), most_examples=1000, seed=0)


def test_arrays_are_tested_by_others_of_their_shape(tmp_path: Path) -> None:
    draw = numpy.random.default_rng(0)

    def saved(name: str, rows: int, *shape: int, classes: int = 3) -> Path:
        kept = {"x": draw.random((rows, *shape)).astype(numpy.float32), "y": numpy.arange(rows) % classes}
        numpy.savez(tmp_path / name, **kept)
        return tmp_path / name

    data = inspect(saved("a.npz", 90, 12, 12))

    def tested(test: Path) -> Divided:
        return divided(data, GivenSplit(str(test)), most_examples=1000, seed=0)

    found = tested(saved("b.npz", 30, 12, 12))
    assert (len(found.split.training), len(found.split.test)) == (90, 30)
    assert numpy.asarray(found.examples.inputs).shape == (120, 1, 12, 12)
    assert found.examples.targets[90:].tolist() == [n % 3 for n in range(30)]
    for name, rows, shape, classes, said in [
        ("c.npz", 30, (14, 14), 3, "its examples have 1 x 14 x 14 values, and those of the data have 1 x 12 x 12"),
        ("c.npz", 30, (12, 14), 3, "its examples are of the kind time_series, and those of the data of the kind image"),
        ("d.npz", 30, (12, 12), 4, "7 of its 30 examples are of classes that the training does not have"),
        ("e.npz", 1, (12, 12), 1, "there is one example in it"),
    ]:
        with pytest.raises(InputError) as refused:
            tested(saved(name, rows, *shape, classes=classes))
        assert said in str(refused.value)
    with pytest.raises(InputError, match="the data are NPZ"):
        tested(flats(tmp_path / "t.csv", 40))
    numpy.savez(tmp_path / "g.npz", x=draw.integers(256, size=(30, 12, 12)).astype(numpy.uint8), y=numpy.arange(30) % 3)
    with pytest.raises(InputError, match="its pictures reach 255, and those of the data "):
        tested(tmp_path / "g.npz")
    numpy.savez(tmp_path / "f.npz", x=draw.random((30, 12, 12)))
    with pytest.raises(InputError, match="there is no array 'y' that could be the target"):
        tested(tmp_path / "f.npz")


def test_tables_of_numbers_in_arrays_have_a_test_too(tmp_path: Path) -> None:
    draw = numpy.random.default_rng(0)
    for name, rows in (("a", 80), ("b", 20)):
        numpy.save(tmp_path / f"{name}.npy", draw.normal(size=(rows, 4)))
    found = divided(inspect(tmp_path / "a.npy", "3"), GivenSplit(str(tmp_path / "b.npy")), most_examples=1000, seed=0)
    assert len(found.split.test) == 20
    assert found.examples.targets[80:, 0] == pytest.approx(numpy.load(tmp_path / "b.npy")[:, 3])


def test_what_a_test_gives_away_is_told(tmp_path: Path) -> None:
    data = flats(tmp_path / "a.csv", 300)
    clean = flats(tmp_path / "b.csv", 100, seed=5, first=300, people=1)
    clean.write_text(clean.read_text().replace("p0", "new"))
    assert split_of(data, test=clean).warned == ()
    lines = data.read_text().splitlines()
    copies = tmp_path / "copies.csv"
    copies.write_text("\n".join([lines[0], *lines[1:41], *clean.read_text().splitlines()[1:61]]) + "\n")
    said = split_of(data, test=copies).warned
    assert said[0].startswith(
        "40 of the 100 test examples stand in the training as well, the same in every column but ids"
    )
    assert any(one.startswith("'patient' recurs on both sides: ") and one.endswith("--group patient.") for one in said)
    assert any("39 of the 100 test examples are earlier" in one or "40 of the 100" in one for one in said[1:])
    other = write_csv(
        tmp_path / "other.csv",
        HEADER,
        [("x", f"2012-01-{1 + n % 28:02}", 60 + n / 7, "Rom", "dear") for n in range(99)],
    )
    said = split_of(data, test=other).warned
    assert any("Classes have other shares in the test" in one for one in said)
    assert any("between the test and the training: 'size'" in one and "'city'" in one for one in said)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"group": "patiant"}, "no column is called 'patiant' Did you mean patient?"),
        ({"time_column": "Day"}, "no column is called 'Day' Did you mean day?"),
        ({"time_column": "city"}, "'city' holds words such as 'Ulm', and no dates or numbers"),
        ({"group": "class"}, "'class' is what is to be predicted"),
        ({"group": "same"}, "'same' has the same value in every row, which divides nothing"),
        ({"group": "row"}, "'row' has a value of its own in every row"),
        ({"group": "half"}, "'half' has only 2 different values, and at least 3 groups are needed"),
        ({"time_column": "half"}, "has 2 different times, and at least 4 are needed"),
    ],
)
def test_columns_that_divide_nothing_are_refused_by_name(tmp_path: Path, given: dict[str, str], said: str) -> None:
    rows = []
    for n in range(120):
        day, city = f"2020-{1 + n // 28:02}-{1 + n % 28:02}", ("Ulm", "Bonn", "Kiel")[n % 3]
        rows.append((f"p{n % 9}", day, city, 7, n, n % 2 + 1, n % 5, "ab"[n % 2]))
    header = ("patient", "day", "city", "same", "row", "half", "x", "class")
    data = write_csv(tmp_path / "a.csv", header, rows)
    with pytest.raises(InputError) as refused:
        split_of(data, **given)
    assert said in " ".join(str(refused.value.problems[0]).replace(".", "").split()) or said in str(refused.value)


def test_a_test_that_does_not_fit_is_refused_by_name(tmp_path: Path) -> None:
    data = flats(tmp_path / "a.csv", 100)

    def refusal(*lines: str) -> str:
        (tmp_path / "b.csv").write_text("\n".join(lines) + "\n")
        with pytest.raises(InputError) as refused:
            split_of(data, test=tmp_path / "b.csv")
        return str(refused.value)

    header = "patient,day,size,city,class"
    row = "p1,2012-01-01,3,Ulm,dear"
    assert "the target 'class' is missing" in refusal("patient,day,size,city", row[:-5], row[:-5])
    assert "the column 'city' is missing" in refusal(
        "patient,day,size,class", "p,2012-01-01,3,dear", "p,2012-01-02,3,dear"
    )
    assert "1 of its 2 rows are of classes that the training does not have: 'free'" in refusal(
        header, row, row[:-4] + "free"
    )
    assert "there is one example in it, and at least 2 are needed" in refusal(header, row)
    assert "'size' should hold numbers, and row 2 has 'big'" in refusal(header, row, row.replace("3", "big"))
    with pytest.raises(InputError, match="nothing is there"):
        fingerprint_of_test(tmp_path / "none.csv")
    write_digits(tmp_path / "digits", 12)
    with pytest.raises(InputError, match="this is no table"):
        split_of(data, test=tmp_path / "digits")
    with pytest.raises(InputError, match="this is a file, and the data are a folder of pictures"):
        divided(inspect(write_digits(tmp_path / "more", 40)), GivenSplit(str(data)), most_examples=99, seed=0)
