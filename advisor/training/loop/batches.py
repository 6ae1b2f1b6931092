"""Batches of examples: each example once an epoch, none left out."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Generator

from advisor.training.loop.objectives import Batch


def shuffled(examples: Batch, size: int, generator: Generator) -> Iterator[Batch]:
    """One epoch in a new order. All tensors count the examples along their first dimension.

    The examples are dealt out evenly, at most `size` a batch: 65 examples in batches of 64 are 33 and 32. So no step
    follows from one odd example alone, for which normalisation over the batch has no meaning.
    """
    order = torch.randperm(len(examples[0]), generator=generator)
    for rows in order.tensor_split(number_of_batches(len(order), size)):
        yield tuple(tensor[rows.to(tensor.device)] for tensor in examples)


def in_order(examples: Batch, size: int) -> Iterator[Batch]:
    """The same batches every time, without copying the examples."""
    parts = number_of_batches(len(examples[0]), size)
    yield from zip(*(tensor.tensor_split(parts) for tensor in examples), strict=True)


def number_of_batches(examples: int, size: int) -> int:
    return math.ceil(examples / size)
