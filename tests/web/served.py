"""`advisor serve` as a shell would start it, and the wizards that it has started."""

from __future__ import annotations

import http.client
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

import psutil

from tests.cli.program import PROGRAM, environment

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0
"""Seconds that anything may take before a test gives up: machines of tests are busy."""
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}


def heed_signals() -> None:
    """As in a terminal, wherever the tests were started: what ignores signals, such as nohup, hands that on."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


class Served:
    """Started on entering, in `folder`, where it also remembers things; ended on leaving."""

    def __init__(self, folder: Path, *arguments: str, program: Sequence[str] = PROGRAM, **variables: str) -> None:
        self.folder = folder
        self._program = program
        self._arguments = arguments or ("--no-browser",)
        self._variables = {"ADVISOR_STATE": str(folder / "state"), "PYTHONPATH": str(ROOT), **variables}

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(
            [*self._program, "serve", *self._arguments],
            env=environment(**self._variables),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            preexec_fn=heed_signals,  # noqa: PLW1509 - nothing else runs here
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        parts = urlsplit(self.address)
        assert parts.port, self.process.stderr
        self.port, self.path = parts.port, parts.path
        self.own = f"127.0.0.1:{self.port}"
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.ended(signal.SIGINT)

    def ended(self, by: signal.Signals) -> tuple[int, str, str]:
        """Exit status and what it has written since its address, after this signal."""
        self.process.send_signal(by)
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err

    def wizards(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children()

    def window(self) -> http.client.HTTPResponse:
        """A websocket as our page opens it, with the wizard behind it, which has begun to draw."""
        answer = self.asked(f"{self.path}window", **UPGRADE, Origin=f"http://{self.own}")
        assert answer.status == 101
        assert len(answer.fp.read(32)) == 32, "its wizard draws"
        return answer

    def asked(self, path: str, **headers: str | None) -> http.client.HTTPResponse:
        """The answer to a request with these headers, its body not read yet."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.putrequest("GET", path, skip_host=True)
        for name, value in {"Host": self.own, **headers}.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders()
        return connection.getresponse()


def gone(processes: list[psutil.Process]) -> bool:
    """Waits until none of these is alive."""
    deadline = time.monotonic() + PATIENCE
    while any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in processes):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def without(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The program where this module is not installed, run to its end."""
    code = f"import sys, runpy; sys.modules[{module!r}] = None; sys.argv = ['advisor', *{list(arguments)!r}]; "
    return subprocess.run(
        [sys.executable, "-c", f"{code}runpy.run_module('advisor', run_name='__main__')"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
