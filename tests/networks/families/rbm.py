"""Examples of a restricted Boltzmann machine."""

from __future__ import annotations

from advisor.networks.spec import Description
from advisor.probes.workload import Workload
from advisor.starter.blueprint import Layout, Targets
from advisor.training.recipe import Recipe
from tests.networks.sampling import sample
from tests.networks.type_examples import TypeExamples
from tests.starter.blueprints import SMALL, blueprint
from tests.training.demonstrations import made_data
from tests.training.demonstrations.common import trained
from tests.training.demonstrations.demonstration import Demonstrated, Size
from tests.training.demonstrations.generators import MADE, flat, of_digits


def demonstration(size: Size, seed: int) -> Demonstrated:
    parts = flat(made_data.digits(seed))
    spec = Description("rbm", "image", 64, 64, size.of((64,), (128,)), loss="contrastive_divergence")
    recipe = Recipe("sgd_momentum", 0.05, epochs=size.of(40, 60), schedule="linear", weight_decay=1e-4, seed=seed)
    return of_digits(spec, sample(trained(spec, parts, recipe), MADE, seed), parts, seed)


EXAMPLES = TypeExamples(
    networks={
        "rbm": (Workload("rbm", "image", 64, 64, (12,), loss="contrastive_divergence"), (5,)),
        "rbm of numbers": (Workload("rbm", "tabular", 9, 9, (12,), loss="contrastive_divergence"), (5,)),
        "rbm with a head": (Workload("rbm", "tabular", 9, 3, (12,)), (5, 3)),
    },
    wavering=(
        "rbm",
        "rbm of numbers",
    ),
    recomputed=None,
    projects={
        "rbm": (blueprint("rbm", Layout.PICTURE, Targets.ITSELF, shape=SMALL), "image"),
        "rbm of classes": (blueprint("rbm", Layout.TABLE, Targets.CLASS), "tabular"),
    },
    demonstration=demonstration,
    leaves=(0.6, 0.6),
)
