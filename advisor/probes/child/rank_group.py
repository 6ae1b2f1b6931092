"""Processes that learn together, as the probe's child sees them: started, told what to do, timed, and ended."""

from __future__ import annotations

import contextlib
import socket
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace

from advisor.children.command import module_command
from advisor.children.errors import TooLongError
from advisor.children.helper import HelperProcess, answer_in, number_in
from advisor.plain import encode
from advisor.probes.child.peer import RemoteTrial, Startable, variables_of_pools
from advisor.probes.child.rank import Doing, RankLaunch
from advisor.probes.probe import Setting
from advisor.probes.workload import Workload

_LOOPBACK = ("lo", "lo0")
"""Its name on Linux, on a Mac."""
_GROWTH = 4
_WORST_GROWTH = 2 * _GROWTH


class RankGroup(Startable):
    """All ranks, as the child sees them."""

    def __init__(self, launches: Sequence[RankLaunch], command: Sequence[str] | None = None) -> None:
        super().__init__()
        self._launches = launches
        self._instead = command
        self._closing = contextlib.ExitStack()

    def start(self) -> None:
        """Begin to start them. They meet through a file in a folder that nobody else can open."""
        folder = self._closing.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        for launch in self._launches:
            name = f"Process {launch.rank + 1} of {launch.ranks}"
            command = module_command("advisor.probes.child.rank", _variables(launch.workload), instead=self._instead)
            process = HelperProcess(name, command)
            self._running.append(process)
            process.say(**encode(replace(launch, store=f"{folder}/store")))

    def close(self) -> None:
        with self._closing:
            super().close()

    def do(self, doing: Doing, size: int, steps: int) -> None:
        for process in self._running:
            process.say(doing=doing.value, size=size, steps=steps)

    def answers(self, until: float) -> list[int]:
        """The most memory that each has held, in bytes. Raises CannotRunError where one does not answer by then."""
        return [int(number_in(said, "peak")) for said in answer_in(self._running, until)]


class RankTrial(RemoteTrial):
    """The work of a group of ranks in one setting; `size` counts examples of a share, or numbers to exchange."""

    def __init__(self, group: RankGroup, setting: Setting, doing: Doing, size: int, work: float, on_card: bool) -> None:
        self.setting = setting
        self.work = work
        self._group = group
        self._doing = doing
        self._size = size
        self._on_card = on_card
        self._peaks = [0]

    def warm_up(self, seconds: float) -> None:
        """Grow from size 1, in step with all ranks. Raises CannotRunError where the whole would take too long."""
        until = time.monotonic() + seconds
        self._group.wait(until)
        size, last = 1, 0.0
        self._once(size, until)  # what is prepared only once is not timed
        elapsed = self._once(size, until)
        while size < self._size:
            growth = min(max(1.0, elapsed / last), _WORST_GROWTH) if last else 1.0
            size = min(size * _GROWTH, self._size)
            if time.monotonic() + elapsed * growth > until:
                raise TooLongError(f"a step would take about {elapsed * growth:.1f} s, too long for the time left.")
            last, elapsed = elapsed, self._once(size, until)

    def peak_memory_bytes(self) -> int:
        """Of all processes together, since they share the memory; of the card that holds most."""
        return max(self._peaks) if self._on_card else sum(self._peaks)

    def _once(self, size: int, until: float) -> float:
        begun = time.monotonic()
        self._group.do(self._doing, size, 1)
        self._answer(until)
        return time.monotonic() - begun

    def _order(self, steps: int) -> None:
        self._group.do(self._doing, self._size, steps)

    def _answer(self, until: float) -> None:
        self._peaks = self._group.answers(until)


def _variables(share: Workload) -> dict[str, str]:
    """Changes in the environment: pools, and the loopback interface, as processes of one computer need no other."""
    variables = variables_of_pools(share.threads)
    for name in (name for _, name in socket.if_nameindex() if name in _LOOPBACK):
        variables |= {"GLOO_SOCKET_IFNAME": name, "NCCL_SOCKET_IFNAME": name}
    return variables
