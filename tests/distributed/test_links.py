"""Links as slow as they were asked for: real ones in network namespaces, and paced ones where these are not allowed."""

import json
import math
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from advisor.distributed.wires.links import Links, Place, layout_of, links, rate_text
from advisor.distributed.wires.pacing import Pace
from advisor.errors import InputError

MEGABIT = 1e6 / 8
_RECEIVES = """
import socket, sys, time
server = socket.create_server((sys.argv[1], 5000))
print("ready", flush=True)
senders = [server.accept()[0] for _ in range(int(sys.argv[2]))]
for sender in senders:
    sender.sendall(b"go")
begun = time.monotonic()
for sender in senders:
    sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while received := sender.recv(1 << 20):
        if len(received) == 1:
            sender.sendall(received)
print(time.monotonic() - begun)
"""
_SENDS = """
import socket, sys, time
receiver = socket.create_connection((sys.argv[1], 5000), 10)
receiver.recv(2, socket.MSG_WAITALL)
receiver.sendall(bytes(int(sys.argv[2])))
"""
_ASKS = """
import socket, sys, time
receiver = socket.create_connection((sys.argv[1], 5000), 10)
receiver.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
receiver.recv(2, socket.MSG_WAITALL)
times = []
for _ in range(9):
    begun = time.monotonic()
    receiver.sendall(b"?")
    receiver.recv(1)
    times.append(time.monotonic() - begun)
print(sorted(times)[4])
"""


def real(found: Links) -> Links:
    if found.pace is not None:
        pytest.skip(found.says)
    return found


