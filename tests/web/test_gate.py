"""Connections: those that are silent neither stop the server nor flood the terminal, and other users get none."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import os
import re
import resource
import select
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from advisor.web import gate, peers
from advisor.web.complaints import Complaints
from advisor.web.entrance import entrance
from advisor.web.guard import Guard
from advisor.web.peers import Peer
from advisor.web.server import listening
from tests.web.served import PATIENCE, Served

NOBODY = 65534
FEW_FILES = 64
as_root = pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="it takes root to be another user")


@contextlib.contextmanager
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Both ends of a connection: that of the client, that of the server."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname()) as client,
        listener.accept()[0] as server,
    ):
        yield client, server


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
def test_the_user_of_a_connection_is_known() -> None:
    with pair() as (_, server):
        assert peers.peer_of(server) is Peer.ADMITTED
        other = Peer.ADMITTED if os.geteuid() == 0 else Peer.STRANGER
        assert peers.peer_of(server, own=os.geteuid() + 1) is other


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
def test_a_connection_that_its_program_has_closed_is_dropped_without_a_complaint(
    capfd: pytest.CaptureFixture[str],
) -> None:
    async def run() -> None:
        async with listening(0) as guard:
            for _ in range(20):  # each is closed before the loop can accept it
                socket.create_connection(("127.0.0.1", guard.port)).close()
            kept = await asyncio.open_connection("127.0.0.1", guard.port)
            kept[1].write(b"GET / HTTP/1.0\r\n\r\n")
            assert await asyncio.wait_for(kept[0].read(), PATIENCE)
            kept[1].close()

    asyncio.run(run())
    assert "Another user" not in "".join(capfd.readouterr())


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
@pytest.mark.parametrize(
    ("uid", "inode", "found"),
    [(4711, 9, Peer.STRANGER), (0, 9, Peer.ADMITTED), (0, 0, Peer.CLOSED), (1000, 9, Peer.ADMITTED)],
)
@pytest.mark.parametrize("mapped", [False, True])
def test_a_stranger_is_one_of_another_number(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, uid: int, inode: int, found: Peer, mapped: bool
) -> None:
    with pair() as (_, server):
        client, own = (peers._written(one[:2])[mapped] for one in (server.getpeername(), server.getsockname()))
        line = f"  0: {client} {own} 01 00000000:00000000 00:00000000 00000000  {uid:>4}        0 {inode} 1 0 20 4 0 10 -1\n"
        (tmp_path / "tcp").write_text("" if mapped else line)
        (tmp_path / "tcp6").write_text(line if mapped else "")
        monkeypatch.setattr(peers, "_TABLES", (tmp_path / "tcp", tmp_path / "tcp6"))
        assert peers.peer_of(server, own=1000) is found


def test_what_no_table_tells_is_let_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(peers, "_TABLES", (tmp_path / "none", tmp_path / "none6"))
    with pair() as (_, server):
        assert peers.peer_of(server, own=4711) is Peer.ADMITTED


def test_the_same_complaint_is_made_once_a_minute() -> None:
    said: list[str] = []
    now = [0.0]
    complaints = Complaints(said.append, lambda: now[0])
    for second in range(150):
        now[0] = float(second)
        complaints.say("Too many.")
        complaints.logger().error("Unhandled", exc_info=None)
    assert said == [
        "Too many.\n", "Unhandled\n", "Too many. (59 more times before)\n", "Unhandled (59 more times before)\n",
        "Too many. (59 more times before)\n", "Unhandled (59 more times before)\n",
    ]  # fmt: skip
    complaints.of_loop(asyncio.new_event_loop(), {"message": "Lost.", "exception": OSError("gone")})
    assert said[-1] == "Lost: OSError: gone\n"


def test_a_file_leads_to_the_page_once_and_is_gone_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    guard = Guard(4321)
    with entrance(guard) as page:
        assert page.is_relative_to(tmp_path), "a browser from a snap does not see /tmp of this computer"
        assert not any(part.startswith(".") for part in page.relative_to(tmp_path).parts), "nor hidden folders"
        assert page.stat().st_mode & 0o777 == 0o600
        assert page.parent.stat().st_mode & 0o777 == 0o700
        text = page.read_text()
        assert guard.opening in text
        assert guard.token not in text
        assert guard.admits_once(urlsplit(guard.opening).path)
        assert not page.parent.exists()
    with entrance(guard) as unused:
        assert unused.exists()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no such rights there")
@pytest.mark.parametrize("home", ["missing", "everybody's"])
def test_the_file_is_a_temporary_one_where_the_home_folder_cannot_hold_it(
    home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "everybody's").mkdir()
    (tmp_path / "everybody's").chmod(0o777)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("HOME", str(tmp_path / home))
    with entrance(Guard(4321)) as page:
        assert page.is_relative_to(tmp_path / "temporary")
        assert page.stat().st_mode & 0o777 == 0o600
    assert list((tmp_path / "temporary").iterdir()) == []


def closed(connection: socket.socket) -> bool:
    """True once the other side has closed it; waits a while."""
    connection.settimeout(PATIENCE)
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def test_silent_and_slow_connections_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate.Gate.__init__, "__defaults__", (0.2,))
    monkeypatch.setattr(gate, "_SWEEP_SECONDS", 0.05)

    async def run() -> list[bool]:
        async with listening(0) as guard:
            silent, slow = (socket.create_connection(("127.0.0.1", guard.port)) for _ in range(2))
            slow.sendall(b"GET / HTTP/1.1\r\nHost: ")
            return [await asyncio.to_thread(closed, one) for one in (silent, slow)]

    assert asyncio.run(run()) == [True, True]


def test_where_there_are_too_many_the_most_silent_one_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.web.server.most_connections", lambda: 3)

    async def run() -> list[bool]:
        async with listening(0) as guard:
            many = []
            for _ in range(5):
                many.append(socket.create_connection(("127.0.0.1", guard.port)))
                await asyncio.sleep(0)
            first = [await asyncio.to_thread(closed, one) for one in many[:2]]
            return [*first, *(bool(select.select([one], [], [], 0)[0]) for one in many[2:])]

    assert asyncio.run(run()) == [True, True, False, False, False]


def test_few_files_make_few_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    def limited(count: int) -> int:
        monkeypatch.setattr(resource, "getrlimit", lambda _: (count, count))
        return gate.most_connections()

    assert limited(resource.RLIM_INFINITY) == limited(1_000_000) == gate.MOST_CONNECTIONS
    assert limited(10) == gate.FEWEST
    assert gate.FEWEST <= limited(FEW_FILES) < FEW_FILES // 2


def few_files() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (FEW_FILES, FEW_FILES))


def test_silent_connections_leave_room_for_a_window(tmp_path: Path) -> None:
    shell = f'ulimit -n {FEW_FILES}; exec "$@"'
    with Served(tmp_path, program=["/bin/sh", "-c", shell, "sh", *served_program()]) as served:
        silent = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(2 * FEW_FILES)]
        window = served.window()
        assert served.asked(served.path).status == 200
        code, _, err = served.ended(2)
        window.close()
        for one in silent:
            one.close()
    assert code == 130
    assert "Traceback" not in err
    assert len(err) < 5_000


def served_program() -> list[str]:
    from tests.cli.program import PROGRAM

    return [str(part) for part in PROGRAM]


def spied(port: int, path: str) -> tuple[list[str], bytes]:
    """Addresses of this server in arguments and environments that can be read, and its answer to a request with the token."""
    seen = []
    for place in (*Path("/proc").glob("[0-9]*/cmdline"), *Path("/proc").glob("[0-9]*/environ")):
        with contextlib.suppress(OSError):
            seen += re.findall(rf"127\.0\.0\.1:{port}/[^\0]*", place.read_text(errors="replace"))
    with (
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection,
        contextlib.suppress(ConnectionError),
    ):
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        return seen, connection.recv(100)
    return seen, b""


def as_nobody(port: int, path: str) -> tuple[list[str], bytes]:
    """The same as another user."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            os.write(writing, repr(spied(port, path)).encode())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as file:
        found: tuple[list[str], bytes] = ast.literal_eval(file.read().decode())
    return found


@as_root
def test_another_user_sees_no_secret_and_is_not_let_in(tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    told = f'echo "$1" > {tmp_path}/given.part && mv {tmp_path}/given.part {tmp_path}/given'
    browser.write_text(f"#!/bin/sh\n{told}\nwhile [ ! -e {tmp_path}/seen ]; do sleep 0.1; done\n")
    browser.chmod(0o700)
    with Served(tmp_path, "--open", BROWSER=str(browser), DISPLAY=":0") as served:
        given = tmp_path / "given"
        while not given.exists():  # pytest ends what never ends
            time.sleep(0.05)
        try:
            seen, answer = spied(served.port, served.path)  # first: what it imports, nobody may not read
            stranger = as_nobody(served.port, served.path)
        finally:
            (tmp_path / "seen").touch()  # the browser ends
    assert stranger == ([], b"")
    assert (seen, answer[:15]) == ([], b"HTTP/1.1 200 OK")
