from __future__ import annotations

import torch
from torch import nn

from advisor.networks.builders import build, cross_entropy
from advisor.networks.families.boltzmann.network import DeepBelief
from advisor.networks.families.gan.network import Adversaries, Judge, judging, passing_off
from advisor.networks.families.gnn.network import Graph, MessagePassing
from advisor.networks.parts.sizes import NOISE_WIDTH
from advisor.networks.spec import Description
from advisor.training.loop.objectives import Supervised
from advisor.training.recipe import Recipe
from tests.training.demonstrations.objectives import Adversarial, Unsupervised, objective
from tests.training.demonstrations.pretraining import pretrain
from tests.training.demonstrations.whole_graph import WholeGraph

GAN = Description("gan", "tabular", 3, 3, (8,), loss="adversarial", activation="leaky_relu")


def test_labels_are_compared_with_answers() -> None:
    spec = Description("ffn", "tabular", 3, 2, (4,))
    goal = objective(spec, build(spec))
    inputs, classes = torch.randn(5, 3), torch.tensor([0, 1, 1, 0, 1])
    assert isinstance(goal, Supervised)
    torch.testing.assert_close(goal.loss((inputs, classes)), cross_entropy(goal.module(inputs), classes))
    (player,) = goal.players()
    assert len(player.parameters) == len(list(goal.module.parameters()))


def test_what_learns_without_labels_does_not_look_at_them() -> None:
    spec = Description("autoencoder", "tabular", 3, 3, (2,), loss="mse")
    goal = objective(spec, build(spec))
    inputs = torch.randn(5, 3)
    assert isinstance(goal, Unsupervised)
    assert goal.loss((inputs,)) == goal.loss((inputs, torch.zeros(5, dtype=torch.int64)))


def test_judge_and_generator_play_in_turns_each_with_its_own_weights() -> None:
    torch.manual_seed(0)
    network = build(GAN)
    assert isinstance(network, Adversaries)
    assert isinstance(objective(GAN, network), Adversarial)
    judge, generator = Adversarial(network, penalty=0.0).players()
    assert {id(weight) for weight in judge.parameters} == {id(weight) for weight in network.judge.parameters()}
    assert {id(weight) for weight in generator.parameters} == {id(weight) for weight in network.generator.parameters()}
    real = torch.randn(6, 3)
    for player, loss in ((judge, judging), (generator, passing_off)):
        torch.manual_seed(1)
        own = player.loss((real,))
        torch.manual_seed(1)
        torch.testing.assert_close(own, loss(network(real)))


def test_the_penalty_is_half_the_squared_slope_of_the_judge_at_real_examples() -> None:
    torch.manual_seed(0)
    network = Adversaries(nn.Linear(NOISE_WIDTH, 3), Judge(nn.Sequential(nn.Linear(3, 1))))
    losses = []
    for penalty in (0.0, 2.0):
        torch.manual_seed(1)
        losses.append(Adversarial(network, penalty).players()[0].loss((torch.randn(6, 3),)))
    slope = next(network.judge.parameters())
    torch.testing.assert_close(losses[1] - losses[0], slope.square().sum())


def test_the_judges_turn_leaves_the_generator_as_it_was() -> None:
    torch.manual_seed(0)
    network = build(GAN)
    judge, _ = objective(GAN, network).players()
    judge.loss((torch.randn(6, 3),)).backward()
    assert isinstance(network, Adversaries)
    assert all(weight.grad is None for weight in network.generator.parameters())


def test_machines_learn_one_after_the_other_and_the_head_not_at_all() -> None:
    torch.manual_seed(0)
    network = build(Description("dbn", "image", 4, 2, (6, 5)))
    assert isinstance(network, DeepBelief)
    before = {name: weight.clone() for name, weight in network.state_dict().items()}
    examples = torch.tensor([[0.0, 0, 1, 1], [1, 1, 0, 0]]).repeat(20, 1)
    first, second = pretrain(network, examples, Recipe("sgd_momentum", 0.1, 8, 40, schedule="constant"))
    assert len(first.history) == len(second.history) == 40
    changed = {name for name, weight in network.state_dict().items() if not torch.equal(weight, before[name])}
    assert changed == {name for name in before if name.startswith("machines.")}
    with torch.no_grad():
        bottom = network.stack()[0]
        seen, unseen = (
            bottom.free_energy(examples[:2]),
            bottom.free_energy(torch.tensor([[0.0, 1, 0, 1], [1, 0, 1, 0]])),
        )
    assert seen.max() < unseen.min()


def test_only_the_nodes_of_the_batch_count_but_all_of_the_graph_is_heard() -> None:
    torch.manual_seed(0)
    network = build(Description("gnn", "graph", 2, 3, (4,)))
    assert isinstance(network, MessagePassing)
    values = torch.randn(4, 2, requires_grad=True)
    goal = WholeGraph(network, Graph(values, torch.tensor([[1], [0]])), cross_entropy)  # 1 speaks to 0
    goal.loss((torch.tensor([0]), torch.tensor([2]))).backward()
    assert values.grad is not None
    assert (values.grad.abs().sum(1) > 0).tolist() == [True, True, False, False]
