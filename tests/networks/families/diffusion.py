"""Examples of a diffusion model."""

from __future__ import annotations

from dataclasses import replace

from advisor.networks.spec import Description
from advisor.probes.workload import Workload
from advisor.starter.blueprint import Layout, Targets
from advisor.training.recipe import Recipe
from tests.networks.sampling import sample
from tests.networks.type_examples import TypeExamples
from tests.starter.blueprints import GREY, blueprint
from tests.training.demonstrations import made_data
from tests.training.demonstrations.common import trained
from tests.training.demonstrations.demonstration import Demonstrated, Size
from tests.training.demonstrations.generators import MADE, of_digits, of_the_ring


def demonstration(size: Size, seed: int) -> Demonstrated:
    if size is Size.SMALL:
        spec = Description("diffusion", "tabular", 2, 2, (64, 64), loss="noise_prediction", activation="swish")
        recipe = Recipe(learning_rate=3e-3, epochs=60, seed=seed)
        return of_the_ring(spec, made_data.ring(2000, seed), recipe)
    parts = made_data.digits(seed)
    spec = Description("diffusion", "image", 64, 64, (16, 32), loss="noise_prediction", activation="swish")
    from_minus_one = replace(parts, inputs=2 * parts.inputs - 1)  # around 0, as the noise is
    network = trained(spec, from_minus_one, Recipe(learning_rate=5e-3, batch_size=32, epochs=45, seed=seed))
    return of_digits(spec, (sample(network, MADE, seed) + 1) / 2, parts, seed)


EXAMPLES = TypeExamples(
    networks={
        "diffusion": (Workload("diffusion", "tabular", 12, 12, (16, 8), loss="noise_prediction"), (5, 12)),
        "diffusion of pictures": (
            Workload("diffusion", "image", 256, 256, (4, 8, 16), loss="noise_prediction"),
            (5, 1, 16, 16),
        ),
    },
    recomputed=None,
    projects={
        "diffusion of a table": (blueprint("diffusion", Layout.TABLE, Targets.ITSELF), "tabular"),
        "diffusion of pictures": (blueprint("diffusion", Layout.PICTURE, Targets.ITSELF, shape=GREY), "image"),
    },
    demonstration=demonstration,
    leaves=(0.6, 0.65),
)
