"""Judges of new examples: how far they are from real ones that no training saw."""

from __future__ import annotations

from dataclasses import replace

from torch import Tensor

from advisor.networks.spec import Description
from advisor.training.recipe import Recipe
from tests.networks.sampling import sample
from tests.training.demonstrations.common import trained
from tests.training.demonstrations.demonstration import Demonstrated, Metric
from tests.training.demonstrations.discrepancy import discrepancy, gaussian, independent_values, told_apart
from tests.training.demonstrations.made_data import Parts

MADE = 500
_INDEPENDENT = "each dot drawn by itself from the real ones"
_NORMAL = "a normal distribution with their mean and covariance"
_DIGITS = "handwritten digits"
_RING = "points in eight heaps on a ring"


def flat(parts: Parts) -> Parts:
    return replace(parts, inputs=parts.inputs.flatten(1), held_out_inputs=parts.held_out_inputs.flatten(1))


def of_digits(spec: Description, made: Tensor, parts: Parts, seed: int) -> Demonstrated:
    independent = independent_values(parts.inputs, MADE, seed)
    grey = (made.clamp(0, 1) * 16).round() / 16  # as the real ones are stored
    scores = [told_apart(examples, parts.held_out_inputs, seed) for examples in (grey, independent)]
    return Demonstrated(spec.network, _DIGITS, Metric.TOLD_APART, scores[0], _INDEPENDENT, scores[1])


def of_the_ring(spec: Description, parts: Parts, recipe: Recipe) -> Demonstrated:
    made = sample(trained(spec, parts, recipe), MADE, recipe.seed)
    normal = gaussian(parts.inputs, MADE, recipe.seed)
    scores = [discrepancy(examples, parts.held_out_inputs) for examples in (made, normal)]
    return Demonstrated(spec.network, _RING, Metric.DISCREPANCY, scores[0], _NORMAL, scores[1])
