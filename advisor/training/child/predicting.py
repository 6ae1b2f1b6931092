"""The predictions of a fitted model for examples, whichever kind of model it is."""

from __future__ import annotations

from threadpoolctl import threadpool_limits

from advisor.datasets.dataset import Task
from advisor.networks.registry import family
from advisor.training.child.classical import said
from advisor.training.child.fitted import Fitted, Learned, Numbers
from advisor.training.child.fitting import answer

WORTH_THREADS = 50_000
"""Examples from which several threads may be faster than one, which on a busy machine wait for each other."""


def predictions(learned: Learned, name: str, rows: Numbers, threads: int = 1) -> Fitted:
    """The predictions of a model for some of the examples of its preparation.

    Args:
        learned: with the preparation for the examples to be predicted, which may be others than it was fitted to.
        name: the type of model: gradient_boosting, ffn.
        rows: positions of examples, int64 (n,).
        threads: at most.
    """
    prepared = learned.prepared
    if learned.network is None:
        with threadpool_limits(threads if len(rows) >= WORTH_THREADS else 1):
            outputs = said(learned.model, name, prepared, rows, classes=prepared.examples.task is Task.CLASSIFY)
        return answer(outputs, prepared)
    from advisor.training.child.network_fitting import predicted  # torch takes seconds

    flat = family(learned.network.network).takes_rows
    outputs = predicted(learned.model, prepared.flat(rows) if flat else prepared.structured(rows), threads)
    return answer(outputs, prepared, of_network=True)
