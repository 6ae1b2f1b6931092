"""A window of the browser and the process behind it, which speak by the protocol of textual-serve."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import Process
from pathlib import Path

from aiohttp import web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from advisor.children import temporary
from advisor.children.command import module_command, start_here
from advisor.machine.state import StateError, set_up_apart

GRACE_SECONDS = 10.0
"""For a wizard to end what it measures once its window is closed; then it is ended."""
_TERMINAL = {
    "TERM": "xterm-256color",
    "TEXTUAL_COLOR_SYSTEM": "truecolor",
    "TEXTUAL_FPS": "60",
}


class Window(AppService):
    """A wizard in a process of its own, with a folder of its own for temporary files. It ends when its input does, so also
    when this server is killed."""

    def __init__(
        self, socket: web.WebSocketResponse, downloads: DownloadManager, arguments: tuple[str, ...] = ()
    ) -> None:
        """
        Args:
            arguments: of the wizard, beyond those that every window has.
        """

        async def write_bytes(data: bytes) -> None:
            with contextlib.suppress(
                ConnectionError
            ):  # the window is gone: its wizard is heard to the end all the same
                await socket.send_bytes(data)

        async def write_text(text: str) -> None:
            with contextlib.suppress(ConnectionError):
                await socket.send_str(text)

        async def close() -> None:
            await socket.close()

        super().__init__("", write_bytes=write_bytes, write_str=write_text, close=close, download_manager=downloads)
        self._arguments = arguments
        self._closing = contextlib.ExitStack()

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        folder = self._closing.enter_context(temporary.temporary_folder())
        size = {"COLUMNS": str(width), "ROWS": str(height)}
        variables = {**_TERMINAL, **size, **temporary.variables(folder), "ADVISOR_STATE": str(_state(folder))}
        command = module_command("advisor", variables, arguments=("wizard", "--window", *self._arguments))
        self._process = process = await start_here(command)
        self._stdin = process.stdin
        return process

    async def run(self) -> None:
        """Pass on what the wizard draws, and close the window when it has ended, in whatever way."""
        try:
            await super().run()
        finally:
            await self.remote_close()

    async def stop(self) -> None:
        """End the wizard, in order or after a while by force, and wait until it is gone."""
        with self._closing:
            if self._process is None or self._task is None:
                return
            await self._download_manager.cancel_app_downloads(self.app_service_id)
            self.stdin.close()
            try:
                await asyncio.wait_for(self._process.wait(), GRACE_SECONDS)
            except TimeoutError:
                _kill(self._process)
                await self._process.wait()
            await self._task
            self._task = None


def _state(folder: Path) -> Path:
    """A memory of its own for its conversation; where that of this host cannot be used, it begins empty."""
    base = folder / "state"
    with contextlib.suppress(StateError):
        set_up_apart(base)
    return base


def _kill(process: Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
