"""Networks that make new examples, judged by how far these are from real ones that no training saw."""

from __future__ import annotations

from dataclasses import replace

from torch import Tensor

from advisor.networks.spec import Description
from advisor.training.recipe import Recipe
from tests.networks.sampling import sample
from tests.training.demonstrations import made_data
from tests.training.demonstrations.common import trained
from tests.training.demonstrations.demonstration import Demonstrated, Metric, Size
from tests.training.demonstrations.discrepancy import discrepancy, gaussian, independent_values, told_apart
from tests.training.demonstrations.made_data import Parts

_MADE = 500
_INDEPENDENT = "each dot drawn by itself from the real ones"
_NORMAL = "a normal distribution with their mean and covariance"
_DIGITS = "handwritten digits"
_RING = "points in eight heaps on a ring"


def vae(size: Size, seed: int) -> Demonstrated:
    parts = _flat(made_data.digits(seed))
    spec = Description("vae", "image", 64, 64, size.of((128, 12, 128), (256, 12, 256)), loss="elbo")
    scaled = Parts(_SHARPNESS * parts.inputs, parts.targets, parts.held_out_inputs, parts.held_out_targets)
    network = trained(spec, scaled, Recipe(learning_rate=3e-3, epochs=size.of(60, 200), seed=seed))
    return _of_digits(spec, sample(network, _MADE, seed) / _SHARPNESS, parts, seed)


def rbm(size: Size, seed: int) -> Demonstrated:
    parts = _flat(made_data.digits(seed))
    spec = Description("rbm", "image", 64, 64, size.of((64,), (128,)), loss="contrastive_divergence")
    recipe = Recipe("sgd_momentum", 0.05, epochs=size.of(40, 60), schedule="linear", weight_decay=1e-4, seed=seed)
    return _of_digits(spec, sample(trained(spec, parts, recipe), _MADE, seed), parts, seed)


def gan(size: Size, seed: int) -> Demonstrated:
    units = size.of((64, 64), (128, 128))
    spec = Description("gan", "tabular", 2, 2, units, loss="adversarial", activation="leaky_relu")
    recipe = Recipe("rmsprop", 5e-4, epochs=size.of(60, 100), schedule="constant", seed=seed)
    return _of_the_ring(spec, made_data.ring(2000, seed), recipe)


def diffusion(size: Size, seed: int) -> Demonstrated:
    if size is Size.SMALL:
        spec = Description("diffusion", "tabular", 2, 2, (64, 64), loss="noise_prediction", activation="swish")
        recipe = Recipe(learning_rate=3e-3, epochs=60, seed=seed)
        return _of_the_ring(spec, made_data.ring(2000, seed), recipe)
    parts = made_data.digits(seed)
    spec = Description("diffusion", "image", 64, 64, (16, 32), loss="noise_prediction", activation="swish")
    from_minus_one = replace(parts, inputs=2 * parts.inputs - 1)  # around 0, as the noise is
    network = trained(spec, from_minus_one, Recipe(learning_rate=5e-3, batch_size=32, epochs=45, seed=seed))
    return _of_digits(spec, (sample(network, _MADE, seed) + 1) / 2, parts, seed)


_SHARPNESS = 5.0
"""Dots are scaled by it for the vae: its decoder takes them to vary by 1 around their mean, a fifth of their range."""


def _flat(parts: Parts) -> Parts:
    return replace(parts, inputs=parts.inputs.flatten(1), held_out_inputs=parts.held_out_inputs.flatten(1))


def _of_digits(spec: Description, made: Tensor, parts: Parts, seed: int) -> Demonstrated:
    independent = independent_values(parts.inputs, _MADE, seed)
    grey = (made.clamp(0, 1) * 16).round() / 16  # as the real ones are stored
    scores = [told_apart(examples, parts.held_out_inputs, seed) for examples in (grey, independent)]
    return Demonstrated(spec.network, _DIGITS, Metric.TOLD_APART, scores[0], _INDEPENDENT, scores[1])


def _of_the_ring(spec: Description, parts: Parts, recipe: Recipe) -> Demonstrated:
    made = sample(trained(spec, parts, recipe), _MADE, recipe.seed)
    normal = gaussian(parts.inputs, _MADE, recipe.seed)
    scores = [discrepancy(examples, parts.held_out_inputs) for examples in (made, normal)]
    return Demonstrated(spec.network, _RING, Metric.DISCREPANCY, scores[0], _NORMAL, scores[1])