def program(place: Place, code: str, *arguments: object) -> "subprocess.Popen[str]":
    command = [*place.prefix, sys.executable, "-Sc", code, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def seconds_to_receive(receiver: Place, senders: Sequence[Place], count: int) -> float:
    """From the last sender's arrival until the receiver has everything."""
    receives = program(receiver, _RECEIVES, receiver.address, len(senders))
    assert receives.stdout is not None
    receives.stdout.readline()
    sends = [program(sender, _SENDS, receiver.address, count) for sender in senders]
    told, _ = receives.communicate(timeout=20)
    for one in sends:
        one.communicate(timeout=5)
    return float(told)


def round_trip(here: Place, there: Place) -> float:
    """Seconds, the median of several."""
    receives = program(there, _RECEIVES, there.address, 1)
    assert receives.stdout is not None
    receives.stdout.readline()
    told, _ = program(here, _ASKS, there.address).communicate(timeout=20)
    receives.communicate(timeout=5)
    return float(told)


@pytest.fixture(scope="module", params=[0.0, 0.02], ids=["no latency", "20 ms"])
def network(request: pytest.FixtureRequest) -> Iterator[tuple[float, Links]]:
    """Three places at 20 Mbit/s, of which the last has half of that; and their latency."""
    with links(3, 20 * MEGABIT, request.param, shares={2: 0.5}) as found:
        yield request.param, real(found)


def test_every_link_has_its_rate_in_both_directions(network: tuple[float, Links]) -> None:
    _, found = network
    first, second, slow = found.places
    a_second = int(0.2 * 20 * MEGABIT)  # it never takes less time; on a busy machine it may take more
    assert 0.17 < seconds_to_receive(second, [first], a_second) < 2.0
    assert 0.37 < seconds_to_receive(slow, [first], a_second) < 3.0
    assert 0.37 < seconds_to_receive(first, [slow], a_second) < 3.0


def test_who_receives_from_two_gets_no_more_than_its_link_carries(network: tuple[float, Links]) -> None:
    _, found = network
    first, second, slow = found.places
    assert 0.55 < seconds_to_receive(slow, [first, second], int(0.15 * 20 * MEGABIT)) < 4.0


def test_an_answer_takes_the_latency_twice(network: tuple[float, Links]) -> None:
    latency, found = network
    taken = round_trip(found.places[0], found.places[1])
    assert 2 * latency <= taken < 2 * latency + 0.5


def test_the_report_says_what_the_links_are(network: tuple[float, Links]) -> None:
    latency, found = network
    assert "a link of 20 Mbit/s or 10 Mbit/s" in found.says
    assert ("with a latency of 20 ms" in found.says) is (latency > 0)
    assert "token bucket" in found.says


def test_nothing_reaches_the_network_from_outside_or_the_outside_from_there(network: tuple[float, Links]) -> None:
    _, found = network
    listens = program(found.places[0], _RECEIVES, "0.0.0.0", 1)  # noqa: S104  within the namespace
    assert listens.stdout is not None
    listens.stdout.readline()
    listening = [line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines() if " 0A " in line]
    assert f"00000000:{5000:04X}" not in listening
    with socket.create_server(("127.0.0.1", 0)) as ours:
        reach = f"import socket; socket.create_connection(('127.0.0.1', {ours.getsockname()[1]}), 1)"
        inside = [*found.places[0].prefix, sys.executable, "-Sc", reach]
        assert subprocess.run(inside, capture_output=True, check=False).returncode != 0
    listens.kill()
    listens.communicate()


def test_gloo_sums_over_the_link() -> None:
    sums = (
        "import datetime, os, torch, torch.distributed as d; "
        "d.init_process_group('gloo', timeout=datetime.timedelta(seconds=20)); "
        "x = torch.ones(100_000); d.all_reduce(x); d.barrier(); print(x.sum().item())"
    )
    with links(2, 100 * MEGABIT, 0.001) as found:
        ranks = [
            subprocess.Popen(
                [*place.prefix, sys.executable, "-c", sums],
                env={
                    **os.environ, "GLOO_SOCKET_IFNAME": place.interface, "MASTER_ADDR": found.places[0].address,
                    "MASTER_PORT": "29500", "RANK": str(rank), "WORLD_SIZE": "2",
                },
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )
            for rank, place in enumerate(real(found).places)
        ]  # fmt: skip
        assert [float(rank.communicate(timeout=60)[0]) for rank in ranks] == [200_000, 200_000]


def test_a_link_without_limit_is_the_loopback_interface() -> None:
    with links(2, None, 0.0) as found:
        assert {place.prefix for place in found.places} == {()}
        assert found.pace is None
        assert found.says == "Workers exchange over the loopback interface, without a limit."


def test_where_namespaces_are_not_allowed_exchanges_are_paced_and_the_reason_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name, path: None if name == "tc" else f"/bin/{name}")
    with links(2, 100 * MEGABIT, 0.001, shares={1: 0.5}) as found:
        assert found.pace == Pace(50 * MEGABIT, 0.001)
        assert {place.address for place in found.places} == {"127.0.0.1"}
        assert found.says == (
            "No network is as slow: workers exchange over the loopback interface and then wait until a link of 100 Mbit/s or "
            "50 Mbit/s with a latency of 1 ms would have carried it. The reason: tc of iproute2 is missing."
        )


def test_what_a_tool_refuses_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with links(1, 100 * MEGABIT, 0.0) as found:
        real(found)
    refuses = tmp_path / "ip"
    refuses.write_text("#!/bin/sh\necho 'RTNETLINK answers: not today' >&2; exit 2\n")
    refuses.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with links(2, 100 * MEGABIT, 0.0) as found:
        assert found.says.endswith(f"The reason: {refuses} did not set the network up: RTNETLINK answers: not today.")


def test_a_pace_waits_until_the_link_would_have_carried_it() -> None:
    pace = Pace(1e6, 0.01)
    begun = time.monotonic()
    pace.wait(50_000, begun)
    assert time.monotonic() - begun >= 0.06
    late = time.monotonic()
    pace.wait(50_000, begun)  # is over already
    assert time.monotonic() - late < 0.05
    assert Pace(math.inf, 0.002).seconds(1e9) == 0.002


