"""The server of `advisor serve`: one page, a websocket and a wizard for each window, and downloads of what they export."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote

import textual_serve
from aiohttp import WSCloseCode, WSMsgType, web
from textual_serve import download_manager

from advisor.errors import input_error
from advisor.web.complaints import Complaints
from advisor.web.gate import Gate, most_connections
from advisor.web.guard import HOST, Guard
from advisor.web.window import GRACE_SECONDS, Window

_PAGE = Path(__file__).with_name("page")
_TERMINAL = Path(textual_serve.__file__).with_name("static")
FILES = {
    "": _PAGE / "page.html",
    "page.css": _PAGE / "page.css",
    "page.js": _PAGE / "page.js",
    "xterm.css": _TERMINAL / "css" / "xterm.css",
    "textual.js": _TERMINAL / "js" / "textual.js",
}
"""All that the page consists of, by the end of its address."""
MOST_CELLS = 1000
"""Of a window, in either direction."""
_HEARTBEAT_SECONDS = 15.0
"""After which a window that answers no more is taken for closed."""
download_manager.DOWNLOAD_TIMEOUT = 120
"""Seconds for a piece of a file. textual-serve breaks a download off where a busy wizard needs longer than four."""
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class WizardServer:
    """Serves as long as `listening` is entered; `guard` knows its address."""

    def __init__(self, port: int, arguments: tuple[str, ...] = ()) -> None:
        self.arguments = arguments
        self.guard = Guard(port)
        self.complaints = Complaints()
        self.gate: Gate | None = None
        """Set while it is open."""
        self._downloads = download_manager.DownloadManager()
        self._open: set[web.WebSocketResponse] = set()

    def application(self) -> web.Application:
        app = web.Application(middlewares=[self._guarded])
        for name in FILES:
            app.router.add_get(f"/{{token}}/{name}", self._file)
        app.router.add_get("/{token}/window", self._window)
        app.router.add_get("/{token}/download/{key}", self._download)
        app.on_response_prepare.append(self._prepared)
        app.on_shutdown.append(self._close_windows)
        return app

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if self.gate is None:
            return await self._answered(request, handler)
        with self.gate.answering(request.transport):
            return await self._answered(request, handler)

    async def _answered(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        headers, is_socket = request.headers, request.path.endswith("/window")
        once = f"/{self.guard.token}/" if self.guard.admits_once(request.path) else ""
        why = self.guard.refusal(
            headers.getall("Host", []), headers.getall("Origin", []), once or request.path, socket=is_socket
        )
        if why:
            refused = web.Response(status=403, text=f"{why}\n")
            refused.force_close()
            return refused
        if once:
            return web.Response(status=303, headers={"Location": once})
        return await handler(request)

    async def _prepared(self, request: web.Request, response: web.StreamResponse) -> None:
        """Let the page load from here alone, stand in no other page, tell nobody its address, and leave no copy."""
        policy = (
            "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
            f"connect-src 'self' ws://{HOST}:{self.guard.port} ws://localhost:{self.guard.port}; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )  # the terminal makes its own style sheets; they can load nothing
        response.headers.update(
            {
                "Content-Security-Policy": policy,
                "Referrer-Policy": "no-referrer",
                "X-Frame-Options": "DENY",
                "X-Content-Type-Options": "nosniff",
                "Cross-Origin-Opener-Policy": "same-origin",
                "Cross-Origin-Resource-Policy": "same-origin",
                "Cache-Control": "no-store",
            }
        )

    async def _file(self, request: web.Request) -> web.StreamResponse:
        return web.FileResponse(FILES[request.path.rpartition("/")[2]])

    async def _download(self, request: web.Request) -> web.StreamResponse:
        """Send a file that a wizard delivers: its key is a secret of that window, and good for once."""
        key = request.match_info["key"]
        try:
            found = await self._downloads.get_download_metadata(key)
        except KeyError:
            return web.Response(status=404, text="This file was downloaded already, or its window is closed.\n")
        response = web.StreamResponse()
        response.content_type = "application/octet-stream"
        response.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(found.file_name, safe='')}"
        await response.prepare(request)
        async for chunk in self._downloads.download(key):
            await response.write(chunk)
        await response.write_eof()
        return response

    async def _window(self, request: web.Request) -> web.StreamResponse:
        websocket = web.WebSocketResponse(heartbeat=_HEARTBEAT_SECONDS)
        await websocket.prepare(request)
        window = Window(websocket, self._downloads, self.arguments)
        self._open.add(websocket)
        try:
            await window.start(_cells(request.query.get("width"), 80), _cells(request.query.get("height"), 24))
            async for message in websocket:
                if message.type != WSMsgType.TEXT or not await _heard(message.data, window, websocket):
                    break
        except OSError as error:  # too many open files or processes
            self.complaints.say(f"A window cannot be opened: {error.strerror or type(error).__name__}.")
        finally:
            self._open.discard(websocket)
            await window.stop()
            await websocket.close()
        return websocket

    async def _close_windows(self, app: web.Application) -> None:
        for websocket in tuple(self._open):
            await websocket.close(code=WSCloseCode.GOING_AWAY, message=b"The server has ended.")


async def _heard(text: str, window: Window, websocket: web.WebSocketResponse) -> bool:
    """Pass on what the page says to its wizard; False if no page of ours would say it."""
    try:
        match json.loads(text):
            case ["stdin", str(typed)]:
                await window.send_bytes(typed.encode(errors="replace"))
            case ["resize", {"width": int(width), "height": int(height)}]:
                await window.set_terminal_size(_cells(width, 80), _cells(height, 24))
            case ["focus"]:
                await window.focus()
            case ["blur"]:
                await window.blur()
            case ["ping", str(said)]:
                await websocket.send_json(["pong", said])
            case _:
                return False
    except (ValueError, RecursionError, ConnectionError):
        return False
    return True


def _cells(said: object, otherwise: int) -> int:
    try:
        return min(max(int(str(said)), 1), MOST_CELLS)
    except ValueError:
        return otherwise


@asynccontextmanager
async def listening(port: int, arguments: tuple[str, ...] = ()) -> AsyncIterator[Guard]:
    """Serve on the loopback interface until this is left; then every window is closed, and its process gone.

    Args:
        port: 0 for any that is free.
        arguments: of each wizard, such as `--set=data.modality=image`.

    Raises:
        InputError: the port is taken, or is not for everybody.
    """
    with _bound(port) as bound:
        server = WizardServer(bound.getsockname()[1], arguments)
        runner = web.AppRunner(
            server.application(), access_log=None, shutdown_timeout=GRACE_SECONDS + 5, logger=server.complaints.logger()
        )
        await runner.setup()
        assert runner.server is not None  # noqa: S101 - it was set up
        loop, before = asyncio.get_running_loop(), asyncio.get_running_loop().get_exception_handler()
        loop.set_exception_handler(server.complaints.of_loop)
        try:
            server.gate = Gate(runner.server, server.complaints, most_connections())
            async with server.gate.open(bound):
                yield server.guard
        finally:
            await runner.cleanup()
            loop.set_exception_handler(before)


def _bound(port: int) -> socket.socket:
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # elsewhere this would share the port with another program
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((HOST, port))
    except OSError as error:
        bound.close()
        what = "another program uses it" if error.errno == errno.EADDRINUSE else (error.strerror or "it cannot be used")
        remedy = "Name another port, or leave --port out: then a free one is taken."
        raise input_error("The port cannot be used", what, where=f"--port {port}", remedy=remedy) from error
    return bound
