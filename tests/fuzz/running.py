"""The real command line within this process: streams, folder, environment and signals are its own."""

from __future__ import annotations

import importlib
import os
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FunctionType
from unittest import mock

from advisor.cli import console, main
from advisor.knowledge.cache import knowledge_for

from .case import STATE, Case, Format
from .limits import LimitExceededError, Spent, limited
from .watching import watched

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_SOLVER = "z3"
"""Is not there: proofs take ten seconds."""


_ROOM = 1 << 16
"""Values of 8 bytes."""


@dataclass(frozen=True)
class Ran:
    """A command that has ended.

    Attributes:
        code: None where it ended otherwise than by leaving.
        raised: the traceback of what it raised instead.
        deeds: what it did that it must not.
    """

    code: int | None
    out: str
    err: str
    raised: str
    deeds: tuple[str, ...]
    spent: Spent


@cache
def rule_cache() -> Path:
    """One cache of the rule base for all cases, so that it is checked once."""
    return Path(tempfile.mkdtemp(prefix="advisor-fuzz-"))


@cache
def _fonts() -> None:
    """Let matplotlib look for fonts, which starts a process, once."""
    with mock.patch.dict(os.environ, {"MPLCONFIGDIR": str(rule_cache())}):
        importlib.import_module("matplotlib.font_manager")


def run(case: Case, folder: Path, format_: Format | None = None) -> Ran:
    """Run the command of a case whose files lie in `folder`/files."""
    starts_processes = format_ is not None and format_.starts_processes
    around = nullcontext() if format_ is None else format_.around()
    home, temporary = folder / "home", folder / "tmp"
    for private in (home, temporary):
        private.mkdir()
    (folder / "typed").write_text(case.typed, encoding="utf-8", errors="surrogateescape")
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "ADVISOR_CACHE": str(rule_cache()),
        "ADVISOR_STATE": str(folder / "files" / Path(STATE).parent),
        "MPLCONFIGDIR": str(rule_cache()),
        "COLUMNS": "100",
        "LANG": "C.UTF-8",
    }
    if "html" in case.command:
        _fonts()
    code, raised = None, ""
    with (
        around,
        _streams(folder) as errors,
        _surroundings(case.command, folder / "files", environment),
        limited(errors, str(folder)) as spent,
        watched(folder, rule_cache(), starts_processes=starts_processes) as seen,
    ):
        try:
            _with_room(main.main)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else None
        except LimitExceededError:
            pass
        except BaseException:
            raised = traceback.format_exc()
    if code == console.INTERRUPTED and not spent.exceeded:
        raise KeyboardInterrupt
    out, err = ((folder / name).read_text("utf-8", "backslashreplace") for name in ("stdout", "stderr"))
    return Ran(code, out, err, raised, tuple(seen.deeds), spent)


def _with_room(command: Callable[[], None]) -> None:
    """Call it with room for a thousand frames in one piece.

    CPython keeps frames in pieces of 16 KiB, and takes and gives back a piece whenever calls cross its end. Where a test
    happens to begin so deep that an inner loop does, that takes as long as all the rest. A larger frame gets a larger piece.
    """
    roomy = _call.__code__.replace(co_stacksize=_ROOM)
    FunctionType(roomy, globals())(command)


def _call(command: Callable[[], None]) -> None:
    command()


@contextmanager
def _streams(folder: Path) -> Iterator[int]:
    """Standard streams as files, for native code too. Gives a descriptor of the true stderr."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(number) for number in range(3)]
    old = sys.stdin, sys.stdout, sys.stderr
    modes = (("typed", os.O_RDONLY), ("stdout", os.O_WRONLY | os.O_CREAT), ("stderr", os.O_WRONLY | os.O_CREAT))
    for number, (name, mode) in enumerate(modes):
        file = os.open(folder / name, mode, 0o600)
        os.dup2(file, number)
        os.close(file)
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115
        for number, (mode, errors) in enumerate((("r", "surrogateescape"), ("w", "strict"), ("w", "backslashreplace")))
    )
    try:
        yield kept[2]
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError) as error:
                os.write(2, f"flush: {error}".encode())
        sys.stdin, sys.stdout, sys.stderr = old
        for number, file in enumerate(kept):
            os.dup2(file, number)
            os.close(file)


@contextmanager
def _surroundings(command: tuple[str, ...], folder: Path, environment: dict[str, str]) -> Iterator[None]:
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    here, bytecode = Path.cwd(), sys.dont_write_bytecode
    os.chdir(folder)
    console.warn_once.cache_clear()
    if "--rules" in command:
        knowledge_for.cache_clear()  # by the names of packs, which other cases have too
    sys.dont_write_bytecode = True
    solver = sys.modules.get(_SOLVER)
    sys.modules[_SOLVER] = None  # type: ignore[assignment]
    try:
        with (
            mock.patch.dict(os.environ, environment, clear=True),
            mock.patch.object(sys, "argv", ["advisor", *command]),
            mock.patch.object(socket, "gethostname", return_value=Path(STATE).name),
            mock.patch.object(tempfile, "tempdir", None),
        ):
            yield
    finally:
        sys.dont_write_bytecode = bytecode
        del sys.modules[_SOLVER]
        if solver is not None:
            sys.modules[_SOLVER] = solver
        os.chdir(here)
        for number, handler in handlers.items():
            signal.signal(number, handler)
