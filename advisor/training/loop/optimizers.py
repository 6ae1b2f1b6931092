"""Every optimiser of the vocabulary by its name, with the settings that its paper or PyTorch's default gives it.

PyTorch has all of them but LARS and LAMB, see `layerwise`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import torch
from torch import Tensor, nn, optim
from torch.optim import Optimizer

from advisor.training.loop.layerwise import Lamb, Lars


def optimizer(
    name: str, parameters: Iterable[nn.Parameter], learning_rate: float, weight_decay: float = 0.0
) -> Optimizer:
    """The optimiser of this name (see recipe.OPTIMIZERS).

    The decay draws matrices and filters towards zero, not biases and gains, which have one dimension: those hold no
    more than an offset or a scale (Goyal et al. 2017, arXiv:1706.02677, section 5.3). L-BFGS finds the length of its
    steps itself and takes no rate, and knows no decay; whoever calls it adds `decay_loss` to the loss.
    """
    weights = list(parameters)
    if name == "lbfgs":
        return optim.LBFGS(weights, max_iter=20, line_search_fn="strong_wolfe")
    if weight_decay == 0:
        return _OPTIMIZERS[name](weights, lr=learning_rate, weight_decay=0.0)
    groups = [
        {"params": [weight for weight in weights if weight.dim() > 1], "weight_decay": weight_decay},
        {"params": [weight for weight in weights if weight.dim() <= 1], "weight_decay": 0.0},
    ]
    return _OPTIMIZERS[name]([group for group in groups if group["params"]], lr=learning_rate)


def decay_loss(parameters: Iterable[nn.Parameter], weight_decay: float) -> Tensor:
    """Half the squared weights of matrices and filters, times the decay: its gradient is the decay's pull."""
    squares = [weight.square().sum() for weight in parameters if weight.dim() > 1]
    return torch.stack(squares).sum() * (weight_decay / 2)


_OPTIMIZERS: dict[str, Callable[..., Optimizer]] = {
    "sgd": optim.SGD,
    "sgd_momentum": partial(optim.SGD, momentum=0.9),
    "sgd_nesterov": partial(optim.SGD, momentum=0.9, nesterov=True),
    "adagrad": optim.Adagrad,
    "adadelta": optim.Adadelta,
    "rmsprop": optim.RMSprop,
    "adam": partial(optim.Adam, fused=True),
    "adamw": partial(optim.AdamW, fused=True),
    "nadam": partial(optim.NAdam, decoupled_weight_decay=True),
    "lars": Lars,
    "lamb": Lamb,
}
