"""What networks of generated projects promise beside training: new examples, fair play, what they learn beforehand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image
from torch import Tensor, nn

from advisor.starter.blueprint import Layout, Targets
from tests.starter.blueprints import LARGE, blueprint, module, project
from tests.starter.projects import run, some


@pytest.mark.parametrize(
    ("network", "layout"),
    some(4, ("vae", "gan", "diffusion", "rbm", "dbn"), (Layout.TABLE, Layout.PICTURE, Layout.SERIES, Layout.TOKENS)),
)
def test_generators_make_examples_in_the_shape_of_real_ones(network: str, layout: Layout, tmp_path: Path) -> None:
    shape = LARGE if layout is Layout.PICTURE else None
    folder = project(tmp_path / "project", blueprint(network, layout, Targets.ITSELF, shape=shape, examples=10))
    data = module(folder, "data").load(None, 0)
    made = initialised(module(folder, "model").Network(data)).sample(3)
    assert made.shape == (3, *data.train[0][0].shape)
    assert made.isfinite().all()


def test_pictures_are_made_from_the_best_weights(tmp_path: Path) -> None:
    folder = project(tmp_path / "project", blueprint("vae", Layout.PICTURE, Targets.ITSELF))
    run(folder, "python train.py --steps 1")
    run(folder, "python generate.py --number 2 --output made")
    with Image.open(folder / "made" / "1.png") as picture:
        assert picture.size == (11, 11)


def test_players_of_a_gan_learn_from_their_own_part_of_the_loss_only(tmp_path: Path) -> None:
    folder = project(tmp_path / "project", blueprint("gan", Layout.TABLE, Targets.ITSELF))
    network = initialised(module(folder, "model").Network(module(folder, "data").load(None, 0)))
    judged = network(torch.randn(4, 5))
    judged.passed_off.sum().backward()
    assert gradients(network.generator)
    assert not gradients(network.judge)
    network.zero_grad()
    (network(torch.randn(4, 5)).real + judged.produced).sum().backward()
    assert gradients(network.judge)
    assert not gradients(network.generator)


def test_a_belief_network_learns_without_targets_beforehand(tmp_path: Path) -> None:
    folder = project(tmp_path / "project", blueprint("dbn", Layout.PICTURE, Targets.CLASS))
    data = module(folder, "data").load(None, 0)
    network = initialised(module(folder, "model").Network(data))
    pictures = torch.stack([picture for picture, _ in data.train]).flatten(1)
    lowest = network.stack()[0]
    with torch.no_grad():
        before = (lowest.down(lowest(pictures)) - pictures).square().mean()
        network.pretrain(data.train)
        after = (lowest.down(lowest(pictures)) - pictures).square().mean()
    assert after < before


@pytest.mark.parametrize("network", ["rbm", "dbn"])
def test_its_training_begins_with_that_and_does_not_repeat_it_when_it_goes_on(network: str, tmp_path: Path) -> None:
    folder = project(tmp_path / "project", blueprint(network, Layout.TABLE, Targets.CLASS))
    run(folder, "python train.py --steps 1 --learning-rate 0 --resume")  # nothing to go on from yet
    first = torch.load(folder / "runs" / "last.pt", weights_only=True)["network"]
    assert first["machines.0.visible_bias"].any()
    run(folder, "python train.py --steps 2 --learning-rate 0 --resume --seed 1")
    again = torch.load(folder / "runs" / "last.pt", weights_only=True)["network"]
    assert all(torch.equal(weights, again[name]) for name, weights in first.items())


@pytest.mark.parametrize("layout", [Layout.TABLE, Layout.SERIES, Layout.SOUND, Layout.PICTURE, Layout.TOKENS])
def test_what_represents_an_example_is_as_long_for_all_data(layout: Layout, tmp_path: Path) -> None:
    folder = project(tmp_path / "project", blueprint("cnn", layout, Targets.ITSELF, "info_nce", examples=10))
    data = module(folder, "data").load(None, 0)
    network = initialised(module(folder, "model").Network(data))
    assert network(torch.stack([data.train[0][0], data.train[1][0]])).shape == (2, 128)


@pytest.mark.parametrize("width", [1, 2, 3, 6, 8, 16])
def test_groups_are_normalised_over_several_values(width: int, tmp_path: Path) -> None:
    plan = blueprint("ffn", Layout.TABLE, Targets.CLASS, normalization="group_norm", hidden_units=(width,))
    network = module(project(tmp_path / "project", plan), "model")
    (norm,) = [layer for layer in network.following(width) if isinstance(layer, nn.GroupNorm)]
    assert width % norm.num_groups == 0
    assert width == 1 or norm.num_channels // norm.num_groups >= 2


def test_a_node_hears_from_its_neighbours_and_theirs(tmp_path: Path) -> None:
    folder = project(tmp_path / "project", blueprint("gnn", Layout.GRAPH, Targets.CLASS))
    data = module(folder, "data").load(None, 0)
    chain = torch.tensor([[0, 1, 2], [1, 2, 3]])  # 0 -> 1 -> 2 -> 3
    made = type(data)(data.train, data.validation, torch.randn(5, 6), chain, 3, {})
    network = initialised(module(folder, "model").Network(made))
    before = network(torch.arange(5))
    network.features[0] += 1
    changed = (network(torch.arange(5)) != before).any(1)
    assert changed.tolist() == [True, True, True, False, False]  # two rounds: two edges far


def test_a_tree_is_read_from_its_leaves_to_its_root(tmp_path: Path) -> None:
    folder = project(tmp_path / "project", blueprint("recursive", Layout.TREE, Targets.CLASS))
    data = module(folder, "data").load(None, 0)
    network = initialised(module(folder, "model").Network(data))
    small = [[0, 0, 0], [0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 3, 4]]  # 3 with the children 1 and 2
    swapped = [[0, 0, 0], [0, 0, 0], [2, 0, 0], [1, 0, 0], [3, 3, 4]]
    same = [[5, 0, 0], [6, 0, 0], [1, 0, 0], [2, 0, 0], [3, 3, 4]]  # what fills it up belongs to nobody
    one, other, again = network(torch.tensor([small, swapped, same]))
    assert not torch.equal(one, other)
    assert torch.equal(one, again)


def initialised(network: Any) -> Any:
    """With weights that are not empty memory, and without dropout."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        for weight in network.parameters():
            nn.init.normal_(weight, std=0.1)
    return network.eval()


def gradients(part: nn.Module) -> list[Tensor]:
    return [weight.grad for weight in part.parameters() if weight.grad is not None and weight.grad.any()]
