"""Progress of `advisor simulate`, on a terminal: a line on stderr with the share that is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.cli.progress import LiveProgress

if TYPE_CHECKING:
    from rich.live import Live


class SimulatingProgress(LiveProgress):
    """A listener of the simulation."""

    def __init__(self) -> None:
        super().__init__()
        self._share = 0.0

    def live_display(self) -> Live:
        from rich.live import Live  # 3 ms, only on a terminal
        from rich.text import Text

        def shown() -> Text:
            return Text(f"Simulating: {self._share:.0%} done")

        return Live(get_renderable=shown, console=self.console, refresh_per_second=4, transient=True)

    def __call__(self, share: float) -> None:
        """Note the share that is done, 0 to 1."""
        self._share = share
