"""Examples of a deconvolutional network."""

from __future__ import annotations

from torch.nn import functional

from advisor.networks.spec import Description
from advisor.probes.workload import Workload
from advisor.starter.blueprint import Layout, Targets
from advisor.training.recipe import Recipe
from tests.networks.type_examples import TypeExamples
from tests.starter.blueprints import GREY, blueprint
from tests.training.demonstrations import made_data
from tests.training.demonstrations.common import MEAN_PICTURE, compared, mean_picture, trained
from tests.training.demonstrations.demonstration import Demonstrated, Size
from tests.training.demonstrations.made_data import Parts


def demonstration(size: Size, seed: int) -> Demonstrated:
    """From the class alone no more can be known than the mean picture of the class."""
    digits = made_data.digits(seed)
    seen, held_out = (functional.one_hot(classes, 10).float() for classes in (digits.targets, digits.held_out_targets))
    parts = Parts(seen, digits.inputs, held_out, digits.held_out_inputs)
    spec = Description("deconvolutional", "tabular", 10, 64, size.of((32, 16), (64, 32)), loss="mse")
    network = trained(spec, parts, Recipe(learning_rate=5e-3, epochs=size.of(8, 30), seed=seed))
    return compared(spec, network, parts, "the picture of a digit from its class", MEAN_PICTURE, mean_picture(parts))


EXAMPLES = TypeExamples(
    networks={
        "deconvolutional": (Workload("deconvolutional", "tabular", 10, 64, (8, 4), loss="mse"), (5, 1, 8, 8)),
        "deconvolutional restoring": (
            Workload("deconvolutional", "image", 784, 784, (8, 4, 4), loss="mse"),
            (5, 1, 28, 28),
        ),
    },
    recomputed={
        "deconvolutional": Workload("deconvolutional", "tabular", 6, 64, (4, 4, 4), loss="mse"),
    },
    projects={
        "deconvolutional": (blueprint("deconvolutional", Layout.TABLE, Targets.NUMBERS, outputs=64), "tabular"),
        "deconvolutional of colors": (
            blueprint("deconvolutional", Layout.TABLE, Targets.NUMBERS, outputs=192),
            "tabular",
        ),
        "deconvolutional of pictures": (
            blueprint("deconvolutional", Layout.PICTURE, Targets.ITSELF, shape=GREY),
            "image",
        ),
    },
    demonstration=demonstration,
    leaves=(0.75, 0.65),
)
