"""Losses that compare answers with targets, as far as torch lacks them."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

QUANTILE = 0.9
"""Nine of ten targets lie below the answer."""


def quantile_loss(guesses: Tensor, truth: Tensor, share: float = QUANTILE) -> Tensor:
    """The pinball loss (Koenker and Bassett 1978), least where this share of the targets lies below the answer."""
    missing = truth - guesses
    return torch.maximum(share * missing, (share - 1) * missing).mean()


def dice_loss(logits: Tensor, classes: Tensor) -> Tensor:
    """One minus the soft Dice overlap of (batch, classes, ...) with (batch, ...), the mean over the classes.

    Places whose class is below 0 count for nothing. Added to the cross-entropy by nnU-Net (Isensee et al. 2021, Methods).
    """
    there = (classes >= 0).unsqueeze(1)
    shares = logits.float().softmax(dim=1) * there
    truth = functional.one_hot(classes.clamp(min=0), logits.shape[1]).movedim(-1, 1) * there
    places = (0, *range(2, logits.dim()))
    overlap = 2 * (shares * truth).sum(places) / ((shares + truth).sum(places) + 1e-6)
    return 1 - overlap.mean()
