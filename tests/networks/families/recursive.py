"""Examples of a recursive network."""

from __future__ import annotations

from advisor.networks.spec import Description
from advisor.probes.workload import Workload
from advisor.starter.blueprint import Layout, Targets
from advisor.training.recipe import Recipe
from tests.networks.type_examples import TypeExamples
from tests.starter.blueprints import blueprint
from tests.training.demonstrations import made_data
from tests.training.demonstrations.common import classified
from tests.training.demonstrations.demonstration import Demonstrated, Size


def demonstration(size: Size, seed: int) -> Demonstrated:
    leaves = size.of(6, 10)
    spec = Description("recursive", "tree", 6, 2, (32, 64), 2 * leaves - 1, activation="tanh")
    recipe = Recipe(learning_rate=3e-3, epochs=size.of(20, 40), seed=seed)
    data = f"expressions of {leaves} truths joined by or, and, exclusive or"
    return classified(spec, made_data.logic(size.of(1000, 3000), leaves, seed), recipe, data)


EXAMPLES = TypeExamples(
    networks={
        "recursive": (Workload("recursive", "tree", 20, 3, (16, 24), 13, activation="tanh"), (5, 3)),
        "recursive with an odd place": (Workload("recursive", "tree", 20, 3, (16,), 8), (5, 3)),
    },
    modality="tree",
    recomputed=None,
    projects={
        "recursive": (blueprint("recursive", Layout.TREE, Targets.CLASS, activation="tanh"), "tree"),
    },
    demonstration=demonstration,
    leaves=(0.3, 0.1),
)
