"""Processes that learn together, as the probe's child sees them: started, told what to do, timed, and ended."""

from __future__ import annotations

import socket
import time
from collections.abc import Sequence

from advisor.children.errors import CannotRunError
from advisor.children.helper import HelperProcess, answer_in, number_in
from advisor.children.process import module_command
from advisor.plain import encode
from advisor.probes.child.peer import Pace, Startable, pool_environment
from advisor.probes.child.rank import LOOPBACK, Doing, RankLaunch
from advisor.probes.probe import Setting
from advisor.probes.workload import Workload

_LOOPBACK_INTERFACE = "lo"
_GROWTH = 4
_WORST_GROWTH = 2 * _GROWTH


class RankGroup(Startable):
    """All ranks, as the child sees them. `shares` are their workloads."""

    def __init__(
        self,
        shares: Sequence[Workload],
        *,
        trains: bool,
        seconds: float,
        memory_bytes: int,
        seed: int,
        processors: Sequence[Sequence[int] | None] = (),
        command: Sequence[str] | None = None,
    ) -> None:
        super().__init__()
        self._shares = shares
        self._trains = trains
        self._seconds = seconds
        self._memory_bytes = memory_bytes
        self._seed = seed
        self._processors = processors or [None] * len(shares)
        self._command = command or module_command("advisor.probes.child.rank")

    @property
    def pids(self) -> list[int]:
        return [process.pid for process in self._running]

    def start(self) -> None:
        """Begin to start them. The port is opened here, for nobody but this computer, so that it is surely free."""
        with socket.create_server((LOOPBACK, 0)) as listening:
            for rank, share in enumerate(self._shares):
                launch = RankLaunch(
                    workload=share,
                    rank=rank,
                    ranks=len(self._shares),
                    port=listening.getsockname()[1],
                    seconds=self._seconds,
                    memory_bytes=self._memory_bytes // len(self._shares),
                    seed=self._seed,
                    trains=self._trains,
                    listening=listening.fileno() if rank == 0 else None,
                    processors=self._processors[rank],
                )
                shared = (listening.fileno(),) if rank == 0 else ()
                name = f"Process {rank + 1} of {len(self._shares)}"
                process = HelperProcess(name, self._command, _environment(share), shared)
                self._running.append(process)
                process.say(**encode(launch))

    def do(self, doing: Doing, size: int, steps: int) -> None:
        for process in self._running:
            process.say(doing=doing.value, size=size, steps=steps)

    def answers(self, until: float) -> list[int]:
        """The most memory that each has held, in bytes. Raises CannotRunError where one does not answer by then."""
        return [int(number_in(said, "peak")) for said in answer_in(self._running, until)]


class RankTrial:
    """The work of a group of ranks in one setting; `size` counts examples of a share, or numbers to exchange."""

    def __init__(self, group: RankGroup, setting: Setting, doing: Doing, size: int, work: float, on_card: bool) -> None:
        self.setting = setting
        self.work = work
        self._group = group
        self._doing = doing
        self._size = size
        self._on_card = on_card
        self._asked = 0
        self._peaks = [0]
        self._pace = Pace()

    def warm_up(self, seconds: float) -> None:
        """Grow from size 1, in step with all ranks. Raises CannotRunError where the whole would take too long."""
        until = time.monotonic() + seconds
        self._group.require(until)
        size, last = 1, 0.0
        self._once(size, until)  # what is prepared only once is not timed
        elapsed = self._once(size, until)
        while size < self._size:
            growth = min(max(1.0, elapsed / last), _WORST_GROWTH) if last else 1.0
            size = min(size * _GROWTH, self._size)
            if time.monotonic() + elapsed * growth > until:
                raise CannotRunError(f"a step would take about {elapsed * growth:.1f} s, too long for the time left.")
            last, elapsed = elapsed, self._once(size, until)

    def step(self) -> None:
        """Collect a step; `finish` has them run."""
        self._asked += 1

    def finish(self) -> None:
        """Raises CannotRunError where a process does not answer any more."""
        if self._asked:
            steps, self._asked = self._asked, 0
            self._group.do(self._doing, self._size, steps)
            self._pace.time(steps, self._answer)

    def peak_memory_bytes(self) -> int:
        """Of all processes together, since they share the memory; of the card that holds most."""
        return max(self._peaks) if self._on_card else sum(self._peaks)

    def _once(self, size: int, until: float) -> float:
        begun = time.monotonic()
        self._group.do(self._doing, size, 1)
        self._answer(until)
        return time.monotonic() - begun

    def _answer(self, until: float) -> None:
        self._peaks = self._group.answers(until)


def _environment(share: Workload) -> dict[str, str]:
    """This process's, on the loopback interface: processes of one computer need no other."""
    environment = pool_environment(share.threads)
    if any(name == _LOOPBACK_INTERFACE for _, name in socket.if_nameindex()):
        environment |= {"GLOO_SOCKET_IFNAME": _LOOPBACK_INTERFACE, "NCCL_SOCKET_IFNAME": _LOOPBACK_INTERFACE}
    return environment
