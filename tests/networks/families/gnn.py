"""Examples of a graph neural network."""

from __future__ import annotations

import torch

from advisor.networks.builders import cross_entropy
from advisor.networks.families.gnn.network import MessagePassing
from advisor.networks.spec import Description
from advisor.starter.blueprint import Layout, Targets
from advisor.training.loop.loop import train
from advisor.training.recipe import Recipe
from tests.networks.type_examples import TypeExamples
from tests.starter.blueprints import blueprint
from tests.training.demonstrations import made_data
from tests.training.demonstrations.common import MAJORITY, built, majority, share_right
from tests.training.demonstrations.demonstration import Demonstrated, Metric, Size
from tests.training.demonstrations.whole_graph import WholeGraph


def demonstration(size: Size, seed: int) -> Demonstrated:
    graph, nodes = made_data.blocks(size.of(400, 1200), seed)
    network = built(Description("gnn", "graph", 4, 4, (32, 32)), seed)
    assert isinstance(network, MessagePassing)
    recipe = Recipe(learning_rate=1e-2, epochs=size.of(40, 100), batch_size=len(graph.values), seed=seed)
    train(WholeGraph(network, graph, cross_entropy), (nodes.inputs, nodes.targets), recipe)
    with torch.no_grad():
        right = share_right(network(graph)[nodes.held_out_inputs], nodes.held_out_targets)
    data = "groups in a network of acquaintances, a quarter of them known"
    return Demonstrated("gnn", data, Metric.ACCURACY, right, MAJORITY, majority(nodes))


EXAMPLES = TypeExamples(
    networks={},
    modality="graph",
    recomputed=None,
    projects={
        "gnn": (blueprint("gnn", Layout.GRAPH, Targets.CLASS), "graph"),
    },
    demonstration=demonstration,
    leaves=(0.5, 0.35),
)
