"""Examples of a U-Net."""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from advisor.networks.spec import Description
from advisor.probes.workload import Workload
from advisor.starter.blueprint import Layout, Targets
from advisor.training.recipe import Recipe
from tests.networks.type_examples import TypeExamples
from tests.starter.blueprints import GREY, blueprint
from tests.training.demonstrations import made_data
from tests.training.demonstrations.common import trained
from tests.training.demonstrations.demonstration import Demonstrated, Metric, Size
from tests.training.demonstrations.made_data import Parts


def demonstration(size: Size, seed: int) -> Demonstrated:
    digits = made_data.digits(seed, size.of(800, None))
    chance = Generator().manual_seed(seed)
    seen, held_out = (_noisy(pictures, chance) for pictures in (digits.inputs, digits.held_out_inputs))
    marks, held_out_marks = ((pictures[:, 0] > 0.5).long() for pictures in (digits.inputs, digits.held_out_inputs))
    parts = Parts(seen, marks, held_out, held_out_marks)
    spec = Description("unet", "image", 64, 2, size.of((8, 16), (16, 32, 64)), loss="dice_cross_entropy")
    network = trained(spec, parts, Recipe(learning_rate=5e-3, epochs=size.of(12, 25), seed=seed))
    with torch.no_grad():
        found = network(held_out).argmax(1)
    usual = (marks.float().mean(0) > 0.5).long().expand_as(found)
    score, trivial = (_overlap(guess, held_out_marks) for guess in (found, usual))
    return Demonstrated("unet", "dots of digits under noise", Metric.OVERLAP, score, "the usual dots", trivial)


def _noisy(pictures: Tensor, chance: Generator) -> Tensor:
    return pictures + 0.3 * torch.randn(pictures.shape, generator=chance)


def _overlap(marks: Tensor, truth: Tensor) -> float:
    return ((marks & truth).sum() / (marks | truth).sum()).item()


EXAMPLES = TypeExamples(
    networks={
        "unet": (Workload("unet", "image", 256, 3, (4, 8, 16), loss="dice_cross_entropy"), (5, 3, 16, 16)),
    },
    recomputed={
        "unet": Workload("unet", "image", 64, 3, (4, 8)),
    },
    projects={
        "unet": (blueprint("unet", Layout.PICTURE, Targets.MASK, shape=GREY), "image"),
    },
    demonstration=demonstration,
    leaves=(0.7, 0.5),
)
