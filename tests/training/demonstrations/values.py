"""Networks that give values: the next one of a series, a restored picture, a picture from its class, a mark on every dot."""

from __future__ import annotations

import torch
from torch import Generator, Tensor
from torch.nn import functional

from advisor.networks.spec import Description
from advisor.training.recipe import Recipe
from tests.training.demonstrations import made_data
from tests.training.demonstrations.common import compared, trained
from tests.training.demonstrations.demonstration import Demonstrated, Metric, Size
from tests.training.demonstrations.made_data import Parts

_MEAN = "the mean picture"


def rnn(size: Size, seed: int) -> Demonstrated:
    steps = 16
    parts = made_data.rhythm(size.of(800, 2000), steps, seed)
    spec = Description("rnn", "time_series", 1, 1, (32,), steps, loss="mse", activation="tanh")
    network = trained(spec, parts, Recipe(learning_rate=5e-3, epochs=size.of(15, 50), clip_norm=1.0, seed=seed))
    last = parts.held_out_inputs[:, -1]
    return compared(spec, network, parts, "the next value of noisy waves", "the last value again", last)


def autoencoder(size: Size, seed: int) -> Demonstrated:
    digits = made_data.digits(seed)
    seen, held_out = digits.inputs.flatten(1), digits.held_out_inputs.flatten(1)
    parts = Parts(seen, seen, held_out, held_out)
    spec = Description("autoencoder", "image", 64, 64, (64, 16, 64), loss="mse")
    network = trained(spec, parts, Recipe(learning_rate=5e-3, epochs=size.of(15, 60), seed=seed))
    return compared(spec, network, parts, "handwritten digits through 16 values", _MEAN, _mean(parts))


def deconvolutional(size: Size, seed: int) -> Demonstrated:
    """From the class alone no more can be known than the mean picture of the class."""
    digits = made_data.digits(seed)
    seen, held_out = (functional.one_hot(classes, 10).float() for classes in (digits.targets, digits.held_out_targets))
    parts = Parts(seen, digits.inputs, held_out, digits.held_out_inputs)
    spec = Description("deconvolutional", "tabular", 10, 64, size.of((32, 16), (64, 32)), loss="mse")
    network = trained(spec, parts, Recipe(learning_rate=5e-3, epochs=size.of(8, 30), seed=seed))
    return compared(spec, network, parts, "the picture of a digit from its class", _MEAN, _mean(parts))


def unet(size: Size, seed: int) -> Demonstrated:
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


def _mean(parts: Parts) -> Tensor:
    """The mean of the targets, as often as there are held-out ones."""
    return parts.targets.mean(0).expand_as(parts.held_out_targets)


def _overlap(marks: Tensor, truth: Tensor) -> float:
    return ((marks & truth).sum() / (marks | truth).sum()).item()
