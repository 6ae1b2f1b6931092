"""Examples of a variational autoencoder."""

from __future__ import annotations

from advisor.networks.spec import Description
from advisor.probes.workload import Workload
from advisor.starter.blueprint import Layout, Targets
from advisor.training.recipe import Recipe
from tests.networks.sampling import sample
from tests.networks.type_examples import TypeExamples
from tests.starter.blueprints import COLORED, blueprint
from tests.training.demonstrations import made_data
from tests.training.demonstrations.common import trained
from tests.training.demonstrations.demonstration import Demonstrated, Size
from tests.training.demonstrations.generators import MADE, flat, of_digits
from tests.training.demonstrations.made_data import Parts


def demonstration(size: Size, seed: int) -> Demonstrated:
    parts = flat(made_data.digits(seed))
    spec = Description("vae", "image", 64, 64, size.of((128, 12, 128), (256, 12, 256)), loss="elbo")
    scaled = Parts(_SHARPNESS * parts.inputs, parts.targets, parts.held_out_inputs, parts.held_out_targets)
    network = trained(spec, scaled, Recipe(learning_rate=3e-3, epochs=size.of(60, 200), seed=seed))
    return of_digits(spec, sample(network, MADE, seed) / _SHARPNESS, parts, seed)


_SHARPNESS = 5.0
"""Dots are scaled by it: the decoder takes them to vary by 1 around their mean, a fifth of their range."""


EXAMPLES = TypeExamples(
    networks={
        "vae": (Workload("vae", "tabular", 12, 12, (8, 4, 8), loss="elbo"), (5, 12)),
        "vae of pictures": (Workload("vae", "image", 3072, 3072, (4, 8), loss="elbo"), (5, 3, 32, 32)),
    },
    recomputed={
        "vae": Workload("vae", "tabular", 6, 6, (5, 3, 5), loss="elbo"),
    },
    projects={
        "vae of a series": (blueprint("vae", Layout.SERIES, Targets.ITSELF), "time_series"),
        "vae of pictures": (
            blueprint("vae", Layout.PICTURE, Targets.ITSELF, shape=COLORED, hidden_units=(4, 8)),
            "image",
        ),
    },
    demonstration=demonstration,
    leaves=(0.85, 0.75),
)
