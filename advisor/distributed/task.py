"""The task to learn, by whatever strategy: a network, examples, and how the weights change. No torch here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.probes.workload import NamedNetwork

DIGITS = "scikit-learn's digits"
"""In place of a file: the handwritten digits that scikit-learn ships, 1,797 grey pictures of 8 x 8 pixels, as rows of values."""


@dataclass(frozen=True, slots=True)
class Task:
    """The network of a plan, the data that it learns from, and the settings that all strategies share.

    The first ten fields are read as in advisor.networks.spec.NetworkSpec.
    """

    network: str
    modality: str
    inputs: int
    outputs: int
    hidden_units: Sequence[int] = ()
    sequence_length: int | None = None
    loss: str = "cross_entropy"
    activation: str = "relu"
    normalization: str = "none"
    dropout: float = 0.0
    optimizer: str = "sgd"
    """`sgd`, or `adamw` where workers average in every step; the server of a strategy has its own."""
    rate: float = 0.05
    """The learning rate of one worker's batch."""
    batch: int = 32
    """Examples of one worker's batch."""
    data: str | None = None
    """The file or folder of the examples, whose sizes are then taken from it; or DIGITS; None for examples that are made from the
    seed."""
    target: str | None = None
    most_examples: int = 20_000
    most_held_out: int | None = None
    """Held-out examples that are looked at; None for all."""
    seed: int = 0
    named: NamedNetwork | None = None
    """The network that learns, where somebody named one; of the first fields only inputs, outputs and loss count then."""
