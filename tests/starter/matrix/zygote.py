"""Runs programs of a project in processes that have their libraries already, and sends them signals at exact instants.

It needs nothing but the standard library, so that the Python of any environment can run it. Each line that it reads is
a request in JSON, each that it writes an answer. An instant is a line of code: the n-th one that a program executes in the
functions that change files or count steps, whatever the time is.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import runpy
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

LIBRARIES = ("numpy", "torch", "polars", "PIL.Image")
CHANGING = {
    "save", "replacing", "put_aside", "judge",
    "begin", "save_or_stop", "report", "restore", "run_to_the_end", "train_epoch", "closing", "held",
    "train", "work", "keep", "add", "close", "draw_curves", "evaluate", "take_step", "note_line",
}  # fmt: skip
"""Functions of a project in which a stop may come at an awkward moment."""
OWN = {"train.py", "checkpoints.py", "metrics.py", "progress.py", "curves.py", "stopping.py", "strategies.py"}


class Instants:
    """Counts lines of code, notes where they are, and sends a signal at one of them."""

    def __init__(self, folder: str, at: int | None, number: int) -> None:
        self.folder, self.at, self.number = folder, at, number
        self.listens = False  # until then the program is being loaded, and no signal means anything to it
        self.places: list[str] = []

    def trace(self, frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
        code = frame.f_code
        name = code.co_filename.rpartition("/")[2]
        self.listens = self.listens or (name == "stopping.py" and code.co_name == "__enter__")
        if (
            not self.listens
            or code.co_name not in CHANGING
            or name not in OWN
            or not code.co_filename.startswith(self.folder)
        ):
            return None
        return self._line

    def _line(self, frame: FrameType, event: str, _: Any) -> Callable[..., Any]:
        if event == "line":
            self.places.append(f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}")
            if len(self.places) - 1 == self.at:
                signal.raise_signal(self.number)
        return self._line


def run(request: dict[str, Any]) -> int:
    """The exit status that the program would have."""
    os.chdir(request["folder"])
    os.environ.update(request.get("environment", {}))
    folder = str(Path.cwd())
    sys.path.insert(0, folder)
    sys.argv = request["arguments"]
    said = os.open(request["said"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(said, 1)
    os.dup2(said, 2)
    sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
    sys.stdin = open(os.devnull)  # noqa: SIM115, PTH123
    instants = Instants(folder, request.get("at"), request.get("signal", 0))
    if "at" in request:
        threading.settrace(instants.trace)
        sys.settrace(instants.trace)
    try:
        runpy.run_path(os.path.join(folder, sys.argv[0]), run_name="__main__")  # noqa: PTH118
        status = 0
    except SystemExit as ended:
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
        status = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    except KeyboardInterrupt:
        traceback.print_exc()
        status = 130
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.settrace(None)
    if "places" in request:
        Path(request["places"]).write_text(json.dumps(instants.places))
    Path(request["said"]).with_suffix(".modules").write_text("\n".join(foreign(folder)))
    sys.stdout.flush()
    sys.stderr.flush()
    return status


def foreign(folder: str) -> list[str]:
    """Modules that were imported and are no part of the project."""
    return [
        name
        for name, one in sys.modules.items()
        if not str(getattr(one, "__file__", None) or folder).startswith(folder)
    ]


def main() -> None:
    for name in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    with contextlib.suppress(KeyError):
        sys.modules["torch"].set_num_threads(1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            os._exit(run(json.loads(line)))
        _, ended = os.waitpid(child, 0)
        needed = Path(json.loads(line)["said"]).with_suffix(".modules")
        if needed.exists():
            for name in needed.read_text().splitlines():
                if name not in sys.modules:
                    with contextlib.suppress(Exception):
                        importlib.import_module(name)  # so that the next process has it already
            needed.unlink()
        status = os.waitstatus_to_exitcode(ended)
        sys.stdout.write(json.dumps(128 - status if status < 0 else status) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
