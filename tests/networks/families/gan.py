"""Examples of a generative adversarial network."""

from __future__ import annotations

from advisor.networks.spec import Description
from advisor.probes.workload import Workload
from advisor.starter.blueprint import Layout, Targets
from advisor.training.recipe import Recipe
from tests.networks.type_examples import TypeExamples
from tests.starter.blueprints import COLORED, ODD, blueprint
from tests.training.demonstrations import made_data
from tests.training.demonstrations.demonstration import Demonstrated, Size
from tests.training.demonstrations.generators import of_the_ring


def demonstration(size: Size, seed: int) -> Demonstrated:
    units = size.of((64, 64), (128, 128))
    spec = Description("gan", "tabular", 2, 2, units, loss="adversarial", activation="leaky_relu")
    recipe = Recipe("rmsprop", 5e-4, epochs=size.of(60, 100), schedule="constant", seed=seed)
    return of_the_ring(spec, made_data.ring(2000, seed), recipe)


EXAMPLES = TypeExamples(
    networks={
        "gan": (Workload("gan", "tabular", 12, 12, (8, 16), loss="adversarial", activation="leaky_relu"), (5, 1)),
        "gan of pictures": (
            Workload("gan", "image", 2352, 2352, (4, 8, 8), loss="adversarial", activation="leaky_relu"),
            (5, 1),
        ),
    },
    wavering=(
        "gan",
        "gan of pictures",
    ),
    recomputed={
        "gan": Workload("gan", "tabular", 6, 6, (5, 5, 5), loss="adversarial", activation="leaky_relu"),
    },
    projects={
        "gan of a table": (blueprint("gan", Layout.TABLE, Targets.ITSELF, activation="leaky_relu"), "tabular"),
        "gan of pictures": (blueprint("gan", Layout.PICTURE, Targets.ITSELF, shape=COLORED), "image"),
        "gan of odd pictures": (blueprint("gan", Layout.PICTURE, Targets.ITSELF, shape=ODD), "image"),
    },
    demonstration=demonstration,
    leaves=(0.4, 0.25),
)
