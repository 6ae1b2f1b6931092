"""The training of a project before its first step: initial weights, and the memory of a step."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import pytest
import torch

from advisor.starter.blueprint import Blueprint, Layout, Targets
from tests.starter.blueprints import blueprint, module, project


def begun(folder: Path, plan: Blueprint) -> tuple[ModuleType, Any]:
    """The module train.py, and its training, ready for the first step."""
    made = module(project(folder, plan), "train")
    with mock.patch.object(sys, "argv", ["train.py", "--output", str(folder / "runs")]):
        return made, made.Training(made.arguments(), made.start())


def kept_bytes(folder: Path, plan: Blueprint) -> int:
    """Memory that the first step keeps for its backward pass, weights aside."""
    made, training = begun(folder, plan)
    own = {weight.data_ptr() for weight in training.network.parameters()}
    kept: dict[int, int] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor.detach()  # as in tests/networks/computed.py

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        figures = made.loss_of(training.model, next(iter(training.batches)))
        total = sum(kept.values())
    assert figures["loss"].requires_grad
    return total


@pytest.mark.parametrize(
    ("network", "layout", "targets", "units"),
    [
        ("dbn", Layout.TABLE, Targets.CLASS, (32, 32, 32, 32)),
        ("gnn", Layout.GRAPH, Targets.CLASS, (16, 16, 16)),
        ("lstm", Layout.SERIES, Targets.NUMBERS, (16, 16)),
        ("diffusion", Layout.PICTURE, Targets.ITSELF, (8, 16)),
        ("ffn", Layout.TABLE, Targets.CLASS, (16, 16, 16, 16)),
    ],
)
def test_a_project_that_computes_results_again_keeps_less(
    network: str, layout: Layout, targets: Targets, units: tuple[int, ...], tmp_path: Path
) -> None:
    everything, less = (
        kept_bytes(tmp_path / str(again), blueprint(network, layout, targets, hidden_units=units, recompute=again))
        for again in (False, True)
    )
    assert less < everything


@pytest.mark.parametrize("network", ["rbm", "dbn"])
@pytest.mark.parametrize(("init", "variance"), [("he", 2 / 30), ("lecun", 1 / 30), ("small_normal", 0.1**2)])
def test_boltzmann_machines_start_from_the_weights_of_the_plan(
    network: str, init: str, variance: float, tmp_path: Path
) -> None:
    plan = blueprint(network, Layout.TOKENS, Targets.ITSELF, init=init, hidden_units=(600,))
    _, training = begun(tmp_path, plan)
    (weights,) = (weight for weight in training.network.parameters() if weight.dim() == 2)
    scale = 30 / weights.shape[1] if init != "small_normal" else 1.0  # fewer words than the largest vocabulary
    assert weights.std().item() == pytest.approx(math.sqrt(variance * scale), rel=0.05)
