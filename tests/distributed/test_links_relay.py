"""The switch that holds frames, with sockets in place of interfaces; nothing of it needs a privilege."""

import os
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from advisor.distributed.wires.relay import Port, relay

CARDS = [bytes((2, 0, 0, 0, 0, number)) for number in (1, 2, 3)]
EVERYBODY = b"\xff" * 6
LATENCY = 0.03


class Switch:
    """Three ports, and the other ends of what they read and write."""

    def __init__(self, seconds_per_byte: float = 0.0, most_bytes: int = 1_000_000) -> None:
        pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in CARDS]
        self.ends = [end for end, _ in pairs]
        self._inner = [inner for _, inner in pairs]
        for end, inner in pairs:
            inner.setblocking(False)
            end.settimeout(2.0)
        ports = [
            Port(inner.fileno(), card, seconds_per_byte, most_bytes)
            for inner, card in zip(self._inner, CARDS, strict=True)
        ]
        reading, self._writing = os.pipe()
        self._thread = threading.Thread(target=relay, args=(ports, LATENCY, 2000, reading))
        self._thread.start()

    def close(self) -> None:
        os.close(self._writing)
        self._thread.join(2)
        assert not self._thread.is_alive()
        for one in (*self.ends, *self._inner):
            one.close()


@pytest.fixture
def switch(request: pytest.FixtureRequest) -> Iterator[Switch]:
    made = Switch(**getattr(request, "param", {}))
    yield made
    made.close()


def nothing_comes(end: socket.socket) -> bool:
    end.settimeout(0.05)
    try:
        end.recv(2000)
    except TimeoutError:
        return True
    return False


def test_a_frame_comes_after_the_latency_and_only_to_whom_it_is_addressed(switch: Switch) -> None:
    begun = time.monotonic()
    switch.ends[0].send(CARDS[2] + b"hello")
    assert switch.ends[2].recv(2000) == CARDS[2] + b"hello"
    assert LATENCY <= time.monotonic() - begun < LATENCY + 1
    assert nothing_comes(switch.ends[0])
    assert nothing_comes(switch.ends[1])


def test_a_question_to_everybody_comes_to_all_others(switch: Switch) -> None:
    switch.ends[0].send(EVERYBODY + b"who?")
    assert [end.recv(2000) for end in switch.ends[1:]] == [EVERYBODY + b"who?"] * 2
    assert nothing_comes(switch.ends[0])


@pytest.mark.parametrize("switch", [{"seconds_per_byte": 1e-5}], indirect=True)
def test_frames_of_two_senders_share_the_link_of_the_receiver(switch: Switch) -> None:
    begun = time.monotonic()
    for sender in (0, 1):
        for number in range(5):
            switch.ends[sender].send(CARDS[2] + bytes((sender, number)) + bytes(992))
    got = [switch.ends[2].recv(2000)[6:8] for _ in range(10)]
    assert time.monotonic() - begun >= LATENCY + 10 * 1000 * 1e-5
    assert [frame for frame in got if frame[0] == 0] == [bytes((0, number)) for number in range(5)]
    assert [frame for frame in got if frame[0] == 1] == [bytes((1, number)) for number in range(5)]


@pytest.mark.parametrize("switch", [{"seconds_per_byte": 1e-5, "most_bytes": 3000}], indirect=True)
def test_what_comes_beyond_the_queue_is_lost(switch: Switch) -> None:
    for number in range(10):
        switch.ends[0].send(CARDS[1] + bytes((number,)) + bytes(993))
    assert [switch.ends[1].recv(2000)[6] for _ in range(3)] == [0, 1, 2]
    assert nothing_comes(switch.ends[1])
