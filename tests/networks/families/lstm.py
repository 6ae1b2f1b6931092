"""Examples of a long short-term memory network."""

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
    steps = size.of(8, 20)
    spec = Description("lstm", "time_series", 2, 4, (32,), steps)
    recipe = Recipe(learning_rate=1e-2, batch_size=32, epochs=size.of(30, 40), clip_norm=1.0, seed=seed)
    data = f"which of four signs stood {steps} steps before"
    return classified(spec, made_data.recall(size.of(1000, 2000), steps, seed), recipe, data)


EXAMPLES = TypeExamples(
    networks={
        "lstm": (Workload("lstm", "audio", 3, 4, (8,), 9, loss="binary_cross_entropy"), (5, 4)),
        "lstm foretelling tokens": (Workload("lstm", "text", 20, 20, (16,), 7), (5, 7, 20)),
    },
    modality="time_series",
    recomputed=None,
    projects={
        "lstm of a series": (blueprint("lstm", Layout.SERIES, Targets.NUMBERS), "time_series"),
        "lstm of texts": (blueprint("lstm", Layout.TOKENS, Targets.CLASS, hidden_units=(12, 8)), "text"),
        "lstm of words": (blueprint("lstm", Layout.TOKENS, Targets.NEXT_TOKEN), "text"),
    },
    demonstration=demonstration,
    leaves=(0.2, 0.2),
)
