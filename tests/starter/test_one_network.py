"""The network of a project is the one that is counted and built for the same sizes."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from advisor.networks.builders import build
from advisor.networks.counts import counts
from advisor.networks.registry import buildable
from advisor.networks.spec import Description
from advisor.starter.blueprint import Blueprint, Layout, Shape, Targets
from advisor.starter.copying import network_files
from tests.starter.blueprints import blueprint, module, project

CLASS, FLAGS, NUMBERS, MASK, NEXT, ITSELF = (
    Targets.CLASS, Targets.FLAGS, Targets.NUMBERS, Targets.MASK, Targets.NEXT_TOKEN, Targets.ITSELF,
)  # fmt: skip
GREY, COLOURED = Shape(1, channels=1, height=16, width=16), Shape(1, channels=3, height=32, width=32)
SMALL = Shape(1, channels=1, height=8, width=8)
ODD = Shape(1, channels=3, height=21, width=21)
PLANS = {
    "ffn of a table": (blueprint("ffn", Layout.TABLE, CLASS), "tabular"),
    "ffn of a series": (blueprint("ffn", Layout.SERIES, NUMBERS), "time_series"),
    "ffn of texts": (blueprint("ffn", Layout.TOKENS, CLASS), "text"),
    "ffn of pictures": (blueprint("ffn", Layout.PICTURE, CLASS, shape=GREY, activation="tanh"), "image"),
    "cnn of pictures": (blueprint("cnn", Layout.PICTURE, CLASS, shape=GREY), "image"),
    "cnn of odd pictures": (blueprint("cnn", Layout.PICTURE, FLAGS, shape=ODD, hidden_units=(4, 6, 8)), "image"),
    "cnn of a series": (blueprint("cnn", Layout.SERIES, NUMBERS), "time_series"),
    "cnn of sounds": (blueprint("cnn", Layout.SOUND, CLASS), "audio"),
    "cnn of texts": (blueprint("cnn", Layout.TOKENS, CLASS), "text"),
    "rnn of a series": (blueprint("rnn", Layout.SERIES, NUMBERS, activation="tanh"), "time_series"),
    "rnn of sounds": (blueprint("rnn", Layout.SOUND, CLASS), "audio"),
    "lstm of a series": (blueprint("lstm", Layout.SERIES, NUMBERS), "time_series"),
    "lstm of texts": (blueprint("lstm", Layout.TOKENS, CLASS, hidden_units=(12, 8)), "text"),
    "lstm of words": (blueprint("lstm", Layout.TOKENS, NEXT), "text"),
    "transformer of texts": (blueprint("transformer", Layout.TOKENS, CLASS), "text"),
    "transformer of words": (blueprint("transformer", Layout.TOKENS, NEXT, hidden_units=(16,)), "text"),
    "transformer of pictures": (blueprint("transformer", Layout.PICTURE, CLASS, shape=COLOURED), "image"),
    "transformer of a series": (blueprint("transformer", Layout.SERIES, NUMBERS, activation="gelu"), "time_series"),
    "unet": (blueprint("unet", Layout.PICTURE, MASK, shape=GREY), "image"),
    "autoencoder of a table": (blueprint("autoencoder", Layout.TABLE, ITSELF), "tabular"),
    "autoencoder, mirrored": (blueprint("autoencoder", Layout.TABLE, ITSELF, hidden_units=(12, 6)), "tabular"),
    "autoencoder of small pictures": (blueprint("autoencoder", Layout.PICTURE, ITSELF, shape=SMALL), "image"),
    "autoencoder of pictures": (blueprint("autoencoder", Layout.PICTURE, ITSELF, shape=COLOURED), "image"),
    "vae of a series": (blueprint("vae", Layout.SERIES, ITSELF), "time_series"),
    "vae of pictures": (blueprint("vae", Layout.PICTURE, ITSELF, shape=COLOURED, hidden_units=(4, 8)), "image"),
    "gan of a table": (blueprint("gan", Layout.TABLE, ITSELF, activation="leaky_relu"), "tabular"),
    "gan of pictures": (blueprint("gan", Layout.PICTURE, ITSELF, shape=COLOURED), "image"),
    "gan of odd pictures": (blueprint("gan", Layout.PICTURE, ITSELF, shape=ODD), "image"),
    "diffusion of a table": (blueprint("diffusion", Layout.TABLE, ITSELF), "tabular"),
    "diffusion of pictures": (blueprint("diffusion", Layout.PICTURE, ITSELF, shape=GREY), "image"),
    "rbm": (blueprint("rbm", Layout.PICTURE, ITSELF, shape=SMALL), "image"),
    "rbm of classes": (blueprint("rbm", Layout.TABLE, CLASS), "tabular"),
    "dbn": (blueprint("dbn", Layout.TABLE, ITSELF), "tabular"),
    "dbn of classes": (blueprint("dbn", Layout.PICTURE, CLASS, shape=SMALL), "image"),
    "deconvolutional": (blueprint("deconvolutional", Layout.TABLE, NUMBERS, outputs=64), "tabular"),
    "deconvolutional of colours": (blueprint("deconvolutional", Layout.TABLE, NUMBERS, outputs=192), "tabular"),
    "deconvolutional of pictures": (blueprint("deconvolutional", Layout.PICTURE, ITSELF, shape=GREY), "image"),
    "recursive": (blueprint("recursive", Layout.TREE, CLASS, activation="tanh"), "tree"),
    "gnn": (blueprint("gnn", Layout.GRAPH, CLASS), "graph"),
}


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
    )


def shapes(network: nn.Module) -> dict[str, tuple[int, ...]]:
    return {name: tuple(weights.shape) for name, weights in network.state_dict().items()}


def weights(network: nn.Module) -> int:
    return sum(weight.numel() for weight in network.parameters())


def test_every_type_of_network_is_compared() -> None:
    assert {plan.network for plan, _ in PLANS.values()} == set(buildable())


@pytest.mark.parametrize("name", PLANS)
def test_a_project_has_the_network_that_is_counted_and_built(name: str, tmp_path: Path) -> None:
    plan, modality = PLANS[name]
    folder = project(tmp_path / "project", plan)
    data = module(folder, "data").load(None, 0)
    made = module(folder, "model").Network(data)
    spec = described(plan, modality, getattr(data, "vocabulary", 0))
    built = build(spec)
    assert shapes(made) == shapes(built)
    assert weights(made) == weights(built) == counts(spec).parameters


@pytest.mark.parametrize(
    "name", ["ffn of a table", "cnn of pictures", "lstm of a series", "unet", "diffusion of pictures"]
)
def test_the_same_weights_give_the_same_answers(name: str, tmp_path: Path) -> None:
    plan, modality = PLANS[name]
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
