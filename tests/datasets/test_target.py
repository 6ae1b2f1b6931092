"""What is to be learnt, what gives the answer away, and which rows belong together."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import polars
import pytest

from advisor.datasets.dataset import Inspection, Task, Weight
from advisor.datasets.inspect import inspect
from advisor.datasets.loading import load
from advisor.datasets.preparing.splits import outer_split
from advisor.datasets.readers.parquet import ParquetRows
from advisor.datasets.tables.inspection import judged_columns
from advisor.datasets.tables.table import TableSample
from advisor.datasets.tables.target import view
from advisor.errors import InputError

from .tables_made import flowers, read_frame, text_file, written


def inspected(folder: Path, columns: dict[str, Sequence[object]], target: str | None) -> Inspection:
    rows = zip(*columns.values(), strict=True)
    return inspect(written(folder / "t.csv", [list(columns), *rows]), target)


def refused(folder: Path, columns: dict[str, Sequence[object]], target: str) -> str:
    with pytest.raises(InputError) as caught:
        inspected(folder, columns, target)
    return str(caught.value)


def said(found: Inspection) -> str:
    return " ".join(f"{remark.what} {remark.remedy}" for remark in found.remarks)


def noise(count: int = 200, seed: int = 0) -> list[float]:
    draw = random.Random(seed)
    return [round(draw.gauss(0, 1), 4) for _ in range(count)]


@pytest.mark.parametrize(
    ("values", "task", "outputs"),
    [
        (["yes", "no"] * 100, Task.CLASSIFY, 2),
        ([0, 1] * 100, Task.CLASSIFY, 2),
        ([-1, 1] * 100, Task.CLASSIFY, 2),
        (["1.0", "2.0"] * 100, Task.CLASSIFY, 2),
        (["red", "blue", "green", "blue"] * 50, Task.CLASSIFY, 3),
        ([3, 4, 5, 6, 7, 8, 9, 5] * 25, Task.CLASSIFY, 7),
        ([n * 7 % 150 for n in range(200)], Task.REGRESS, 1),
        (noise(), Task.REGRESS, 1),
        ([0.5, 1.5, 2.5, 3.5] * 50, Task.REGRESS, 1),
    ],
)
def test_classes_and_numbers_are_told_by_their_values(
    tmp_path: Path, values: list[object], task: Task, outputs: int
) -> None:
    found = inspected(tmp_path, {"x": noise(), "what": values}, "what")
    assert (found.task, found.facts["task.kind"], found.facts["task.outputs"]) == (task, task.value, outputs)
    assert ("data.imbalance" in found.facts) is (task is Task.CLASSIFY)
    assert ("data.outliers" in found.facts) is (task is Task.REGRESS)
    assert "'what'" in said(found)


@pytest.mark.parametrize(
    "values", [["yes", "no"], [0, 1], ["0.0", "1.0"], ["True", "False"], [3, 5], ["red", "blue"], ["1,5", "2,5"]]
)
def test_the_target_read_again_has_the_words_of_its_classes(tmp_path: Path, values: list[object]) -> None:
    rows = [["x", "what"], *([value, answer] for value, answer in zip(noise(60), values * 30, strict=True))]
    found = inspect(written(tmp_path / "t.csv", rows, delimiter=";"), "what")
    assert found.task is Task.CLASSIFY
    assert set(read_frame(found, 100, 0)["what"]) == set(found.classes)


def test_classes_of_numbers_are_in_the_order_of_their_size(tmp_path: Path) -> None:
    found = inspected(tmp_path, {"x": noise(), "grade": [10, 9, 2, 1] * 50}, "grade")
    assert found.classes == ("1", "2", "9", "10")
    assert "task.kind=regress" in said(found)


def test_uneven_classes_missing_answers_and_rare_classes_are_facts_and_remarks(tmp_path: Path) -> None:
    values = ["fraud"] * 3 + ["honest"] * 147 + [""] * 50
    found = inspected(tmp_path, {"x": noise(), "kind": values}, "kind")
    assert found.facts["data.imbalance"] == 49
    assert found.facts["data.labelled_fraction"] == 0.75
    assert "49 times as many rows" in said(found)
    assert "always predicting 'honest' is right in 98 %" in said(found)
    assert "'fraud'" in said(found)
    assert "25 % of the rows have no value" in said(found).replace("25.0", "25")


def test_classes_that_are_all_rare_are_pointed_out(tmp_path: Path) -> None:
    found = inspected(tmp_path, {"x": noise(), "kind": [f"c{number // 2}" for number in range(200)]}, "kind")
    assert "100 of 100 classes have fewer than 5 examples" in said(found)
    assert "not every class is tested" in outer_split(load(found, most_examples=1000)).how


def test_numbers_far_from_all_others_are_a_fact(tmp_path: Path) -> None:
    usual = inspected(tmp_path, {"x": noise(), "price": noise(seed=1)}, "price")
    strange = inspected(tmp_path, {"x": noise(), "price": [*noise(199, seed=1), 5000.5]}, "price")
    assert usual.facts["data.outliers"] is False
    assert strange.facts["data.outliers"] is True
    assert "far from all others" in said(strange)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([""] * 200, "has no value in any row"),
        (["same"] * 200, "one class only"),
        (["same", ""] * 100, "single class, 'same', in all of the 100 rows"),
        (["same", *[""] * 199], "single class, 'same', in the only row that has a value"),
        ([3.25] * 200, "the same value in every row, '3.25': there is nothing to predict. Name another column."),
        ([3.25, ""] * 100, "single number, '3.25', in all of the 100 rows that have a value. Name another column."),
        ([f"2020-01-{1 + n % 28:02d}" for n in range(200)], "holds dates"),
        ([f"a long text about number {n}" for n in range(200)], "holds free text"),
        ([f"name{n}" for n in range(200)], "a value of its own in nearly every row"),
        ([f"name{n * 2 // 3}" for n in range(200)], "most occur only once"),
    ],
)
def test_a_target_that_cannot_be_learnt_is_refused(tmp_path: Path, values: list[object], reason: str) -> None:
    assert reason in refused(tmp_path, {"x": noise(), "what": values}, "what")


def test_infinite_answers_are_not_called_missing(tmp_path: Path) -> None:
    text = said(inspected(tmp_path, {"x": noise(), "what": [*noise(190, 1), *["inf"] * 10]}, "what"))
    assert "5.0 % of the rows have no value for 'what', or an infinite one; they are left out of training." in text


def test_a_target_with_one_value_in_a_sample_is_not_said_to_have_it_in_every_row() -> None:
    frame = polars.DataFrame({"what": ["same"] * 200})
    sample = TableSample(frame, 5000, "Parquet", ParquetRows(), whole=False)
    [judged] = judged_columns(sample)
    with pytest.raises(InputError, match=r"all 200 rows that were read, 'same'.*others so rare"):
        view(judged, Path("t.csv"), whole=False)


def test_a_wrong_target_is_answered_with_the_right_one(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", flowers())
    for wrong, near in (("specie", "species"), ("Species", "species"), ("colr", "colour")):
        with pytest.raises(InputError, match=f"Did you mean {near}"):
            inspect(path, wrong)
    with pytest.raises(InputError, match="Known: length, width, colour and species"):
        inspect(path, "zzz")


def test_without_a_target_columns_are_proposed_and_nothing_is_decided(tmp_path: Path) -> None:
    found = inspected(tmp_path, {"label": ["a", "b"] * 100, "x": noise()}, None)
    assert found.task is None
    assert "task.kind" not in found.facts
    assert "it could be 'label' or 'x'" in said(found)


def test_a_copy_of_the_target_is_left_out(tmp_path: Path) -> None:
    kinds = ["a", "b", "c", "b"] * 50
    columns = {"x": noise(), "code": [{"a": 1, "b": 2, "c": 3}[kind] for kind in kinds], "kind": kinds}
    found = inspected(tmp_path, columns, "kind")
    assert found.inputs == ("x",)
    assert "'code' is the target 'kind' under another name" in said(found)


def test_a_column_that_tells_the_target_alone_is_suspected_and_kept(tmp_path: Path) -> None:
    kinds = [number % 2 for number in range(200)]
    columns = {
        "x": noise(),
        "score": [kind * 10 + value for kind, value in zip(kinds, noise(seed=1), strict=True)],
        "kind": kinds,
    }
    found = inspected(tmp_path, columns, "kind")
    assert found.inputs == ("x", "score")
    suspected = [remark for remark in found.remarks if remark.columns == ("score",)]
    assert suspected
    assert suspected[0].weight is Weight.WARNING
    assert "almost perfectly" in suspected[0].what


def test_that_a_value_is_missing_can_tell_the_target(tmp_path: Path) -> None:
    kinds = ["alive", "dead", "alive", "alive"] * 50
    causes = [["heart", "lung"][n % 2] if kind == "dead" else "" for n, kind in enumerate(kinds)]
    assert "'cause'" in said(inspected(tmp_path, {"x": noise(), "cause": causes, "kind": kinds}, "kind"))


def test_a_number_in_another_unit_is_suspected(tmp_path: Path) -> None:
    prices = [round(1000 + 50 * value, 3) for value in noise()]
    found = inspected(
        tmp_path, {"x": noise(seed=1), "cents": [price * 100 for price in prices], "price": prices}, "price"
    )
    assert any(remark.columns == ("cents",) for remark in found.remarks)


def test_honest_columns_are_not_suspected(tmp_path: Path) -> None:
    found = inspect(written(tmp_path / "t.csv", flowers(300)), "species")
    assert found.inputs == ("length", "width", "colour")
    assert not [remark for remark in found.remarks if remark.weight is Weight.WARNING]


def test_a_rare_class_does_not_make_every_column_a_suspect(tmp_path: Path) -> None:
    kinds = ["fraud" if n % 100 == 0 else "honest" for n in range(2000)]
    found = inspected(tmp_path, {"x": noise(2000), "colour": ["red", "blue"] * 1000, "kind": kinds}, "kind")
    assert "almost perfectly" not in said(found)


def test_a_class_of_a_handful_of_a_million_rows_makes_no_column_a_suspect_either(tmp_path: Path) -> None:
    draw = random.Random(1)
    count = 250_000
    rare, other = set(draw.sample(range(count), 8)), set(draw.sample(range(count), 8))
    columns = {
        "x": noise(count),
        "flag": ["yes" if n in other else "no" for n in range(count)],
        "kind": ["fraud" if n in rare else "honest" for n in range(count)],
    }
    found = inspected(tmp_path, columns, "kind")
    suspected = {name for remark in found.remarks if remark.weight is Weight.WARNING for name in remark.columns}
    assert not suspected & {"x", "flag"}
    assert {"x", "flag"} <= set(found.inputs)


def test_a_copy_of_a_rare_class_is_found_among_many_rows(tmp_path: Path) -> None:
    count = 250_000
    columns = {
        "x": noise(count),
        "loss": ["large" if n % 40_000 == 7 else "small" for n in range(count)],
        "kind": ["fraud" if n % 40_000 == 7 else "honest" for n in range(count)],
    }
    assert "'loss' is the target 'kind' under another name" in said(inspected(tmp_path, columns, "kind"))


def test_what_a_sample_shows_is_held_against_all_rows(tmp_path: Path) -> None:
    """Of many rows not all are looked at: the two honest ones with a flag are probably not among them."""
    count = 250_000
    flagged = {11, 222_222}
    columns = {
        "x": noise(count),
        "flag": ["yes" if n % 40_000 == 7 or n in flagged else "no" for n in range(count)],
        "kind": ["fraud" if n % 40_000 == 7 else "honest" for n in range(count)],
    }
    found = inspected(tmp_path, columns, "kind")
    assert "flag" in found.inputs
    assert not [remark for remark in found.remarks if remark.columns == ("flag",) and remark.weight is Weight.WARNING]


@pytest.mark.parametrize("name", ["count", "rows", "value", "answer", "len", "literal"])
def test_a_column_may_be_called_as_it_likes(tmp_path: Path, name: str) -> None:
    kinds, few = ["a", "b", "c"] * 100, [1, 2] * 150
    assert inspected(tmp_path, {"x": noise(300), name: kinds}, name).facts["task.outputs"] == 3
    assert name in inspected(tmp_path, {"x": noise(300), name: few, "kind": kinds}, "kind").inputs


@pytest.mark.parametrize("turns", [2, 4, 5])
def test_rows_that_take_turns_make_no_column_a_suspect(tmp_path: Path, turns: int) -> None:
    count = 200_000
    columns = {"x": noise(count), "y": noise(count, 1), "arm": ["abcde"[n % turns] for n in range(count)]}
    assert "almost perfectly" not in said(inspected(tmp_path, columns, "arm"))


def test_a_column_named_after_the_target_is_pointed_out(tmp_path: Path) -> None:
    columns = {"churn_reason": ["price", "moved", "none of these"] * 60, "x": noise(180), "churn": [0, 1, 1, 0, 1] * 36}
    assert "'churn_reason' is named after the target 'churn'" in said(inspected(tmp_path, columns, "churn"))


def test_repeated_rows_and_contradictions_are_counted(tmp_path: Path) -> None:
    values = noise(100)
    columns = {
        "x": [*values, *values[:10], *values[10:15]],
        "y": [*values, *values[:10], *values[10:15]],
        "kind": [*["a", "b"] * 50, *["a", "b"] * 5, *["b", "a", "b", "a", "b"]],
    }
    text = said(inspected(tmp_path, columns, "kind"))
    assert "Rows that repeat another one: 10 of 115." in text
    assert "Rows with the same inputs as another one and a different answer: 10 of 115." in text


def test_a_person_who_comes_again_is_a_group(tmp_path: Path) -> None:
    draw = random.Random(0)
    persons = [draw.randrange(1000, 1050) for _ in range(200)]
    columns = {"patient_id": persons, "x": noise(), "ill": [person % 2 for person in persons]}
    found = inspected(tmp_path, columns, "ill")
    assert found.group_column == "patient_id"
    assert found.inputs == ("x",)
    assert found.facts["data.sparse_ids"] is False


def test_thousands_of_persons_and_goods_are_sparse_ids(tmp_path: Path) -> None:
    draw = random.Random(0)
    columns = {
        "user_id": [draw.randrange(2000) for _ in range(8000)],
        "item_id": [draw.randrange(1500) for _ in range(8000)],
        "rating": [draw.randrange(1, 6) for _ in range(8000)],
    }
    found = inspected(tmp_path, columns, "rating")
    assert found.facts["data.sparse_ids"] is True
    assert found.group_column is None
    assert found.inputs == ("user_id", "item_id")


def test_rows_in_the_order_of_a_date_are_split_by_it(tmp_path: Path) -> None:
    draw = random.Random(0)
    days = [f"20{n // 120:02d}-{1 + n // 10 % 12:02d}-{1 + n % 10 * 2 + draw.randrange(2):02d}" for n in range(200)]
    columns = {
        "day": days,
        "shop": ["north", "south"] * 100,
        "x": noise(),
        "sold": ["much", "little", "none", "much"] * 50,
    }
    found = inspected(tmp_path, columns, "sold")
    assert found.time_column == "day"
    draw.shuffle(days)
    mixed = inspected(tmp_path, columns | {"day": days}, "sold")
    assert mixed.time_column is None
    assert "'day' holds dates" in said(mixed)


def test_several_rows_of_a_day_stand_in_its_order_too(tmp_path: Path) -> None:
    days = [f"2024-{1 + n // 56:02d}-{1 + n // 2 % 28:02d}" for n in range(200)]
    columns = {"day": days, "x": noise(), "sold": ["much", "little", "none", "much"] * 50}
    assert inspected(tmp_path, columns, "sold").time_column == "day"
    few = {**columns, "day": [f"2024-01-{1 + n // 20:02d}" for n in range(200)]}
    assert inspected(tmp_path, few, "sold").time_column is None, "ten days may as well be sorted groups"


def test_rows_sorted_by_the_target_are_pointed_out(tmp_path: Path) -> None:
    found = inspected(tmp_path, {"x": noise(), "kind": ["a"] * 100 + ["b"] * 100}, "kind")
    assert "sorted by the target" in said(found)


def test_few_rows_are_said_to_be_few(tmp_path: Path) -> None:
    found = inspect(text_file(tmp_path / "t.csv", "x,kind\n1.5,a\n2.5,b\n3.5,a\n"), "kind")
    assert "3 rows are few" in said(found)


def test_a_column_of_texts_with_classes_is_a_task_of_texts(tmp_path: Path) -> None:
    reviews = [f"this film number {n} was {'bad' if n % 2 else 'good'} as they say" for n in range(200)]
    found = inspected(tmp_path, {"review": reviews, "liked": ["no" if n % 2 else "yes" for n in range(200)]}, "liked")
    assert found.facts["data.modality"] == "text"
    assert found.facts["data.sequence_length"] == 9
    assert found.facts["data.inputs"] > 200


STARS = [n * 7 % 5 + 1 for n in range(200)]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (STARS, Task.REGRESS),
        ([0, 1] * 100, Task.REGRESS),
        ([n * 7 % 50 for n in range(200)], Task.CLASSIFY),
        ([0.5, 1.5, 2.5, 3.5] * 50, Task.CLASSIFY),
    ],
)
def test_a_target_is_read_for_the_task_that_somebody_says(tmp_path: Path, values: list[object], told: Task) -> None:
    seeming = inspected(tmp_path, {"x": noise(), "what": values}, "what")
    found = inspect(tmp_path / "t.csv", "what", told)
    assert seeming.task is not told
    assert (found.task, found.facts["task.kind"]) == (told, told.value)
    assert found.facts["task.outputs"] == (1 if told is Task.REGRESS else len(set(values)))
    assert ("data.imbalance" in found.facts) is (told is Task.CLASSIFY)
    assert found.fingerprint == found.facts["data.fingerprint"] != seeming.fingerprint
    assert inspect(tmp_path / "t.csv", "what", seeming.task) == seeming, "said or seen is the same"
    examples = load(found, most_examples=1000)
    read = [found.classes[n] for n in examples.targets] if told is Task.CLASSIFY else examples.targets[:, 0].tolist()
    assert [float(value) for value in read] == values


@pytest.mark.parametrize(
    ("values", "told", "why"),
    [
        (["red", "blue", "green", "blue"] * 50, Task.REGRESS, "'what' holds words such as 'red'"),
        (["yes", "no"] * 100, Task.REGRESS, "'what' holds words such as 'yes'"),
        (noise(), Task.CLASSIFY, "most occur only once"),
        (STARS, Task.FORECAST, "the task is said to be forecast, but it is read as one to classify"),
    ],
)
def test_a_task_that_the_target_does_not_allow_is_refused(
    tmp_path: Path, values: list[object], told: Task, why: str
) -> None:
    inspected(tmp_path, {"x": noise(), "what": values}, "what")
    with pytest.raises(InputError, match=why) as caught:
        inspect(tmp_path / "t.csv", "what", told)
    assert caught.value.problems[0].remedy


def test_rows_in_order_of_time_are_a_table_where_a_regression_is_asked_for(tmp_path: Path) -> None:
    days = [str(date(2024, 1, 1) + timedelta(n)) for n in range(100)]
    table: dict[str, Sequence[object]] = {"day": days, "sun": noise(100), "sold": noise(100, 1)}
    assert inspected(tmp_path, table, "sold").task is Task.FORECAST
    found = inspect(tmp_path / "t.csv", "sold", Task.REGRESS)
    assert (found.task, found.modality, found.time_column) == (Task.REGRESS, "tabular", "day")
    assert load(found, most_examples=100).inputs.columns == ["day", "sun"]
