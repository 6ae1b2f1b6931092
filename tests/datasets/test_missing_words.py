"""Words such as None, NA and unknown: values where the table shows that, else missing, and reported with their rows."""

from __future__ import annotations

from pathlib import Path

import numpy
import polars
import pytest

from advisor.datasets.dataset import Inspection, Kind, Weight
from advisor.datasets.inspect import inspect
from advisor.datasets.loading import load
from advisor.datasets.values.null_words import MISSING
from advisor.errors import InputError
from tests.datasets.tables_made import kinds, written

NAMES = (
    "Smith", "Jones", "Miller", "Null", "Davis", "Wilson", "Moore", "Taylor", "White", "Harris", "Martin", "Clark", "Lewis",
    "Walker", "Hall", "Young", "King", "Wright", "Hill", "Green", "Adams", "Baker", "Nelson", "Carter",
)  # fmt: skip


def target_of(folder: Path, *words: str, size: str = "") -> Path:
    """A table with a number, here and there another `size`, and a target of these words in turn."""
    rows = [[size if size and n % 9 == 0 else n % 17, words[n % len(words)]] for n in range(120)]
    return written(folder / "table.csv", [["size", "y"], *rows])


def said(found: Inspection, word: str) -> str:
    (remark,) = [remark for remark in found.remarks if f"{word!r} (" in remark.what]
    assert remark.weight is Weight.WARNING
    return remark.what


@pytest.mark.parametrize(
    "words",
    [
        ("Apnea", "None", "Insomnia"), ("None", "Apnea"), ("good", "bad", "none", ""), ("EU", "NA", "AS", "SA"),
        ("DE", "NA", "US"), ("none", "mild", "severe"), ("+", "-"),
    ],
)  # fmt: skip
def test_a_class_that_is_called_like_a_missing_value_stays(words: tuple[str, ...], tmp_path: Path) -> None:
    found = inspect(target_of(tmp_path, *words), "y")
    classes = {word for word in words if word}
    assert set(found.classes) == classes
    lost = next(word for word in words if word.casefold() in ("none", "na", "-"))
    assert f"{120 // len(words)} rows) counts as a value of its own" in said(found, lost)
    assert len(load(found, most_examples=1000).targets) == sum(1 for n in range(120) if words[n % len(words)])


@pytest.mark.parametrize(
    ("words", "size"),
    [
        (("u", "v", "None"), "None"), (("red", "blue", "NA"), "NA"), (("red", "blue", "NA"), ""), (("a", "b", "?"), ""),
        (("good", "bad", "nan"), ""), (("A", "B", "-"), ""), (("good", "bad", "N/A"), ""), (("pos", "neg", "null"), ""),
        (("yes", "no", "none"), ""),
    ],
)  # fmt: skip
def test_a_class_that_counts_as_missing_is_reported(words: tuple[str, ...], size: str, tmp_path: Path) -> None:
    found = inspect(target_of(tmp_path, *words, size=size), "y")
    assert set(found.classes) == set(words[:2])
    assert "40 rows) counts as missing" in said(found, words[2])


def test_a_single_class_beside_such_a_word_is_refused_with_the_word(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"single class, 'A', in .*'\?' \(60 rows\) counts as missing"):
        inspect(target_of(tmp_path, "A", "?"), "y")


