"""Arrays whose examples have several labels at once, and other arrays that were misnamed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import pytest

from advisor.datasets.dataset import Task
from advisor.datasets.inspect import inspect
from advisor.errors import InputError

INPUTS = numpy.random.default_rng(0).normal(size=(60, 5))
LABELS = (INPUTS[:, :4] > 0).astype(int)


def saved(folder: Path, **arrays: Any) -> Path:
    numpy.savez(folder / "t.npz", **arrays)
    return folder / "t.npz"


@pytest.mark.parametrize("kind", [int, float, bool])
def test_columns_of_0_and_1_are_labels_that_can_hold_together(tmp_path: Path, kind: type) -> None:
    found = inspect(saved(tmp_path, x=INPUTS, y=LABELS.astype(kind)), None)
    assert (found.task, found.classes, found.target) == (None, (), "y"), "it cannot be tried"
    facts = {name: value for name, value in found.facts.items() if name.startswith("task.")}
    assert facts == {"task.kind": "classify", "task.multilabel": True, "task.outputs": 4}
    assert "4 columns of 0 and 1: an example can have several labels at once" in found.remarks[0].what


def test_one_label_for_each_example_is_a_class_and_other_numbers_are_numbers(tmp_path: Path) -> None:
    one = inspect(saved(tmp_path, x=INPUTS, y=numpy.eye(4)[numpy.arange(60) % 4]), None)
    assert (one.task, len(one.classes)) == (Task.CLASSIFY, 4)
    numbers = inspect(saved(tmp_path, x=INPUTS, y=LABELS * 2), None)
    assert (numbers.task, numbers.facts["task.outputs"]) == (Task.REGRESS, 4)
    assert one.facts["task.multilabel"] is False, "nobody need be asked"
    assert "task.multilabel" not in numbers.facts


def test_labels_are_read_as_numbers_where_somebody_says_so_and_never_as_classes(tmp_path: Path) -> None:
    path = saved(tmp_path, x=INPUTS, y=LABELS)
    found = inspect(path, None, Task.REGRESS)
    assert (found.task, found.facts["task.kind"], found.facts["task.outputs"]) == (Task.REGRESS, "regress", 4)
    assert "task.multilabel" not in found.facts
    with pytest.raises(
        InputError, match=r"several labels for one example \(4 columns of 0 and 1\), which cannot be tried"
    ):
        inspect(path, None, Task.CLASSIFY)
    with pytest.raises(InputError, match="its targets are 4 numbers for each example and no classes"):
        inspect(saved(tmp_path, x=INPUTS, y=LABELS * 2), None, Task.CLASSIFY)


def test_a_column_that_is_infinite_throughout_is_named_once(tmp_path: Path) -> None:
    inputs = INPUTS.copy()
    inputs[:, 2] = numpy.inf
    said = [remark.what for remark in inspect(saved(tmp_path, x=inputs, y=LABELS[:, 0]), None).remarks]
    assert any("without a single number" in what and "column 2" in what for what in said)
    assert not any("the same value in every example" in what for what in said)


def test_one_array_that_is_left_alone_was_left_alone(tmp_path: Path) -> None:
    found = inspect(saved(tmp_path, x=INPUTS, y=LABELS[:, 0], b=numpy.zeros(3)), None)
    assert "b was left alone." in found.remarks[0].what
