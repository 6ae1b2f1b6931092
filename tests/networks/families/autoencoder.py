"""Examples of an autoencoder."""

from __future__ import annotations

from advisor.networks.spec import Description
from advisor.probes.workload import Workload
from advisor.starter.blueprint import Layout, Targets
from advisor.training.recipe import Recipe
from tests.networks.type_examples import TypeExamples
from tests.starter.blueprints import COLORED, SMALL, blueprint
from tests.training.demonstrations import made_data
from tests.training.demonstrations.common import MEAN_PICTURE, compared, mean_picture, trained
from tests.training.demonstrations.demonstration import Demonstrated, Size
from tests.training.demonstrations.made_data import Parts


def demonstration(size: Size, seed: int) -> Demonstrated:
    digits = made_data.digits(seed)
    seen, held_out = digits.inputs.flatten(1), digits.held_out_inputs.flatten(1)
    parts = Parts(seen, seen, held_out, held_out)
    spec = Description("autoencoder", "image", 64, 64, (64, 16, 64), loss="mse")
    network = trained(spec, parts, Recipe(learning_rate=5e-3, epochs=size.of(15, 60), seed=seed))
    return compared(spec, network, parts, "handwritten digits through 16 values", MEAN_PICTURE, mean_picture(parts))


EXAMPLES = TypeExamples(
    networks={
        "autoencoder": (Workload("autoencoder", "tabular", 12, 12, (8, 4, 8), loss="mse"), (5, 12)),
        "autoencoder of pictures": (Workload("autoencoder", "image", 3072, 3072, (4, 8), loss="mse"), (5, 3, 32, 32)),
    },
    recomputed={
        "autoencoder": Workload("autoencoder", "tabular", 6, 6, (5, 3, 5), loss="mse"),
        "autoencoder of pictures": Workload("autoencoder", "image", 3072, 3072, (4, 4), loss="mse"),
    },
    projects={
        "autoencoder of a table": (blueprint("autoencoder", Layout.TABLE, Targets.ITSELF), "tabular"),
        "autoencoder, mirrored": (
            blueprint("autoencoder", Layout.TABLE, Targets.ITSELF, hidden_units=(12, 6)),
            "tabular",
        ),
        "autoencoder of small pictures": (
            blueprint("autoencoder", Layout.PICTURE, Targets.ITSELF, shape=SMALL),
            "image",
        ),
        "autoencoder of pictures": (blueprint("autoencoder", Layout.PICTURE, Targets.ITSELF, shape=COLORED), "image"),
    },
    demonstration=demonstration,
    leaves=(0.45, 0.25),
)
