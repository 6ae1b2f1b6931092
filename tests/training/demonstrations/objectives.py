"""Objectives of networks that learn without targets, alone or two against each other."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from advisor.networks.builders import Loss, loss_function
from advisor.networks.description import NetworkSpec
from advisor.networks.families.gan.network import Adversaries, adversarial
from advisor.networks.spec import reconstructs
from advisor.training.loop.objectives import Batch, Objective, Player, Supervised


class Unsupervised(Objective):
    """Batches that begin with the inputs: the loss compares what the network gives with the inputs themselves.

    Autoencoders restore them (mse), variational ones bound their evidence (elbo), diffusion models guess noise
    (noise_prediction), Boltzmann machines go to their hidden units and back (contrastive_divergence).
    """

    def __init__(self, network: nn.Module, loss: Loss) -> None:
        super().__init__(network)
        self._loss = loss

    def loss(self, batch: Batch) -> Tensor:
        return self._loss(self.module(batch[0]), batch[0])


class Adversarial(Objective):
    """Batches that begin with real examples: the judge's turn, then the generator's (Goodfellow et al. 2014, algorithm 1).

    The loss, both players' in sum, says little about how good the examples are: don't stop early by it.

    Args:
        penalty: on the judge's slope at real examples, without which the two often circle or collapse (R1 with this gamma,
            Mescheder, Geiger and Nowozin 2018, arXiv:1801.04406, equation 9). 0 for none.
    """

    def __init__(self, adversaries: Adversaries, penalty: float = 1.0) -> None:
        super().__init__(adversaries)
        self._adversaries, self._penalty = adversaries, penalty

    def loss(self, batch: Batch) -> Tensor:
        return adversarial(self._adversaries(batch[0]), batch[0])

    def players(self) -> list[Player]:
        judge, generator = self._adversaries.judge, self._adversaries.generator
        return [
            Player(tuple(judge.parameters()), self._judging),
            Player(tuple(generator.parameters()), self._passing_off),
        ]

    def _judging(self, batch: Batch) -> Tensor:
        real = batch[0]
        with torch.no_grad():
            produced = self._adversaries.produce(len(real), device=real.device)
        judge = self._adversaries.judge
        if self._penalty and torch.is_grad_enabled():
            real = real.detach().requires_grad_()
        verdict = judge(real)
        loss = functional.softplus(-verdict).mean() + functional.softplus(judge(produced)).mean()
        if real.requires_grad:
            (slope,) = torch.autograd.grad(verdict.sum(), real, create_graph=True)
            loss = loss + self._penalty / 2 * slope.flatten(1).square().sum(1).mean()
        return loss

    def _passing_off(self, batch: Batch) -> Tensor:
        produced = self._adversaries.produce(len(batch[0]), device=batch[0].device)
        return functional.softplus(-self._adversaries.judge(produced)).mean()


def objective(spec: NetworkSpec, network: nn.Module) -> Objective:
    """How a network built from this description is trained on batches of its inputs (and targets, where it has any).

    A gnn is trained on nodes of one graph, see whole_graph.
    Raises UnbuildableError where the loss does not fit the network.
    """
    loss = loss_function(spec)
    if isinstance(network, Adversaries):
        return Adversarial(network)
    return Unsupervised(network, loss) if reconstructs(spec) else Supervised(network, loss)
