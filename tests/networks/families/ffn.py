"""Examples of a feed-forward network."""

from __future__ import annotations

import torch

from advisor.networks.spec import Description
from advisor.probes.workload import Workload
from advisor.starter.blueprint import Layout, Targets
from advisor.training.recipe import Recipe
from tests.networks.type_examples import TypeExamples
from tests.starter.blueprints import GREY, blueprint
from tests.training.demonstrations import made_data
from tests.training.demonstrations.common import classified
from tests.training.demonstrations.demonstration import Demonstrated, Size


def demonstration(size: Size, seed: int) -> Demonstrated:
    """From 13 properties of a wine, who grew it."""
    from sklearn.datasets import load_wine

    wine = load_wine()
    values = torch.tensor(wine.data, dtype=torch.float32)
    parts = made_data.divided((values - values.mean(0)) / values.std(0), torch.tensor(wine.target), seed)
    spec = Description("ffn", "tabular", 13, 3, (32, 32))
    return classified(
        spec, parts, Recipe(learning_rate=3e-3, epochs=size.of(20, 60), seed=seed), "wines of three growers"
    )


EXAMPLES = TypeExamples(
    networks={
        "ffn": (Workload("ffn", "tabular", 12, 3, (16,)), (5, 3)),
        "ffn of a series": (Workload("ffn", "time_series", 2, 1, (16,), 10, loss="mse"), (5, 1)),
    },
    recomputed={
        "ffn": Workload("ffn", "tabular", 6, 3, (5, 5, 5, 5)),
    },
    projects={
        "ffn of a table": (blueprint("ffn", Layout.TABLE, Targets.CLASS), "tabular"),
        "ffn of a series": (blueprint("ffn", Layout.SERIES, Targets.NUMBERS), "time_series"),
        "ffn of texts": (blueprint("ffn", Layout.TOKENS, Targets.CLASS), "text"),
        "ffn of pictures": (blueprint("ffn", Layout.PICTURE, Targets.CLASS, shape=GREY, activation="tanh"), "image"),
    },
    demonstration=demonstration,
    leaves=(0.2, 0.2),
)
