"""Links between workers of one machine that are as slow as those of a cluster.

Each worker gets a network namespace of its own, joined with the others' by a switch: the kernel's token bucket limits what
each sends and receives, and each frame is held for the latency. The namespaces have no names. They are held by one process
that dies with this one, so that nothing is left, whatever is killed; programs in them must tie themselves to whoever started
them (`advisor.children.guard`). Nothing in them reaches, or is reached from, the machine's own network.

Where that is not allowed, exchanges are paced instead: slower, but by no network.
"""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from advisor.children.command import module_command
from advisor.children.errors import CannotRunError
from advisor.children.helper import HelperProcess
from advisor.distributed.wires.hub import ETHERNET, INTERFACE, Bucket, Layout, address
from advisor.distributed.wires.pacing import Pace
from advisor.errors import InputError, Problem
from advisor.plain import encode
from advisor.wording import join_names

MOST_PLACES = 100
SLOWEST = 1000.0
"""Bytes per second."""
LONGEST_LATENCY = 10.0
_FOLDERS = "/usr/sbin:/sbin:/usr/bin:/bin"
"""Of programs that set networks up, which the PATH of a user may not name."""
_START_SECONDS = 15.0
_FRAME_SECONDS = (0.25e-3, 1e-3)
"""Of the longest frame on the link: half the latency within these bounds. Few frames have to be carried then, and
short messages do not wait long for those of others."""
_MTU = (1500, 65_000)
_QUEUE_SECONDS = 0.08
_QUEUE = (256_000, 16_000_000)
_SIZES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_PACKAGES = {"ip": "iproute2", "tc": "iproute2", "nsenter": "util-linux"}
_NO_SHARES: Mapping[int, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Place:
    """A place to run a worker."""

    prefix: tuple[str, ...]
    """Before the command of a program: runs it there, as the same process. Empty for the machine's own network."""
    interface: str
    """The network interface to use, for GLOO_SOCKET_IFNAME."""
    address: str
    """At which other places reach it."""


@dataclass(frozen=True, slots=True)
class Links:
    """Places for workers, and what joins them."""

    places: Sequence[Place]
    says: str
    """The real nature of the links, in a sentence for reports."""
    pace: Pace | None = None
    """For whoever exchanges to wait by, where the links themselves are not slow."""
    holder: HelperProcess | None = field(default=None, compare=False)

    def broken(self) -> str | None:
        """A sentence on the end of the network, where something has ended it; None while it is there."""
        return self.holder.killed_by if self.holder is not None else None


@contextlib.contextmanager
def links(
    places: int, bytes_per_second: float | None, latency: float, *, shares: Mapping[int, float] = _NO_SHARES
) -> Iterator[Links]:
    """Places for so many workers (count a parameter server too), there until the block ends.

    Args:
        bytes_per_second: of each place's link, in each direction, with the 54 bytes or more of each frame that are no data;
            None for no limit.
        latency: seconds from any place to any other, one way.
        shares: of places, by their number from 0, whose link has another rate: the share of it.

    Raises InputError where a number is out of range.
    """
    _check(places, bytes_per_second, latency, shares)
    if bytes_per_second is None and latency == 0:
        yield Links(_loopback(places), "Workers exchange over the loopback interface, without a limit.")
        return
    rates = [None if bytes_per_second is None else bytes_per_second * shares.get(place, 1.0) for place in range(places)]
    with contextlib.ExitStack() as closing:
        try:
            found = _network(rates, latency, closing)
        except CannotRunError as error:
            found = _paced(rates, latency, str(error))
        yield found


def rate_text(bytes_per_second: float) -> str:
    """As networks are called: 100 Mbit/s, 2.5 Gbit/s."""
    bits = bytes_per_second * 8
    size, name = next((size, name) for size, name in _SIZES if bits >= size)
    return f"{bits / size:.4g} {name}bit/s"


def _loopback(places: int) -> Sequence[Place]:
    return (Place((), "lo0" if sys.platform == "darwin" else "lo", "127.0.0.1"),) * places


def _network(rates: Sequence[float | None], latency: float, closing: contextlib.ExitStack) -> Links:
    """Raises CannotRunError where the system has or allows none."""
    if sys.platform != "linux":
        raise CannotRunError("only Linux has network namespaces")
    ip, tc, nsenter = (_program(name) for name in ("ip", "tc", "nsenter"))
    layout = layout_of(rates, latency, ip, tc)
    holder = HelperProcess("The network of the workers", module_command("advisor.distributed.wires.hub"))
    closing.callback(holder.close)
    holder.say(**encode(layout))
    told = holder.answer(time.monotonic() + _START_SECONDS)
    own = f"/proc/{holder.pid}/fd"
    user = () if told["user"] is None else (f"--user={own}/{told['user']}", "--preserve-credentials")
    found = [
        Place((nsenter, *user, f"--net={own}/{network}"), INTERFACE, address(place))
        for place, network in enumerate(told["networks"])
    ]
    return Links(found, _says(rates, latency, layout.mtu, told["relayed"]), holder=holder)


def layout_of(rates: Sequence[float | None], latency: float, ip: str, tc: str) -> Layout:
    """The network with links of these rates, in bytes per second."""
    slowest = min((rate for rate in rates if rate is not None), default=math.inf)
    mtu = int(_within(slowest * _within(latency / 2, _FRAME_SECONDS), _MTU))
    return Layout([None if rate is None else _bucket(rate, mtu) for rate in rates], latency, mtu, ip, tc)


def _bucket(rate: float, mtu: int) -> Bucket:
    """As small as measured right: two frames, and what a fast link carries before the kernel comes to look again."""
    burst = max(2 * (mtu + ETHERNET), rate * _FRAME_SECONDS[0])
    return Bucket(rate, int(burst), int(_within(rate * _QUEUE_SECONDS, _QUEUE)))


def _paced(rates: Sequence[float | None], latency: float, reason: str) -> Links:
    """Without a network: whoever exchanges waits, as long as the slowest link takes."""
    pace = Pace(min((rate for rate in rates if rate is not None), default=math.inf), latency)
    says = (
        f"No network is as slow: workers exchange over the loopback interface and then wait until {_link(rates, latency)} "
        f"would have carried it. The reason: {reason.removesuffix('.')}."
    )
    return Links(_loopback(len(rates)), says, pace)


def _says(rates: Sequence[float | None], latency: float, mtu: int, relayed: bool) -> str:
    means = [
        *(["the kernel's token bucket in both directions"] if any(rates) else []),
        *(["frames held by a relay process" if relayed else "frames held by the kernel"] if latency else []),
        f"frames of up to {mtu:,} bytes",
    ]
    return f"Each worker has a network namespace of its own on {_link(rates, latency)} ({join_names(means)})."


def _link(rates: Sequence[float | None], latency: float) -> str:
    """A link of 100 Mbit/s with a latency of 1 ms."""
    limits = [*dict.fromkeys(rate_text(rate) for rate in rates if rate is not None)]
    rate = f" of {join_names(limits, 'or')}" if limits else ""
    return f"a link{rate}" + (f" with a latency of {latency * 1e3:g} ms" if latency else "")


def _program(name: str) -> str:
    path = shutil.which(name, path=os.pathsep.join((os.environ.get("PATH", ""), _FOLDERS)))
    if path is None:
        raise CannotRunError(f"{name} of {_PACKAGES[name]} is missing")
    return str(Path(path).absolute())


def _check(places: int, rate: float | None, latency: float, shares: Mapping[int, float]) -> None:
    """Raises InputError with all that is wrong at once."""
    problems = []
    if not 1 <= places <= MOST_PLACES:
        problems.append(Problem("workers", f"{places} places are not between 1 and {MOST_PLACES}."))
    if rate is not None and not (SLOWEST <= rate < math.inf):
        remedy = "For example 100Mbit/s."
        problems.append(Problem("link", f"{rate * 8:g} bit/s is slower than {rate_text(SLOWEST)}, or no rate.", remedy))
    if not 0 <= latency <= LONGEST_LATENCY:
        remedy = "For example 1ms."
        problems.append(Problem("latency", f"{latency:g} s is not between 0 and {LONGEST_LATENCY:g} s.", remedy))
    for place, share in shares.items():
        if not (0 <= place < places and 0 < share < math.inf):
            problems.append(Problem("link", f"place {place} cannot have {share:g} times the rate."))
    if problems:
        raise InputError("There cannot be such links", problems)


def _within(number: float, bounds: tuple[float, float]) -> float:
    return min(max(number, bounds[0]), bounds[1])
