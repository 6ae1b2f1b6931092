"""The process that holds a network: a namespace for each worker, and itself in the one that joins them.

`python -m advisor.distributed.wires.hub PARENT` is told a Layout, makes it, and says where each namespace is found. It
stays until its input ends or its parent dies; then nothing of the network is left once the workers have ended too.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from advisor.children import guard
from advisor.children.command import program_command
from advisor.children.errors import CannotRunError
from advisor.children.helper import Say, serve
from advisor.distributed.wires import namespaces
from advisor.distributed.wires.prompt import be_prompt
from advisor.distributed.wires.relay import Port, relay
from advisor.plain import decode
from advisor.wording import shorten

INTERFACE = "net0"
"""In the namespace of each worker."""
ETHERNET = 14
"""Bytes before what a frame carries, which count as sent."""
_SECONDS = 10.0
"""For any one program of the system."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """A token bucket: what one end of a link may send."""

    bytes_per_second: float
    burst: int
    """Bytes that it may send at once after a rest."""
    queue: int
    """Bytes that may wait; what comes beyond them is lost."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The network that is asked for."""

    buckets: Sequence[Bucket | None]
    """Of each link, for both of its ends; None for one without a limit."""
    latency: float
    """Seconds from any worker to any other."""
    mtu: int
    """The bytes that a frame carries at most."""
    ip: str
    """The paths of these programs."""
    tc: str


def address(place: int) -> str:
    """The IP address of a worker, from 0, inside the network."""
    return f"10.0.0.{place + 1}"


def _card(place: int) -> bytes:
    """The address of its network card: 6 bytes, of which the first says that no maker has assigned it."""
    return bytes((2, 0, 0, 0, 0, place + 1))


def _work(arguments: Mapping[str, Any], told: Iterator[Mapping[str, Any]], say: Say) -> None:
    """Run in the hub."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal: the parent decides what ends
    os.chdir(os.sep)
    layout = decode(Layout, arguments, "layout")
    user = _enter()
    guard.die_with(int(sys.argv[-1]))  # once more: a process with new rights is no longer ended with its parent
    networks = [namespaces.new_network() for _ in layout.buckets]
    relayed = layout.latency > 0 and not _kernel_delays(layout)
    taps = [_tap(network) for network in networks] if relayed else []
    if not relayed:
        _bridge(layout, networks)
    for place, network in enumerate(networks):
        with namespaces.inside(network):
            _set_up(layout, place, 0.0 if relayed else layout.latency)
    say(user=user, networks=networks, relayed=relayed)
    if relayed:
        be_prompt()
        relay(_ports(layout, taps), layout.latency, layout.mtu + ETHERNET, sys.stdin.fileno())
    else:
        list(told)


def _enter() -> int | None:
    try:
        return namespaces.enter_own()
    except OSError as error:
        what = "this system lets this user make no network namespaces"
        raise CannotRunError(f"{what} ({error.strerror})") from error


def _kernel_delays(layout: Layout) -> bool:
    """True if the kernel can hold frames, tried with an interface that nobody uses."""
    try:
        _run(layout.tc, ["qdisc add dev lo root netem delay 1ms"])
    except CannotRunError:
        return False
    return True


def _tap(network: int) -> int:
    try:
        return namespaces.tap(network, INTERFACE)
    except OSError as error:
        what = "a latency takes a kernel with netem, or /dev/net/tun, which this user cannot use"
        raise CannotRunError(f"{what} ({error.strerror})") from error


def _bridge(layout: Layout, networks: Sequence[int]) -> None:
    """Pairs of interfaces: one end in the namespace of a worker, the other at a bridge in this one."""
    lines = ["link add bridge type bridge stp_state 0 forward_delay 0 mcast_snooping 0", "link set bridge up"]
    for place, network in enumerate(networks):
        there = f"{INTERFACE} mtu {layout.mtu} netns /proc/{os.getpid()}/fd/{network}"
        lines += [
            f"link add port{place} mtu {layout.mtu} type veth peer name {there}",
            f"link set port{place} master bridge up",
        ]
    _run(layout.ip, lines)
    _run(layout.tc, [line for place, bucket in enumerate(layout.buckets) for line in _limits(f"port{place}", bucket)])


def _set_up(layout: Layout, place: int, latency: float) -> None:
    """The worker's end, from within its namespace."""
    _run(
        layout.ip,
        [
            "link set lo up",
            f"link set {INTERFACE} mtu {layout.mtu} address {_card(place).hex(':')} up",
            f"address add {address(place)}/24 dev {INTERFACE}",
        ],
    )
    _run(layout.tc, _limits(INTERFACE, layout.buckets[place], latency))


def _limits(name: str, bucket: Bucket | None, latency: float = 0.0) -> list[str]:
    """The lines for tc on the frames that an interface sends."""
    lines, parent = [], "root"
    if bucket is not None:
        rate = f"rate {bucket.bytes_per_second * 8:.0f}bit burst {bucket.burst} limit {bucket.queue}"
        lines, parent = [f"qdisc add dev {name} root handle 1: tbf {rate}"], "parent 1:1"
    if latency:
        lines.append(f"qdisc add dev {name} {parent} netem delay {latency * 1e6:.0f}us limit 100000")
    return lines


def _run(program: str, lines: Sequence[str]) -> None:
    """Raises CannotRunError with what the program said."""
    command = program_command(program, "-batch", "-")
    told = "\n".join(lines).encode()
    try:
        done = subprocess.run(
            command.arguments,
            input=told,
            capture_output=True,
            timeout=_SECONDS,
            env=dict(command.environment),
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise CannotRunError(f"{program} did not set the network up: {error}") from error
    if done.returncode:
        said = shorten(done.stderr.decode(errors="replace").strip(), 200)
        raise CannotRunError(f"{program} did not set the network up: {said}")


def _ports(layout: Layout, taps: Sequence[int]) -> list[Port]:
    return [
        Port(tap, _card(place), 1 / bucket.bytes_per_second, bucket.queue) if bucket else Port(tap, _card(place))
        for place, (tap, bucket) in enumerate(zip(taps, layout.buckets, strict=True))
    ]


if __name__ == "__main__":
    serve(_work, own_input=True)
