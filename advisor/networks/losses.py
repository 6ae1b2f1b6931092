"""Losses by name: what training makes small."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import torch
from torch import Tensor
from torch.nn import functional

from advisor.networks.autoencoder import Restored
from advisor.networks.boltzmann import Contrasted
from advisor.networks.diffusion import Denoised
from advisor.networks.gan import Judged
from advisor.networks.spec import NetworkSpec, check

Loss: TypeAlias = Callable[[Any, Tensor], Tensor]
"""What the network gives and the targets -> one number."""

QUANTILE = 0.9


def loss_function(spec: NetworkSpec) -> Loss:
    """The loss of this network. Raises UnbuildableError where it cannot be computed yet."""
    check(spec)
    return _LOSSES[spec.loss]


def cross_entropy(logits: Tensor, classes: Tensor) -> Tensor:
    """Per example (batch, classes), per dot (batch, classes, side, side) or per token (batch, steps, tokens)."""
    if logits.dim() == 3:
        return functional.cross_entropy(logits.flatten(0, 1), classes.flatten())
    return functional.cross_entropy(logits, classes)


def dice_cross_entropy(logits: Tensor, classes: Tensor) -> Tensor:
    """Cross-entropy plus one minus the soft Dice overlap, as nnU-Net does (Isensee et al. 2021, Methods)."""
    shares = logits.float().softmax(dim=1)
    truth = functional.one_hot(classes, logits.shape[1]).movedim(-1, 1)
    places = (0, *range(2, logits.dim()))
    overlap = 2 * (shares * truth).sum(places) / ((shares + truth).sum(places) + 1e-6)
    return functional.cross_entropy(logits, classes) + 1 - overlap.mean()


def quantile_loss(guesses: Tensor, truth: Tensor) -> Tensor:
    """The pinball loss at the quantile 0.9 (Koenker and Bassett 1978)."""
    missing = truth - guesses
    return torch.maximum(QUANTILE * missing, (QUANTILE - 1) * missing).mean()


def elbo(restored: Restored, examples: Tensor) -> Tensor:
    """The negative evidence lower bound per value, with a Gaussian decoder (Kingma and Welling 2014, equation 10)."""
    difference = functional.mse_loss(restored.values, examples, reduction="sum") / 2
    divergence = -0.5 * (1 + restored.log_variance - restored.mean**2 - restored.log_variance.exp()).sum()
    return (difference + divergence) / examples.numel()


def contrastive_divergence(contrasted: Contrasted, examples: Tensor) -> Tensor:
    """How much lower the energy of the examples lies than of where the machine goes from them (Hinton 2002).

    Only its gradient means something: the value wavers around zero.
    """
    return (contrasted.examples - contrasted.reached).mean()


def noise_prediction(denoised: Denoised, examples: Tensor) -> Tensor:
    """The mean squared error of the guessed noise (Ho et al. 2020, equation 14)."""
    return functional.mse_loss(denoised.guess, denoised.noise)


def judging(judged: Judged) -> Tensor:
    """The judge's loss: real taken for produced, and produced for real (Goodfellow et al. 2014, equation 1)."""
    return functional.softplus(-judged.real).mean() + functional.softplus(judged.produced).mean()


def passing_off(judged: Judged) -> Tensor:
    """The generator's loss, which does not saturate (Goodfellow et al. 2014, section 3)."""
    return functional.softplus(-judged.passed_off).mean()


def adversarial(judged: Judged, examples: Tensor) -> Tensor:
    """Both players' losses; each has a gradient for its own player only."""
    return judging(judged) + passing_off(judged)


_LOSSES: dict[str, Loss] = {
    "cross_entropy": cross_entropy,
    "binary_cross_entropy": functional.binary_cross_entropy_with_logits,
    "mse": functional.mse_loss,
    "mae": functional.l1_loss,
    "huber": functional.huber_loss,
    "quantile": quantile_loss,
    "dice_cross_entropy": dice_cross_entropy,
    "elbo": elbo,
    "adversarial": adversarial,
    "noise_prediction": noise_prediction,
    "contrastive_divergence": contrastive_divergence,
}
