"""Examples of a deep belief network."""

from __future__ import annotations

from advisor.networks.families.boltzmann.network import DeepBelief
from advisor.networks.spec import Description
from advisor.probes.workload import Workload
from advisor.starter.blueprint import Layout, Targets
from advisor.training.loop.loop import train
from advisor.training.recipe import Recipe
from tests.networks.type_examples import TypeExamples
from tests.starter.blueprints import SMALL, blueprint
from tests.training.demonstrations import made_data
from tests.training.demonstrations.common import answered, built
from tests.training.demonstrations.demonstration import Demonstrated, Size
from tests.training.demonstrations.objectives import objective
from tests.training.demonstrations.pretraining import pretrain


def demonstration(size: Size, seed: int) -> Demonstrated:
    """Pretrained on all digits without looking at what they are, tuned gently on few that are labelled."""
    parts, labelled = made_data.digits(seed), 300
    spec = Description("dbn", "image", 64, 10, size.of((64, 64), (256, 256)))
    network = built(spec, seed)
    assert isinstance(network, DeepBelief)
    pretrain(network, parts.inputs, Recipe("sgd_momentum", 0.05, epochs=size.of(15, 50), seed=seed))
    gentle = Recipe(learning_rate=size.of(3e-3, 1e-3), epochs=size.of(40, 80), seed=seed)
    train(objective(spec, network), (parts.inputs[:labelled], parts.targets[:labelled]), gentle)
    return answered(spec, network, parts, f"handwritten digits, {labelled} of them labelled")


EXAMPLES = TypeExamples(
    networks={
        "dbn": (Workload("dbn", "image", 64, 10, (12, 8)), (5, 10)),
        "dbn before its labels": (Workload("dbn", "image", 64, 64, (12, 8, 6), loss="contrastive_divergence"), (5,)),
    },
    wavering=("dbn before its labels",),
    recomputed=None,
    projects={
        "dbn": (blueprint("dbn", Layout.TABLE, Targets.ITSELF), "tabular"),
        "dbn of classes": (blueprint("dbn", Layout.PICTURE, Targets.CLASS, shape=SMALL), "image"),
    },
    demonstration=demonstration,
    leaves=(0.4, 0.15),
)
