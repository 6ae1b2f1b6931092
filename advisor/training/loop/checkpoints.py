"""The state of a training on disk: written whole after an epoch or not at all, read without running any code."""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn

from advisor.errors import InputError, Problem, input_error
from advisor.files import atomic_write
from advisor.training.recipe import Recipe
from advisor.training.trained import Epoch
from advisor.wording import shorten

Weights: TypeAlias = dict[str, Tensor]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """All that the rest of a training depends on.

    Random numbers need no place: those of an epoch follow from the seed and the epoch's number.
    """

    recipe: Mapping[str, Any]
    examples: int
    weights: Weights
    best: Weights
    best_epoch: int
    best_validation: float | None
    history: tuple[Epoch, ...]
    optimizers: tuple[Mapping[str, Any], ...]
    """The state of each player's, in the order of their turns."""


def weights_of(module: nn.Module) -> Weights:
    """A copy of its weights and buffers, which training goes on without."""
    return {name: tensor.detach().clone() for name, tensor in module.state_dict().items()}


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Raises InputError where the file cannot be written."""
    content = {field.name: getattr(checkpoint, field.name) for field in fields(checkpoint)}
    content["history"] = [asdict(epoch) for epoch in checkpoint.history]
    buffer = io.BytesIO()
    torch.save(content, buffer)
    try:
        atomic_write(path, buffer.getvalue())
    except OSError as error:
        reason = error.strerror or type(error).__name__
        remedy = "Check the folder, its permissions and the free space."
        raise input_error("The checkpoint cannot be written", reason, where=shorten(path, 200), remedy=remedy) from None


def read_checkpoint(path: Path, recipe: Recipe, module: nn.Module, examples: int) -> Checkpoint | None:
    """The state of the training with this recipe; None where the file does not exist yet.

    Raises InputError where the file is no checkpoint, or that of another training.
    """
    if not path.exists():
        return None
    checkpoint = _read(path)
    problems = [
        Problem(name, f"was {shorten(checkpoint.recipe.get(name))} and is {shorten(value)}.")
        for name, value in asdict(recipe).items()
        if checkpoint.recipe.get(name) != value
    ]
    if checkpoint.examples != examples:
        problems.append(Problem("training examples", f"there were {checkpoint.examples} and are {examples}."))
    if _shapes(checkpoint.weights) != _shapes(module.state_dict()):
        problems.append(Problem("network", "its layers had other names or shapes."))
    if problems:
        remedy = Problem(shorten(path, 200), "cannot be gone on from.", "Name another file, or remove this one.")
        raise InputError("This checkpoint belongs to another training", [*problems, remedy])
    return checkpoint


def _read(path: Path) -> Checkpoint:
    try:
        content = torch.load(path, weights_only=True, map_location="cpu")
        content["history"] = tuple(Epoch(**epoch) for epoch in content["history"])
        return Checkpoint(**content)
    except (OSError, EOFError, RuntimeError, ValueError, TypeError, LookupError, pickle.UnpicklingError) as error:
        what = f"this is not a checkpoint of a training ({type(error).__name__})."
        remedy = "Name another file, or remove this one."
        raise input_error("The checkpoint cannot be read", what, where=shorten(path, 200), remedy=remedy) from None


def _shapes(weights: Mapping[str, Tensor]) -> dict[str, tuple[int, ...]]:
    return {name: tuple(tensor.shape) for name, tensor in weights.items()}
