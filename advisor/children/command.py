"""The command and the environment of every process that this program starts, built in one place.

A process of ours must not run or read files only because they lie in the current folder, which may hold anything: a
downloaded data set with a `torch.py` in it, say. So no process gets that folder, by none of the ways that lead there:

- as its own current folder: it is given a private one, where libraries look for `matplotlibrc` and the like, and where
  `python -c` looks for modules, by which torch and multiprocessing start processes of their own (only a wizard behind a
  window of a browser has it, as one in a terminal has: people name files from there);
- as the first place of modules: `-P` for itself, PYTHONSAFEPATH for all that it starts;
- as an empty or relative entry of a search path (`PYTHONPATH=:/opt/lib` names the current folder): of modules,
  programs, shared libraries, or of what a compiler takes, since torch.compile starts one.

Of the variables of Python those of `MEANT` are passed on. Others are meant for the command that a user typed, not for
processes that it starts: PYTHONINSPECT would keep them waiting, PYTHONSTARTUP, PYTHONBREAKPOINT and PYTHONWARNINGS name
code to be run or imported, PYTHONVERBOSE, PYTHONPROFILEIMPORTTIME, PYTHONDEVMODE and PYTHONMALLOC slow down what is
measured or fill the last words of a process that failed.

The interpreter of the program itself has read its environment before a line of ours runs: what an empty entry of
PYTHONPATH makes of `sitecustomize` there, nobody can undo.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio.subprocess import Process

SEARCH_PATHS = frozenset(
    {
        *("PYTHONPATH", "PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"),
        *("COMPILER_PATH", "LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"),
    }
)
"""Lists of folders in which an empty entry means the current one: absolute entries are passed on."""
FOLDERS = frozenset({"PYTHONHOME", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX"})
"""Of Python: passed on where they are absolute."""
MEANT = frozenset(
    {
        *("PYTHONPATH", "PYTHONPLATLIBDIR", "PYTHONNOUSERSITE"),  # with FOLDERS: where packages are
        *("PYTHONDONTWRITEBYTECODE", "PYTHONUTF8", "PYTHONCOERCECLOCALE"),  # what is written, and how names are read
        *("PYTHONHASHSEED", "PYTHONINTMAXSTRDIGITS", "PYTHON_CPU_COUNT", "PYTHON_GIL"),  # what is computed, and how
    }
)
_ALONE = Path(__file__).with_name("alone.py")
_NOTHING: Mapping[str, str | None] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Command:
    """A program with its arguments, and all variables of its environment."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str]


def _is_alone() -> bool:
    """True where this very process runs in a Python that does not have this package: see `alone`."""
    return getattr(sys.modules.get("advisor"), "__file__", None) is None


def module_command(
    module: str,
    variables: Mapping[str, str | None] = _NOTHING,
    *,
    arguments: Sequence[str] = (),
    instead: Sequence[str] | None = None,
) -> Command:
    """The command that runs a module as a process of ours, with our own environment but for what leads astray.

    Args:
        variables: changed in the environment; None takes one away.
        instead: another program with its arguments, in the same environment.
    """
    if instead is None and _is_alone():
        return own_module_command(module, variables=variables)
    own = (sys.executable, "-P", "-m", module, *arguments)
    return Command(own if instead is None else tuple(instead), _isolated(os.environ, variables))


def own_module_command(
    module: str, python: Path | str | None = None, variables: Mapping[str, str | None] = _NOTHING
) -> Command:
    """The command that runs a module of ours in somebody's own Python, or in this one, with nothing beside this package.

    It is given no -P, which Python before 3.11 does not know: see `alone`.
    """
    interpreter = str(Path(python).absolute()) if python else sys.executable  # not resolved: that leaves its venv
    return Command((interpreter, str(_ALONE), module), _isolated(os.environ, variables))


def program_command(path: str, *arguments: str) -> Command:
    """The command that runs a program of the system, named by its whole path so that nothing else has its name."""
    return Command((path, *arguments), _isolated(os.environ, _NOTHING))


def start(
    started: Command,
    *,
    folder: Path | None = None,
    errors: int | None = None,
    session: bool = False,
) -> subprocess.Popen[bytes]:
    """Start a process of ours with pipes to its input and from its output; the number of this process is its last argument,
    for `guard.begin`. Raises OSError.

    Args:
        folder: its current one; that of this process if None.
        errors: subprocess.PIPE for its standard error, or None to share that of this process.
        session: give it a session of its own, and so a process group.
    """
    return subprocess.Popen(
        [*started.arguments, str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        bufsize=0,
        cwd=folder,
        env=dict(started.environment),
        start_new_session=session,
    )


async def start_here(started: Command) -> Process:
    """Start a program of ours that somebody works with, in the current folder, which they name files from; it is a session
    of its own, so Ctrl-C in the terminal is not for it. All three pipes are to be read. Raises OSError."""
    import asyncio  # 40 ms

    return await asyncio.create_subprocess_exec(
        *started.arguments,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(started.environment),
        start_new_session=True,
    )


def answer(asked: Command, seconds: float) -> str | None:
    """The output of a program that needs no watching; None where it is missing, fails, or does not end in time."""
    try:
        done = subprocess.run(
            asked.arguments,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=True,
            cwd=os.sep,
            env=dict(asked.environment),
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode(errors="replace").strip() or None


def _isolated(inherited: Mapping[str, str], variables: Mapping[str, str | None]) -> dict[str, str]:
    kept = {"PYTHONSAFEPATH": "1"}
    for name, value in {**inherited, **variables}.items():
        if value is None or (name.startswith("PYTHON") and name not in MEANT | FOLDERS):
            continue
        if name in FOLDERS and not _absolute(value):
            continue
        if name in SEARCH_PATHS:
            value = os.pathsep.join(filter(_absolute, value.split(os.pathsep)))
        if value or name not in SEARCH_PATHS:
            kept[name] = value
    return kept


def _absolute(path: str) -> bool:
    return Path(path).is_absolute()
