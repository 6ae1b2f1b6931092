"""Examples of somebody's data, read, divided and prepared as trials do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy
import torch
from numpy.typing import NDArray
from torch import Generator, Tensor

from advisor.datasets.dataset import Task as Question
from advisor.datasets.inspect import inspect
from advisor.datasets.loading import load
from advisor.datasets.preparing.splits import outer_split
from advisor.distributed.learning.made import HELD_OUT, ExamplesMade
from advisor.errors import input_error
from advisor.networks.registry import family
from advisor.networks.spec import Description
from advisor.training.child.arrays import Arrays

_OF_NUMBERS = ("mse", "mae", "huber")


def read_examples(
    described: Description, path: Path, target: str | None, most: int, seed: int, *, flat: bool | None = None
) -> tuple[Description, ExamplesMade]:
    """The network with the sizes of the data, and their examples; a fifth is held out, as trials do, by the seed.

    Args:
        flat: True where the network takes a row of numbers for each example; None where the type of the network says it.

    Raises InputError where the data cannot be read, or there is nothing to predict.
    """
    inspection = inspect(path, target)
    examples = load(inspection, most_examples=most, seed=0)
    if examples.task is Question.GENERATE:
        raise input_error(
            "Strategies cannot be compared on these data", "there is nothing to predict", where=str(path),
            remedy="Name the column with --target.",
        )  # fmt: skip
    split = outer_split(examples, HELD_OUT, seed)
    arrays = Arrays(examples)
    prepared = arrays.preparation(split.training)
    flat = family(described.network).takes_rows if flat is None else flat
    shape, classes = prepared.shape, examples.task is Question.CLASSIFY
    of_numbers = described.loss if described.loss in _OF_NUMBERS else "mse"
    sized = replace(
        described,
        modality="tabular" if flat else examples.modality,
        inputs=shape.flat_values if flat else shape.inputs,
        outputs=shape.outputs,
        sequence_length=None if flat else shape.sequence_length,
        loss="cross_entropy" if classes else of_numbers,
    )
    parts = [
        (_tensor(arrays.inputs(split.training, rows, flat=flat)), _tensor(prepared.targets(rows)))
        for rows in (split.training, split.test)
    ]
    how = f"{len(split.training) + len(split.test):,} examples of {path.name}. {split.how}"
    return sized, ExamplesMade((*parts[0], *parts[1]), how)


def read_digits(described: Description, seed: int) -> tuple[Description, ExamplesMade]:
    """The network for scikit-learn's digits, rows of 64 values from 0 to 1, of which a fifth is held out by the seed."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    rows, classes = torch.from_numpy(digits.data / 16).float(), torch.from_numpy(digits.target).long()
    order = torch.randperm(len(rows), generator=Generator().manual_seed(seed))
    held, learned = order[: round(HELD_OUT * len(rows))], order[round(HELD_OUT * len(rows)) :]
    sized = replace(described, modality="tabular", inputs=64, outputs=10, sequence_length=None, loss="cross_entropy")
    parts = (rows[learned], classes[learned], rows[held], classes[held])
    return sized, ExamplesMade(parts, f"{len(rows):,} handwritten digits of scikit-learn; a fifth of them is held out.")


def _tensor(array: NDArray[Any]) -> Tensor:
    return torch.from_numpy(numpy.ascontiguousarray(array))
