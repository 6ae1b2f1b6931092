"""`advisor try` with a split of somebody's own, as people run it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.program import advisor, refused
from tests.datasets.test_given_splits import flats


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return flats(tmp_path_factory.mktemp("data") / "flats.csv", 300)


def test_a_model_that_a_file_of_its_own_has_judged_scores_the_same_when_it_is_applied_to_it(
    data: Path, tmp_path: Path
) -> None:
    test, model, said = flats(tmp_path / "test.csv", 120, seed=9, first=300), tmp_path / "model", tmp_path / "said.csv"
    done = advisor(
        "try", data, "--target", "class", "--test", test, "--budget", "15s", "--save", model, "--format", "json"
    )
    assert done.code == 0, done.err
    found = json.loads(done.out)
    how = "The test is the 120 examples of test.csv; all 300 others are learned from."
    assert found["split"] | {"how": how, "held_out": 120, "learnt_from": 300, "test": str(test)} == found["split"]
    assert any("'patient' recurs on both sides" in one for one in found["split"]["warned"])
    assert found["split"]["warned"][0] in " ".join(done.err.split())
    assert "has learned from all 300 examples of --data" in " ".join(done.err.split())
    card = json.loads((model / "card.json").read_text())
    assert (card["examples"], card["learnt_from"], card["held_out"], card["divided"]) == (300, 300, 120, how)
    assert how in (model / "README.md").read_text()
    assert advisor("apply", model, "--data", test, "--output", said).code == 0
    with said.open() as one, test.open() as other:
        pairs = list(zip(csv.DictReader(one), csv.DictReader(other), strict=True))
    score = sum(mine["class"] == theirs["class"] for mine, theirs in pairs) / len(pairs)
    assert card["low"] <= score <= card["high"]


def test_the_screen_says_how_rows_were_divided_and_what_to_type_next(data: Path) -> None:
    given = ("--target", "class", "--group", "patient", "--budget", "15s")
    done = advisor("try", data, *given)
    assert done.code == 0, done.err
    shown = " ".join(done.out.split())
    assert "of the examples, whole groups by 'patient', drawn at random (" in shown
    assert f"advisor try --data {data} --target class --group patient --budget 15s --save model" in done.out
    assert f"advisor recommend --data {data} --target class\n" in done.out
    assert len(done.out.splitlines()) <= 24


def test_splits_that_cannot_be_made_are_refused_by_name_before_anything_is_tried(data: Path, tmp_path: Path) -> None:
    def said(*given: str | Path) -> str:
        return refused("try", data, "--target", "class", "--budget", "60s", *given)

    assert "--time-column: no column is called 'dai' Did you mean day?" in said("--time-column", "dai")
    both = said("--time-column", "city", "--group", "class")
    assert "'city' holds words such as" in both
    assert "'class' is what is to be predicted" in both
    assert "it is what is learned from" in said("--test", data)
    assert "nothing is there" in said("--test", tmp_path / "none.csv")
    bad = tmp_path / "bad.csv"
    bad.write_text("patient,class\np1,dear\np2,dear\n")
    unfit = said("--test", bad)
    assert "the column 'size' is missing" in unfit
    assert "the column 'city' is missing" in unfit
    assert "is never rewritten" in said("--test", bad, "--output", bad, "--force")
