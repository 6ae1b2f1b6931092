"""A figure of the conversation that goes one way only: what was gained is not taken away while one goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.interview.interview import Interview
    from advisor.interview.progress import Progress


class Ratchet:
    """Never falls from step to step; after an undo it is what it was then, and in another conversation it begins anew."""

    def __init__(self) -> None:
        self._interview: Interview | None = None
        self._shown: dict[Progress, float] = {}
        self._last: Progress | None = None

    def held(self, interview: Interview, value: float, gain: float = 0.0) -> float:
        """The figure to show where it would be `value` now.

        Args:
            gain: how much it grows at least with every answer.
        """
        if interview is not self._interview:
            self._interview, self._shown, self._last = interview, {}, None
        now = interview.progress
        known = [self._shown[now]] if now in self._shown else []
        if self._last is not None and not known and len(now.answers) >= len(self._last.answers):
            known.append(self._shown[self._last] + gain * (len(now.answers) - len(self._last.answers)))
        self._shown[now] = max([value, *known])
        self._last = now
        return self._shown[now]
