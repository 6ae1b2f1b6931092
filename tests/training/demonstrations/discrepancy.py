"""How far made examples are from real ones, and examples that need no learning to be beaten."""

from __future__ import annotations

import warnings

import numpy
import torch
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neural_network import MLPClassifier
from threadpoolctl import threadpool_limits
from torch import Generator, Tensor

_WIDTHS = (0.25, 0.5, 1.0, 2.0)
"""Of the kernel, as shares of the median distance."""


def discrepancy(made: Tensor, real: Tensor) -> float:
    """The unbiased estimate of the squared maximum mean discrepancy (Gretton et al. 2012, equation 3), (n, ...) each.

    The mean over Gaussian kernels of several widths around the median distance of the real examples. It may be slightly
    below 0 where both are alike.
    """
    made, real = made.flatten(1).double(), real.flatten(1).double()
    apart = torch.cdist(real, real)
    median = apart[~torch.eye(len(real), dtype=torch.bool)].median()
    widths = [share * median for share in _WIDTHS]

    def closeness(distances: Tensor) -> Tensor:
        return torch.stack([torch.exp(-((distances / width) ** 2) / 2) for width in widths]).mean(0)

    among_made, among_real = closeness(torch.cdist(made, made)), closeness(apart)
    return (
        _without_diagonal(among_made) + _without_diagonal(among_real) - 2 * closeness(torch.cdist(made, real)).mean()
    ).item()


def told_apart(made: Tensor, real: Tensor, seed: int) -> float:
    """The share of examples, as many of both, that a classifier takes rightly for made or real when it has learned from others.

    Lopez-Paz and Oquab 2017, Revisiting classifier two-sample tests (arXiv:1610.06545), with three folds.
    """
    number = min(len(made), len(real))
    examples = torch.cat([made[:number].flatten(1), real[:number].flatten(1)]).numpy()
    folds = StratifiedKFold(3, shuffle=True, random_state=seed)
    judge = MLPClassifier((64,), alpha=1e-2, learning_rate_init=3e-3, max_iter=40, tol=0.0, random_state=seed)
    with warnings.catch_warnings(), threadpool_limits(1):  # for matrices so small, threads only wait for each other
        warnings.simplefilter("ignore", ConvergenceWarning)  # it is given 40 rounds whatever it has reached
        return float(cross_val_score(judge, examples, numpy.repeat([0, 1], number), cv=folds).mean())


def _without_diagonal(closeness: Tensor) -> Tensor:
    number = len(closeness)
    return (closeness.sum() - closeness.trace()) / (number * (number - 1))


def independent_values(examples: Tensor, number: int, seed: int) -> Tensor:
    """(number, ...): each value from some real example, each from another one; right one by one, wrong together."""
    chance = Generator().manual_seed(seed)
    flat = examples.flatten(1)
    rows = torch.randint(len(flat), (number, flat.shape[1]), generator=chance)
    return flat.gather(0, rows).view(number, *examples.shape[1:])


def gaussian(examples: Tensor, number: int, seed: int) -> Tensor:
    """(number, values) from the normal distribution with the mean and covariance of the examples (n, values)."""
    chance = Generator().manual_seed(seed)
    factor: Tensor = torch.linalg.cholesky(examples.t().cov() + 1e-6 * torch.eye(examples.shape[1]))
    return examples.mean(0) + torch.randn(number, examples.shape[1], generator=chance) @ factor.t()
