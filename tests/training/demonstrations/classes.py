"""Networks that tell classes: of a table's row, a picture, a series, a tree, a node, and the next token."""

from __future__ import annotations

import torch
from sklearn.datasets import load_wine

from advisor.networks.families.boltzmann.network import DeepBelief
from advisor.networks.families.gnn.network import MessagePassing
from advisor.networks.losses import cross_entropy
from advisor.networks.spec import Description
from advisor.training.loop.loop import train
from advisor.training.recipe import Recipe
from tests.training.demonstrations import made_data
from tests.training.demonstrations.common import MAJORITY, answered, built, classified, majority, share_right
from tests.training.demonstrations.demonstration import Demonstrated, Metric, Size
from tests.training.demonstrations.objectives import objective
from tests.training.demonstrations.pretraining import pretrain
from tests.training.demonstrations.whole_graph import WholeGraph


def ffn(size: Size, seed: int) -> Demonstrated:
    """From 13 properties of a wine, who grew it."""
    wine = load_wine()
    values = torch.tensor(wine.data, dtype=torch.float32)
    parts = made_data.divided((values - values.mean(0)) / values.std(0), torch.tensor(wine.target), seed)
    spec = Description("ffn", "tabular", 13, 3, (32, 32))
    return classified(
        spec, parts, Recipe(learning_rate=3e-3, epochs=size.of(20, 60), seed=seed), "wines of three growers"
    )


def cnn(size: Size, seed: int) -> Demonstrated:
    spec = Description("cnn", "image", 64, 10, size.of((16, 32), (32, 64)))
    recipe = Recipe(learning_rate=5e-3, epochs=size.of(6, 20), seed=seed)
    return classified(spec, made_data.digits(seed), recipe, "handwritten digits")


def lstm(size: Size, seed: int) -> Demonstrated:
    steps = size.of(8, 20)
    spec = Description("lstm", "time_series", 2, 4, (32,), steps)
    recipe = Recipe(learning_rate=1e-2, batch_size=32, epochs=size.of(30, 40), clip_norm=1.0, seed=seed)
    data = f"which of four signs stood {steps} steps before"
    return classified(spec, made_data.recall(size.of(1000, 2000), steps, seed), recipe, data)


def recursive(size: Size, seed: int) -> Demonstrated:
    leaves = size.of(6, 10)
    spec = Description("recursive", "tree", 6, 2, (32, 64), 2 * leaves - 1, activation="tanh")
    recipe = Recipe(learning_rate=3e-3, epochs=size.of(20, 40), seed=seed)
    data = f"expressions of {leaves} truths joined by or, and, exclusive or"
    return classified(spec, made_data.logic(size.of(1000, 3000), leaves, seed), recipe, data)


def transformer(size: Size, seed: int) -> Demonstrated:
    """A text that follows its last two tokens nine times of ten."""
    steps, tokens = 24, 8
    parts = made_data.babble(size.of(600, 1200), steps, tokens, seed)
    spec = Description("transformer", "text", tokens, tokens, size.of((32, 64), (64, 128)), steps)
    recipe = Recipe(learning_rate=3e-3, epochs=size.of(15, 20), warmup_share=0.1, clip_norm=1.0, seed=seed)
    return classified(spec, parts, recipe, "the next token of made-up texts")


def dbn(size: Size, seed: int) -> Demonstrated:
    """Pretrained on all digits without looking at what they are, tuned gently on few that are labelled."""
    parts, labelled = made_data.digits(seed), 300
    spec = Description("dbn", "image", 64, 10, size.of((64, 64), (256, 256)))
    network = built(spec, seed)
    assert isinstance(network, DeepBelief)
    pretrain(network, parts.inputs, Recipe("sgd_momentum", 0.05, epochs=size.of(15, 50), seed=seed))
    gentle = Recipe(learning_rate=size.of(3e-3, 1e-3), epochs=size.of(40, 80), seed=seed)
    train(objective(spec, network), (parts.inputs[:labelled], parts.targets[:labelled]), gentle)
    return answered(spec, network, parts, f"handwritten digits, {labelled} of them labelled")


def gnn(size: Size, seed: int) -> Demonstrated:
    graph, nodes = made_data.blocks(size.of(400, 1200), seed)
    network = built(Description("gnn", "graph", 4, 4, (32, 32)), seed)
    assert isinstance(network, MessagePassing)
    recipe = Recipe(learning_rate=1e-2, epochs=size.of(40, 100), batch_size=len(graph.values), seed=seed)
    train(WholeGraph(network, graph, cross_entropy), (nodes.inputs, nodes.targets), recipe)
    with torch.no_grad():
        right = share_right(network(graph)[nodes.held_out_inputs], nodes.held_out_targets)
    data = "groups in a network of acquaintances, a quarter of them known"
    return Demonstrated("gnn", data, Metric.ACCURACY, right, MAJORITY, majority(nodes))
