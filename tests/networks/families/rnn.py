"""Examples of a recurrent network."""

from __future__ import annotations

from advisor.networks.spec import Description
from advisor.probes.workload import Workload
from advisor.starter.blueprint import Layout, Targets
from advisor.training.recipe import Recipe
from tests.networks.type_examples import TypeExamples
from tests.starter.blueprints import blueprint
from tests.training.demonstrations import made_data
from tests.training.demonstrations.common import compared, trained
from tests.training.demonstrations.demonstration import Demonstrated, Size


def demonstration(size: Size, seed: int) -> Demonstrated:
    steps = 16
    parts = made_data.rhythm(size.of(800, 2000), steps, seed)
    spec = Description("rnn", "time_series", 1, 1, (32,), steps, loss="mse", activation="tanh")
    network = trained(spec, parts, Recipe(learning_rate=5e-3, epochs=size.of(15, 50), clip_norm=1.0, seed=seed))
    last = parts.held_out_inputs[:, -1]
    return compared(spec, network, parts, "the next value of noisy waves", "the last value again", last)


EXAMPLES = TypeExamples(
    networks={
        "rnn": (Workload("rnn", "time_series", 3, 1, (8, 4), 9, loss="mae", activation="tanh"), (5, 1)),
    },
    modality="time_series",
    recomputed=None,
    projects={
        "rnn of a series": (blueprint("rnn", Layout.SERIES, Targets.NUMBERS, activation="tanh"), "time_series"),
        "rnn of sounds": (blueprint("rnn", Layout.SOUND, Targets.CLASS), "audio"),
    },
    demonstration=demonstration,
    leaves=(0.3, 0.1),
)
