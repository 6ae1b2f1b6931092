"""Examples of a transformer."""

from __future__ import annotations

from dataclasses import replace

from advisor.networks.spec import Description
from advisor.probes.workload import Workload
from advisor.starter.blueprint import Layout, Shape, Targets
from advisor.training.recipe import Recipe
from tests.networks.type_examples import TypeExamples
from tests.starter.blueprints import COLORED, blueprint
from tests.training.demonstrations import made_data
from tests.training.demonstrations.common import classified
from tests.training.demonstrations.demonstration import Demonstrated, Size


def demonstration(size: Size, seed: int) -> Demonstrated:
    """A text that follows its last two tokens nine times of ten."""
    steps, tokens = 24, 8
    parts = made_data.babble(size.of(600, 1200), steps, tokens, seed)
    spec = Description("transformer", "text", tokens, tokens, size.of((32, 64), (64, 128)), steps)
    recipe = Recipe(learning_rate=3e-3, epochs=size.of(15, 20), warmup_share=0.1, clip_norm=1.0, seed=seed)
    return classified(spec, parts, recipe, "the next token of made-up texts")


GATED = Workload("transformer", "text", 20, 20, (128, 344), 7, activation="swish", normalization="rms_norm")

EXAMPLES = TypeExamples(
    networks={
        "transformer of texts": (Workload("transformer", "text", 30, 2, (16, 32), 11), (5, 2)),
        "transformer foretelling tokens": (Workload("transformer", "text", 20, 20, (16, 32), 7), (5, 7, 20)),
        "gated transformer foretelling tokens": (replace(GATED, hidden_units=(16, 32)), (5, 7, 20)),
        "gated transformer of pictures": (replace(GATED, modality="image", inputs=784, outputs=10), (5, 10)),
        "transformer of pictures": (Workload("transformer", "image", 784, 10, (16, 32)), (5, 10)),
        "transformer of a series": (Workload("transformer", "time_series", 2, 1, (16, 32), 8, loss="quantile"), (5, 1)),
        "transformer of films": (Workload("transformer", "video", 3 * 64 * 64, 3, (16, 32), 4), (5, 3)),
        "transformer of a wave": (Workload("transformer", "audio", 1, 3, (16, 32), 4000), (5, 3)),
        "transformer of a spectrogram": (Workload("transformer", "audio", 8, 3, (16, 32), 21), (5, 3)),
    },
    modality="text",
    recomputed={
        "transformer": Workload("transformer", "text", 50, 3, (16, 32), sequence_length=8),
        "transformer of tokens": Workload("transformer", "text", 50, 50, (16, 32), sequence_length=8),
        "gated transformer": GATED,
    },
    projects={
        "transformer of texts": (blueprint("transformer", Layout.TOKENS, Targets.CLASS), "text"),
        "transformer of words": (
            blueprint("transformer", Layout.TOKENS, Targets.NEXT_TOKEN, hidden_units=(16,)),
            "text",
        ),
        "gated transformer of words": (
            blueprint(
                "transformer",
                Layout.TOKENS,
                Targets.NEXT_TOKEN,
                hidden_units=(16, 48),
                activation="swish",
                normalization="rms_norm",
            ),
            "text",
        ),
        "transformer of pictures": (blueprint("transformer", Layout.PICTURE, Targets.CLASS, shape=COLORED), "image"),
        "transformer of a series": (
            blueprint("transformer", Layout.SERIES, Targets.NUMBERS, activation="gelu"),
            "time_series",
        ),
        "transformer of films": (
            blueprint("transformer", Layout.SERIES, Targets.CLASS, shape=Shape(values=3 * 64 * 64, steps=4)),
            "video",
        ),
        "transformer of a wave": (
            blueprint("transformer", Layout.SOUND, Targets.CLASS, shape=Shape(values=1, steps=4000)),
            "audio",
        ),
        "transformer of a spectrogram": (
            blueprint("transformer", Layout.SOUND, Targets.CLASS, shape=Shape(values=8, steps=21)),
            "audio",
        ),
    },
    demonstration=demonstration,
    leaves=(0.55, 0.3),
)
