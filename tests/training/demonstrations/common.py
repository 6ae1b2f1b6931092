"""The steps that the demonstrations share: build, train, and score beside what needs no learning."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from advisor.networks.builders import build
from advisor.networks.spec import Description
from advisor.training.loop.loop import train
from advisor.training.recipe import Recipe
from tests.training.demonstrations.demonstration import Demonstrated, Metric
from tests.training.demonstrations.made_data import Parts
from tests.training.demonstrations.objectives import objective

MAJORITY = "the most frequent answer"
MEAN_PICTURE = "the mean picture"


def built(spec: Description, seed: int) -> nn.Module:
    """The network with initial weights from this seed."""
    with torch.random.fork_rng([]):
        torch.manual_seed(seed)
        return build(spec)


def trained(spec: Description, parts: Parts, recipe: Recipe) -> nn.Module:
    """The network after training on inputs and targets, or on the inputs alone where these are its targets."""
    network = built(spec, recipe.seed)
    train(objective(spec, network), (parts.inputs, parts.targets), recipe)
    return network


def classified(spec: Description, parts: Parts, recipe: Recipe, data: str) -> Demonstrated:
    """A network that predicts classes, one of each example or of each of its steps."""
    return answered(spec, trained(spec, parts, recipe), parts, data)


def answered(spec: Description, network: nn.Module, parts: Parts, data: str) -> Demonstrated:
    with torch.no_grad():
        right = share_right(network(parts.held_out_inputs), parts.held_out_targets)
    return Demonstrated(spec.network, data, Metric.ACCURACY, right, MAJORITY, majority(parts))


def share_right(logits: Tensor, classes: Tensor) -> float:
    """Logits (..., classes) and classes (...)."""
    return (logits.argmax(-1) == classes).float().mean().item()


def majority(parts: Parts) -> float:
    """How often the most frequent class of the training examples is right."""
    return (parts.held_out_targets == parts.targets.flatten().mode().values).float().mean().item()


def compared(
    spec: Description, network: nn.Module, parts: Parts, data: str, baseline: str, guesses: Tensor
) -> Demonstrated:
    """A network that predicts numbers, beside guesses of the same numbers."""
    truth = parts.held_out_targets
    with torch.no_grad():
        own = nn.functional.mse_loss(network(parts.held_out_inputs), truth).item()
    trivial = nn.functional.mse_loss(guesses, truth).item()
    return Demonstrated(spec.network, data, Metric.SQUARED_ERROR, own, baseline, trivial)


def mean_picture(parts: Parts) -> Tensor:
    """The mean of the targets, as often as there are held-out ones."""
    return parts.targets.mean(0).expand_as(parts.held_out_targets)