def test_null_among_names_of_its_shape_is_a_name(tmp_path: Path) -> None:
    for write in (str.title, str.lower, str.upper):
        rows = [[n % 17, write(NAMES[n % 24]), "ab"[n // 3 % 2]] for n in range(240)]
        found = inspect(written(tmp_path / "table.csv", [["size", "surname", "y"], *rows]), "y")
        assert found.columns[1].missing == 0
        assert found.columns[1].distinct == 24


def test_a_file_that_keeps_gaps_apart_from_the_word_has_it_as_a_value(tmp_path: Path) -> None:
    kinds_of_pool = [["none", None, "small", "large"][n % 4] for n in range(120)]
    frame = polars.DataFrame({"pool": kinds_of_pool, "size": range(120), "y": ["a", "b"] * 60})
    frame.write_parquet(tmp_path / "table.parquet")
    found = inspect(tmp_path / "table.parquet", "y")
    assert (found.columns[0].missing, found.columns[0].distinct) == (0.25, 3)


def test_several_words_that_stay_agree_with_their_verb(tmp_path: Path) -> None:
    found = inspect(target_of(tmp_path, "None", "Null", "None", "Apnea"), "y")
    assert "the words 'None' (60 rows) and 'Null' (30 rows) count as values of their own." in said(found, "Null")


@pytest.mark.parametrize("form", ["U", "S"])
@pytest.mark.parametrize(
    ("words", "classes", "are"),
    [
        (("Apnea", "None", "Insomnia"), {"Apnea", "None", "Insomnia"}, "a value of its own"),
        (("EU", "NA", "AS", "SA"), {"EU", "NA", "AS", "SA"}, "a value of its own"),
        (("+", "-"), {"+", "-"}, "a value of its own"), (("a", "b", "?"), {"a", "b"}, "missing"),
        (("yes", "no", " none"), {"yes", "no"}, "missing"), (("1", "2", "NA"), {"1", "2"}, "missing"),
        (("good", "bad", "nan"), {"good", "bad"}, "missing"),
    ],
)  # fmt: skip
def test_words_in_arrays_follow_the_same_rule(
    words: tuple[str, ...], classes: set[str], are: str, form: str, tmp_path: Path
) -> None:
    targets = numpy.array([words[n % len(words)] for n in range(120)]).astype(form)
    numpy.savez(tmp_path / "data.npz", data=numpy.arange(240.0).reshape(120, 2), target=targets)
    found = inspect(tmp_path / "data.npz", None)
    word = next(word.strip() for word in words if word.strip() in MISSING)
    assert set(found.classes) == classes
    assert f"{120 // len(words)} rows) counts as {are}" in said(found, word)
    known = len(load(found, most_examples=1000).targets)
    assert known == 120 // len(words) * len(classes)
    assert found.facts["data.labelled_fraction"] == pytest.approx(known / 120)


@pytest.mark.parametrize("word", ["unknown", "Missing", "n.a.", "not available", "#DIV/0!"])
@pytest.mark.parametrize("date", [False, True])
def test_words_beside_many_numbers_or_dates_are_missing_and_reported(word: str, date: bool, tmp_path: Path) -> None:
    rows = [
        [word if n % 6 == 0 else f"2020-0{1 + n % 9}-1{n % 8}" if date else n % 5, n % 7, "ab"[n % 2]]
        for n in range(120)
    ]
    found = inspect(written(tmp_path / "table.csv", [["held", "size", "y"], *rows]), "y")
    assert kinds(found)["held"] is (Kind.DATE if date else Kind.WHOLE)
    assert "20 rows) counts as missing" in said(found, word)


@pytest.mark.parametrize("nines", ["-999", "-99.9", "9999", "-9999.0"])
def test_nines_far_from_all_numbers_are_reported_and_stay(nines: str, tmp_path: Path) -> None:
    rows = [[nines if n % 8 == 0 else n % 40 / 2 + 0.5, "ab"[n % 2]] for n in range(120)]
    found = inspect(written(tmp_path / "table.csv", [["held", "y"], *rows]), "y")
    assert found.columns[0].missing == 0
    assert any(f"'held' is {float(nines):.10g} in 15 rows" in remark.what for remark in found.remarks)


def test_nines_among_others_are_numbers(tmp_path: Path) -> None:
    rows = [[n * 10 + 9, "ab"[n % 2]] for n in range(100)]
    found = inspect(written(tmp_path / "table.csv", [["price", "y"], *rows]), "y")
    assert not [remark for remark in found.remarks if "far from" in remark.what]
