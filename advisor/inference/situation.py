"""The facts as the engine sees them, and its decision about one topic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from advisor.inference.outcomes import Outcome


@dataclass(frozen=True, slots=True)
class Decision:
    """The reported outcome of a topic. `settled`: proven to be the same for every completion.

    `open_slots` are the unknown facts that may still matter; `witnesses` completions with differing outcomes, if found.
    """

    outcome: Outcome
    settled: bool
    open_slots: tuple[int, ...] = ()
    witnesses: tuple[tuple[tuple[int, Any], ...], ...] = ()

    @property
    def gave_up(self) -> bool:
        """True where the search ended at its cap, with neither a proof nor witnesses."""
        return not self.settled and not self.witnesses


@dataclass(frozen=True)
class Situation:
    """The facts as the engine sees them: raw values by slot (None: unknown), and facts of which nothing is assumed.

    `values` has one place for every fact and topic; masked, derived and assumed values are not filled in.
    """

    values: tuple[Any, ...]
    blank: frozenset[int] = frozenset()

    def changed(self, slot: int, value: Any) -> Situation:
        return Situation((*self.values[:slot], value, *self.values[slot + 1 :]), self.blank)
