"""The time of a run: how much of its budget is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class Timed:
    """A run of `budget` seconds, on a clock of the caller's."""

    budget: float
    clock: Callable[[], float]
    begun: float = 0.0
    spent: float = 0.0
    """Seconds of the budget that an earlier run has used."""

    def __post_init__(self) -> None:
        self.begun = self.clock()

    def tell(self, event: Any) -> None:
        """Keep an event of the run."""
        raise NotImplementedError

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.budget - self.spent - (self.clock() - self.begun))

    @property
    def seconds_of_part(self) -> float | None:
        """Seconds left for the part under way, if parts have a limit of their own."""
        return None