@pytest.mark.parametrize(
    ("places", "rate", "latency", "told"),
    [
        (0, None, 0.0, "workers: 0 places are not between 1 and 100."),
        (2, 10.0, 0.0, "link: 80 bit/s is slower than 8 kbit/s, or no rate. For example 100Mbit/s."),
        (2, math.nan, 0.0, "link: nan bit/s is slower than 8 kbit/s, or no rate. For example 100Mbit/s."),
        (2, None, 60.0, "latency: 60 s is not between 0 and 10 s. For example 1ms."),
        (2, None, -1.0, "latency: -1 s is not between 0 and 10 s. For example 1ms."),
    ],
)
def test_links_that_cannot_be_are_refused(places: int, rate: float | None, latency: float, told: str) -> None:
    with pytest.raises(InputError) as error, links(places, rate, latency):
        pass
    assert str(error.value) == f"There cannot be such links\n{told}"


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(InputError) as error, links(2, math.inf, math.nan, shares={7: 0.5}):
        pass
    assert [problem.where for problem in error.value.problems] == ["link", "latency", "link"]


def test_rates_are_called_as_networks_are() -> None:
    assert [rate_text(rate) for rate in (1.25e3, 12.5e6, 312.5e6, 1.25e9)] == [
        "10 kbit/s",
        "100 Mbit/s",
        "2.5 Gbit/s",
        "10 Gbit/s",
    ]


def test_frames_are_no_longer_than_a_quarter_of_a_millisecond_where_the_link_allows_it() -> None:
    def mtu(rate: float, latency: float = 0.0) -> int:
        return layout_of([rate], latency, "ip", "tc").mtu

    assert [mtu(10 * MEGABIT), mtu(100 * MEGABIT), mtu(1000 * MEGABIT)] == [1500, 3125, 31_250]
    assert mtu(100 * MEGABIT, latency=0.001) == 6250
    assert mtu(1e12) == 65_000


def test_a_network_that_was_ended_says_so() -> None:
    with links(2, 100 * MEGABIT, 0.001) as found:
        assert real(found).broken() is None
        assert found.holder is not None
        os.kill(found.holder.pid, signal.SIGKILL)
        found.holder._process.wait(5)
        assert found.broken() == "The network of the workers was ended by SIGKILL."


_OWNER = """
import json, os, subprocess, sys, time
from advisor.distributed.wires.links import links
TIED = f"import time; from advisor.children.guard import die_with; die_with({os.getpid()}); time.sleep(60)"
while True:
    with links(3, 1e7, float(sys.argv[1])) as found:
        print(json.dumps(found.pace is None), flush=True)
        inside = [subprocess.Popen([*place.prefix, sys.executable, "-c", TIED]) for place in found.places]
        time.sleep(0.15)
        for one in inside:
            one.kill()
            one.wait()
"""


def marked(mark: str) -> list[str]:
    """The command lines of the processes that were started, at first or second hand, with this in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


def kill_owner(latency: float, seconds: float) -> None:
    """Let a process make networks and use them, kill it after so long, and wait until nothing is left."""
    mark = f"MARK_{uuid.uuid4().hex}"
    devices = Path("/proc/net/dev").read_text().count("\n")
    command = [sys.executable, "-c", _OWNER, str(latency)]
    owner = subprocess.Popen(command, env={**os.environ, mark: "1"}, stdout=subprocess.PIPE)
    assert owner.stdout is not None
    assert json.loads(owner.stdout.readline())
    time.sleep(seconds)
    owner.kill()
    owner.wait()
    until = time.monotonic() + 10
    while (left := marked(mark)) and time.monotonic() < until:
        time.sleep(0.02)
    assert left == []
    assert Path("/proc/net/dev").read_text().count("\n") == devices
    assert mark not in Path("/proc/mounts").read_text()


@pytest.mark.parametrize("latency", [0.0, 0.001])
@pytest.mark.parametrize("seconds", [0.02, 0.17, 0.22])
def test_nothing_is_left_when_the_owner_is_killed(latency: float, seconds: float) -> None:
    """While links are used, go down, come up: a namespace without a name lasts no longer than the processes that hold it."""
    with links(1, 1e7, latency) as found:
        real(found)
    kill_owner(latency, seconds)


@pytest.mark.thorough
@pytest.mark.parametrize("moment", range(60))
def test_nothing_is_left_at_whatever_moment_the_owner_is_killed(moment: int) -> None:
    with links(1, 1e7, 0.001) as found:
        real(found)
    kill_owner((moment % 2) * 0.001, moment * 0.005)
