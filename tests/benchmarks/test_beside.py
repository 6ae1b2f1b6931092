"""Sets of data beside others: what is held out, and how predictions are scored."""

from __future__ import annotations

import json
from pathlib import Path

import numpy
import pandas
import pytest

from benchmarks.trials.beside import comparing, files
from benchmarks.trials.beside.comparing import compare, decided, matrix, scored
from benchmarks.trials.beside.files import anywhere, divided, origins
from benchmarks.trials.beside.sets import AUDIT, TWELVE, Data, frame_of


def rows(count: int) -> pandas.DataFrame:
    """The later ones first."""
    days = pandas.date_range("2000-01-01", periods=count).strftime("%Y-%m-%d")
    return pandas.DataFrame({"day": days[::-1], "storm": numpy.arange(count) // 4, "y": numpy.arange(count, 0, -1)})


def test_the_latest_fifth_is_held_out_by_dates() -> None:
    found, test = divided(Data("y", latest="day"), rows(20))
    assert found["y"][test].tolist() == [17, 18, 19, 20]


def test_the_end_of_a_series_is_held_out() -> None:
    _, test = divided(Data("y", seasons=(12,)), rows(20))
    assert test.tolist() == [False] * 16 + [True] * 4


def test_rows_of_one_group_stay_together() -> None:
    found, test = divided(Data("y", group="storm"), rows(40))
    held = [set(part) for _, part in found.assign(test=test).groupby("storm")["test"]]
    assert sorted(held, key=str) == [{False}] * 8 + [{True}] * 2


def test_the_audit_holds_out_as_many_of_each_class() -> None:
    test = anywhere(Data("y", codes=True, audited=("accuracy",)), numpy.array([0] * 80 + [1] * 20))
    assert (test[:80].sum(), test[80:].sum()) == (16, 4)


def test_gaps_stay_in_a_series_only() -> None:
    def gapped() -> pandas.DataFrame:
        return rows(10).assign(y=[1.0, None] * 5)

    assert len(frame_of(Data("y", gapped))) == 5
    assert len(frame_of(Data("y", gapped, seasons=(12,)))) == 10


def test_only_steps_that_are_known_are_forecast() -> None:
    truth = numpy.array([1.0, numpy.nan, 3.0, 4.0])
    assert origins(Data(origins=10), truth).tolist() == [0, 2, 3]
    assert origins(Data(origins=2), truth).tolist() == [0, 3]


def test_columns_that_code_the_answer_are_left_out() -> None:
    def bikes() -> pandas.DataFrame:
        return pandas.DataFrame({"temp": [0.2], "casual": [3], "registered": [13], "bikers": [16]})

    data = Data("bikers", bikes, drop=AUDIT["bikes"].drop)
    assert list(frame_of(data)) == ["temp", "bikers"]


def test_both_collections_have_names_of_their_own() -> None:
    assert (len(TWELVE), len(AUDIT), set(TWELVE) & set(AUDIT)) == (12, 10, set())


@pytest.mark.parametrize(
    ("metric", "expected"),
    [("accuracy", 0.75), ("balanced_accuracy", 0.5), ("roc_auc", 1.0), ("average_precision", 1.0)],
)
def test_ranks_are_scored_apart_from_decisions(metric: str, expected: float) -> None:
    truth, rare = numpy.array(["no", "no", "no", "yes"]), numpy.array([0.1, 0.2, 0.3, 0.4])
    said = numpy.stack([1 - rare, rare], axis=1)
    assert scored(metric, truth, said, ["no", "yes"], numpy.arange(4)) == expected


def test_the_area_is_a_mean_over_several_classes() -> None:
    truth, said = numpy.array(["a", "b", "c"]), numpy.array([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.3, 0.3, 0.399]])
    assert scored("roc_auc", truth, said, ["a", "b", "c"], numpy.arange(3)) == 1.0


def test_a_decision_need_not_be_the_likeliest_class(tmp_path: Path) -> None:
    told = tmp_path / "ours.csv"
    told.write_text("prediction,probability of 0,probability of 1\n1,0.7,0.3\n0,0.9,0.1\n")
    assert decided(told, ["0", "1"]).argmax(1).tolist() == [1, 0]
    assert matrix(told, ["0", "1"]).argmax(1).tolist() == [0, 0]


def test_the_audits_metrics_follow_that_of_the_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = {"cars": Data("bought", codes=True, audited=("balanced_accuracy", "roc_auc"))}
    for room in (comparing, files):
        monkeypatch.setattr(room, "DATA", data)
    place = tmp_path / "cars"
    place.mkdir()
    header = "prediction,probability of 0,probability of 1\n"
    (place / "test.csv").write_text("age,bought\n" + "1,0\n2,0\n3,1\n4,1\n" * 10)
    (place / "ours.csv").write_text(header + "0,0.9,0.1\n0,0.8,0.2\n1,0.7,0.3\n1,0.6,0.4\n" * 10)
    (place / "other forest.csv").write_text("0,1\n" + "0.9,0.1\n0.8,0.2\n0.7,0.3\n0.4,0.6\n" * 10)
    best = {"name": "boosting", "low": 0.9, "high": 1.0}
    found = {"metric": "average_precision", "greater_is_better": True, "seconds": 9.0, "best": best}
    (place / "try.json").write_text(json.dumps(found))
    compare(tmp_path, ["cars"])
    lines = capsys.readouterr().out.splitlines()
    assert (
        lines[0] == "cars: average_precision, chose boosting, on the test 1.0000, interval 0.9000 to 1.0000 holds, 9 s"
    )
    assert lines[2] == "  balanced_accuracy of the audit, on the test 1.0000"
    assert lines[3].split()[:3] == ["forest", "0.7500", "+0.2500"]
    assert lines[4] == "  roc_auc of the audit, on the test 1.0000"
