"""Greedy pretraining of a deep belief network: one Boltzmann machine after the other, without labels.

Hinton, Osindero and Teh 2006, section 4; settings of Hinton 2010, A practical guide. What follows is ordinary training of
the whole network with labels, gently: with a learning rate a tenth of what random weights would want.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from advisor.networks.families.boltzmann.network import (
    BoltzmannMachine,
    Contrasted,
    DeepBelief,
    contrastive_divergence,
)
from advisor.training.loop.loop import train
from advisor.training.recipe import Recipe, Trained
from tests.training.demonstrations.objectives import Unsupervised


def pretrain(
    network: DeepBelief, examples: Tensor, recipe: Recipe, *, until: float | None = None
) -> tuple[Trained, ...]:
    """Trains the machines in place, each on the probabilities of the hidden units below it.

    Args:
        examples: (examples, values), labelled or not.
        until: a time of time.monotonic for all machines together.
    """
    values = examples.flatten(1)
    trained = []
    for machine in network.stack():
        trained.append(train(Unsupervised(_Contrast(machine), contrastive_divergence), (values,), recipe, until=until))
        with torch.no_grad():
            values = machine(values)
    return tuple(trained)


class _Contrast(nn.Module):
    """(batch, visible) -> the energies of one machine."""

    def __init__(self, machine: BoltzmannMachine) -> None:
        super().__init__()
        self.machine = machine

    def forward(self, values: Tensor) -> Contrasted:
        return self.machine.contrast(values)
