"""The results of a job, however it ended. No torch here."""

from __future__ import annotations

from dataclasses import dataclass, replace

from advisor.distributed.job import Calibrated, Progress, Ready, Run, Undone


@dataclass(frozen=True, slots=True)
class Results:
    """All that was measured, however it ended."""

    ready: Ready | None = None
    calibrated: Calibrated | None = None
    runs: tuple[Run, ...] = ()
    """Those that were finished, one for each strategy and seed."""
    failed: str = ""
    """A sentence on what ended it early; empty where nothing did."""
    undone: tuple[Undone, ...] = ()
    """Runs that gave no numbers, or for which the network is not fit, while others went on."""
    under_way: Progress | None = None
    """Of the run that was not finished, what was heard last."""
    notes: tuple[str, ...] = ()

    def with_(self, later: Results) -> Results:
        """Together with what was measured later."""
        return replace(
            later,
            ready=self.ready or later.ready,
            calibrated=self.calibrated or later.calibrated,
            runs=(*self.runs, *later.runs),
            undone=(*self.undone, *later.undone),
        )

    def told(self) -> Results:
        """The same, with a reason for failing where nothing could be done."""
        nothing = self.undone and not self.runs and not self.failed
        return replace(self, failed=self.undone[-1].why) if nothing else self
