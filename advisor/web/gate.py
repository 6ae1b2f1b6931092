"""The gate of the server: how many connections may be open, how long one may be silent, and who may make one."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web

from advisor.web.complaints import Complaints
from advisor.web.peers import Peer, peer_of

SILENT_SECONDS = 5.0
"""For the first request of a connection, and between two of them."""
MOST_CONNECTIONS = 200
KEPT_FREE, SHARE, FEWEST = 24, 2, 4
"""Files that stay free for windows, the share of the others that connections may take, and the fewest of these."""
_SWEEP_SECONDS, _LAG_SECONDS, _PAUSE_SECONDS = 1.0, 3.0, 1.0


def most_connections() -> int:
    """As many as the limit of open files allows, at most `MOST_CONNECTIONS`."""
    if sys.platform == "win32":
        return MOST_CONNECTIONS
    import resource

    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if limit == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    try:
        used = sum(1 for _ in Path("/proc/self/fd").iterdir())
    except OSError:
        used = 20
    return min(MOST_CONNECTIONS, max(FEWEST, (limit - used - KEPT_FREE) // SHARE))


class Gate:
    """Accepts connections for a server. One that is silent makes room for a new one, and is closed after a while."""

    def __init__(self, server: web.Server, complaints: Complaints, most: int, silent: float = SILENT_SECONDS) -> None:
        self._server = server
        self._complaints = complaints
        self._most = most
        self._silent = silent
        self._waiting: dict[asyncio.BaseTransport, float] = {}
        """Connections that ask for nothing now, and since when; the one that has waited longest first."""

    @contextlib.contextmanager
    def answering(self, transport: asyncio.BaseTransport | None) -> Iterator[None]:
        """While a request is answered, its connection may take its time."""
        if transport is None:
            yield
            return
        self._waiting.pop(transport, None)
        try:
            yield
        finally:
            if not transport.is_closing():
                self._waiting[transport] = asyncio.get_running_loop().time()

    @asynccontextmanager
    async def open(self, bound: socket.socket) -> AsyncIterator[None]:
        """Let connections in until this is left."""
        bound.setblocking(False)
        bound.listen(128)
        tasks = [asyncio.create_task(work) for work in (self._accept(bound), self._sweep())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            bound.close()

    async def _accept(self, bound: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, _ = await loop.sock_accept(bound)
            except OSError as error:  # too many open files, of this process or of all
                self._complaints.say(f"A connection cannot be accepted: {error.strerror}.")
                self._make_room()
                await asyncio.sleep(_PAUSE_SECONDS)
                continue
            with contextlib.suppress(OSError):  # it may be gone already
                await self._let_in(connection, loop)

    async def _let_in(self, connection: socket.socket, loop: asyncio.AbstractEventLoop) -> None:
        peer = peer_of(connection)
        if peer is not Peer.ADMITTED:
            if peer is Peer.STRANGER:
                self._complaints.say("Another user of this computer has asked for the page, and was refused.")
            connection.close()
            return
        if len(self._server.connections) >= self._most and not self._make_room():
            self._complaints.say(f"There are {self._most} connections already; further ones are refused.")
            connection.close()
            return
        transport, _ = await loop.connect_accepted_socket(self._server, connection)
        self._waiting[transport] = loop.time()

    def _make_room(self) -> bool:
        """Close the connection that has been silent for longest. False if none is."""
        while self._waiting:
            transport = next(iter(self._waiting))
            del self._waiting[transport]
            if not transport.is_closing():
                _abort(transport)
                return True
        return False

    async def _sweep(self) -> None:
        loop = asyncio.get_running_loop()
        before = loop.time()
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            now, lag = loop.time(), 0.0
            if now - before > _LAG_SECONDS:  # this process was stopped or slow, not they
                lag = now - before
            before = now
            for transport, since in list(self._waiting.items()):
                if transport.is_closing():
                    del self._waiting[transport]
                elif lag:
                    self._waiting[transport] = since + lag
                elif now - since > self._silent:
                    del self._waiting[transport]
                    _abort(transport)


_Abort = Callable[[], None]


def _abort(transport: asyncio.BaseTransport) -> None:
    abort: _Abort = transport.abort if isinstance(transport, asyncio.WriteTransport) else transport.close
    abort()
