"""The network of a project is the one that is counted and built for the same sizes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

from advisor.networks.builders import build
from advisor.networks.counts import counted
from advisor.networks.registry import buildable
from advisor.networks.spec import Description
from advisor.starter.blueprint import Blueprint, Targets
from advisor.starter.rendering import network_files
from tests.networks.all_examples import EXAMPLES
from tests.starter.blueprints import module, project

PLANS = {name: plan for examples in EXAMPLES.values() for name, plan in examples.projects.items()}
FOLLOWING = (("none", 0.0), ("batch_norm", 0.3), ("layer_norm", 0.0), ("group_norm", 0.3))
"""Normalisation and dropout after layers."""


def described(plan: Blueprint, modality: str, tokens: int) -> Description:
    """The plan as the advisor builds it; texts have as many different tokens as their data."""
    shape = plan.shape
    inputs = tokens or shape.values * shape.channels * shape.height * shape.width
    every_input = plan.targets is Targets.NEXT_TOKEN or plan.targets is Targets.ITSELF
    return Description(
        plan.network,
        modality,
        inputs,
        inputs if every_input else plan.outputs,
        plan.hidden_units,
        shape.steps,
        plan.recipe.loss,
        plan.activation,
        plan.normalization,
        plan.dropout,
    )


def with_following(plan: Blueprint, normalization: str, dropout: float) -> Blueprint:
    """As far as its type takes them."""
    known = plan.family
    return replace(
        plan,
        normalization=normalization if normalization in known.normalizations else "none",
        dropout=dropout if known.dropout else 0.0,
    )


def shapes(network: nn.Module) -> dict[str, tuple[int, ...]]:
    return {name: tuple(weights.shape) for name, weights in network.state_dict().items()}


def weights(network: nn.Module) -> int:
    return sum(weight.numel() for weight in network.parameters())


@pytest.mark.parametrize("following", FOLLOWING, ids=str)
@pytest.mark.parametrize("name", PLANS)
def test_a_project_has_the_network_that_is_counted_and_built(
    name: str, following: tuple[str, float], tmp_path: Path
) -> None:
    plan, modality = with_following(PLANS[name][0], *following), PLANS[name][1]
    folder = project(tmp_path / "project", plan)
    data = module(folder, "data").load(None, 0)
    made = module(folder, "model").Network(data)
    spec = described(plan, modality, getattr(data, "vocabulary", 0))
    built = build(spec)
    assert shapes(made) == shapes(built)
    assert weights(made) == weights(built) == counted(spec).parameters


@pytest.mark.parametrize("following", FOLLOWING, ids=str)
@pytest.mark.parametrize(
    "name",
    [
        "ffn of a table",
        "cnn of pictures",
        "cnn of a series",
        "lstm of a series",
        "transformer of pictures",
        "unet",
        "diffusion of pictures",
    ],
)
def test_the_same_weights_give_the_same_answers(name: str, following: tuple[str, float], tmp_path: Path) -> None:
    """In training, with the same values left out."""
    plan, modality = with_following(PLANS[name][0], *following), PLANS[name][1]
    folder = project(tmp_path / "project", plan)
    data = module(folder, "data").load(None, 0)
    made, built = module(folder, "model").Network(data), build(described(plan, modality, 0))
    built.load_state_dict(made.state_dict())
    examples = torch.stack([data.train[number][0] for number in range(3)])
    answers = []
    for network in (made, built):
        torch.manual_seed(0)
        answer = network(examples)
        answers.append(answer if isinstance(answer, torch.Tensor) else torch.stack(tuple(answer)))
    torch.testing.assert_close(*answers, rtol=0, atol=0)


@pytest.mark.parametrize("network", buildable())
def test_a_copied_network_needs_nothing_of_ours(network: str) -> None:
    files = network_files(network)
    assert set(files) <= {"network.py", "layers.py", "sizes.py"}
    assert not [name for name, text in files.items() if "advisor" in text]


@pytest.mark.parametrize("name", PLANS)
def test_a_project_describes_the_network_that_is_counted(name: str, tmp_path: Path) -> None:
    plan, modality = PLANS[name]
    folder = project(tmp_path / "project", plan)
    data = module(folder, "data").load(None, 0)
    network = module(folder, "model").Network(data)
    counts = counted(described(plan, modality, getattr(data, "vocabulary", 0)))

    told = json.loads(module(folder, "describe").description(network, data, 6, 2, 3, "fp32"))

    if plan.network == "recursive":  # counted for the largest tree, and these are smaller
        assert 0 < told["multiply_adds_per_example"] <= counts.multiply_adds
        told["multiply_adds_per_example"] = counts.multiply_adds
    assert told == {
        "model": counts.name,
        "parameters": counts.parameters,
        "trained_parameters": sum(weight.numel() for weight in network.parameters() if weight.requires_grad),
        "multiply_adds_per_example": counts.multiply_adds,
        "batch": 36,
        "micro_batch": 6,
        "accumulation": 2,
        "precision": "fp32",
    }
