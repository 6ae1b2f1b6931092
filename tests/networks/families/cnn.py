"""Examples of a convolutional network."""

from __future__ import annotations

from advisor.networks.spec import Description
from advisor.probes.workload import Workload
from advisor.starter.blueprint import Layout, Targets
from advisor.training.recipe import Recipe
from tests.networks.type_examples import TypeExamples
from tests.starter.blueprints import FILM, GREY, ODD, blueprint
from tests.training.demonstrations import made_data
from tests.training.demonstrations.common import classified
from tests.training.demonstrations.demonstration import Demonstrated, Size


def demonstration(size: Size, seed: int) -> Demonstrated:
    spec = Description("cnn", "image", 64, 10, size.of((16, 32), (32, 64)))
    recipe = Recipe(learning_rate=5e-3, epochs=size.of(6, 20), seed=seed)
    return classified(spec, made_data.digits(seed), recipe, "handwritten digits")


EXAMPLES = TypeExamples(
    networks={
        "cnn of pictures": (Workload("cnn", "image", 64, 10, (8, 16)), (5, 10)),
        "cnn of a series": (Workload("cnn", "time_series", 3, 1, (8, 8), 20, loss="huber"), (5, 1)),
        "cnn of texts": (Workload("cnn", "text", 50, 2, (8,), 12), (5, 2)),
        "cnn of films": (Workload("cnn", "video", 12_288, 3, (4, 8), 6), (5, 3)),
    },
    recomputed={
        "cnn of films": Workload("cnn", "video", 12_288, 3, (4, 8), sequence_length=4),
        "cnn": Workload("cnn", "image", 64, 3, (4, 8)),
        "cnn of texts": Workload("cnn", "text", 50, 3, (4, 8, 8), sequence_length=8),
    },
    projects={
        "cnn of pictures": (blueprint("cnn", Layout.PICTURE, Targets.CLASS, shape=GREY), "image"),
        "cnn of odd pictures": (
            blueprint("cnn", Layout.PICTURE, Targets.FLAGS, shape=ODD, hidden_units=(4, 6, 8)),
            "image",
        ),
        "cnn of a series": (blueprint("cnn", Layout.SERIES, Targets.NUMBERS), "time_series"),
        "cnn of films": (
            blueprint("cnn", Layout.SERIES, Targets.CLASS, shape=FILM, hidden_units=(4, 8)),
            "video",
        ),
        "cnn of sounds": (blueprint("cnn", Layout.SOUND, Targets.CLASS), "audio"),
        "cnn of texts": (blueprint("cnn", Layout.TOKENS, Targets.CLASS), "text"),
    },
    demonstration=demonstration,
    leaves=(0.35, 0.08),
)
