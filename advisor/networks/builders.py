"""Networks by name, and their losses: the numbers that training minimises."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeAlias

from torch import Tensor, nn
from torch.nn import functional

from advisor.networks.description import NetworkSpec
from advisor.networks.parts.supervised import dice_loss, quantile_loss
from advisor.networks.registry import family, package_of
from advisor.networks.spec import check, hidden_units

Loss: TypeAlias = Callable[[Any, Tensor], Tensor]
"""The network's answer and the targets -> one number."""


def build(spec: NetworkSpec) -> nn.Module:
    """The network, with initial weights from torch's global generator (see torch.manual_seed).

    Raises:
        UnknownNetworkError: the type cannot be built yet; the message names those that can.
        UnbuildableError: the type can be built, but not from this description; the message says why.
    """
    check(spec)
    return family(spec.network).build(spec, hidden_units(spec))


def loss_function(spec: NetworkSpec) -> Loss:
    """The loss of this network. Raises UnbuildableError where it cannot be computed yet."""
    check(spec)
    if spec.loss in _LOSSES:
        return _LOSSES[spec.loss]
    own: Loss = getattr(import_module(f"{package_of(spec.network)}.network"), spec.loss)
    return own


def cross_entropy(logits: Tensor, classes: Tensor) -> Tensor:
    """Per example (batch, classes), per pixel (batch, classes, side, side) or per token (batch, steps, tokens)."""
    if logits.dim() == 3:
        return functional.cross_entropy(logits.flatten(0, 1), classes.flatten())
    return functional.cross_entropy(logits, classes)


def dice_cross_entropy(logits: Tensor, classes: Tensor) -> Tensor:
    return functional.cross_entropy(logits, classes) + dice_loss(logits, classes)


_LOSSES: dict[str, Loss] = {
    "cross_entropy": cross_entropy,
    "binary_cross_entropy": functional.binary_cross_entropy_with_logits,
    "mse": functional.mse_loss,
    "mae": functional.l1_loss,
    "huber": functional.huber_loss,
    "quantile": quantile_loss,
    "dice_cross_entropy": dice_cross_entropy,
}
