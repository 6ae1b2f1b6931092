"""A child never outlives its parent, and is the first to go when memory runs out."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

_PR_SET_PDEATHSIG = 1  # prctl(2)
_PR_SET_CHILD_SUBREAPER = 36  # prctl(2)
_MOST_ROUNDS = 1000
"""In each, all processes that are left are ended, and those that they had started come to light."""
_ROUND_SECONDS = 0.005
_SCRATCH = 65536
_MPOL_BIND = 2  # set_mempolicy(2)
_SET_MEMPOLICY = {"x86_64": 238, "aarch64": 237}
"""Numbers of the system call set_mempolicy, which the C library does not offer."""


def die_with(parent: int) -> None:
    """End this process when the parent dies: the kernel sees to it on Linux.

    A parent that died before the kernel was asked is seen by the number of the new one.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def begin() -> int:
    """The first act of a child: it is tied to its parent, whose number is its last argument.

    Returns the descriptor for its answers: what a library prints goes to the standard error, and not among them.
    """
    die_with(int(sys.argv[-1]))
    be_first_to_go()
    answers = os.dup(1)
    os.dup2(2, 1)
    return answers


def hide_input() -> int:
    """Give code of others nothing to read from the standard input, for which it could wait; returns where our own goes on."""
    ours = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return ours


def keep_family(parent: int) -> None:
    """Go on in a process of its own, and end all that it starts when it ends, whatever session that has moved to (Linux).

    Code of others can start a process that lives on without a parent. The kernel gives it to the one that stays behind
    here, which ends it: once the code is done, or when the parent dies.
    """
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    keeper = os.getpid()
    worker = os.fork()
    if worker == 0:
        die_with(keeper)
        return
    status = 1 << 8
    try:
        signal.signal(signal.SIGTERM, lambda *_: _end_family(1 << 8))
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() == parent:
            _, status = os.waitpid(worker, 0)
    finally:
        _end_family(status)


def _end_family(status: int) -> None:
    """End all processes below this one, then this one, as the one with this status has ended."""
    for _ in range(_MOST_ROUNDS):
        for process in _children(os.getpid()):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            break
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 1)


def end_strays(folder: Path | None) -> None:
    """End all processes that inherit this folder for temporary files (Linux): whoever kept them together is gone."""
    if folder is None or sys.platform != "linux":
        return
    mark = f"\0TMPDIR={folder}\0".encode()
    untold: set[int] = set()
    for _ in range(_MOST_ROUNDS):
        environments = {process: _environment(process) for process in _processes()}
        strays = [process for process, environment in environments.items() if mark in environment]
        for process in strays:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        before, untold = untold, {process for process, environment in environments.items() if not environment}
        if (
            not strays and untold <= before
        ):  # one that ended meanwhile can have started another, which was not listed yet
            return
        time.sleep(_ROUND_SECONDS)


def _environment(process: int) -> bytes:
    """With which a process was started; empty once it has ended, and for processes of others."""
    with contextlib.suppress(OSError):
        told = Path(f"/proc/{process}/environ").read_bytes()
        return b"\0" + told if told else b""
    return b""


def _processes() -> list[int]:
    return [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit()]


def _children(parent: int) -> list[int]:
    """Processes whose parent this is, by proc(5)."""
    found = []
    for process in _processes():
        with contextlib.suppress(OSError, ValueError, IndexError):
            if int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(process)
    return found


def write(descriptor: int, data: bytes) -> None:
    """The whole of it, however little the pipe takes at once."""
    while data:
        data = data[os.write(descriptor, data) :]


def die_when_closed(descriptor: int) -> None:
    """End this process when the other end of the pipe is closed, on any system."""

    def wait() -> None:
        with contextlib.suppress(OSError):
            while os.read(descriptor, _SCRATCH):
                pass
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def bind(processors: Sequence[int] | None, memory_node: int | None) -> None:
    """Bind this process to hardware threads and to the memory of one NUMA node, before it takes any.

    Raises OSError where the system refuses.
    """
    if processors is not None:
        os.sched_setaffinity(0, processors)
    if memory_node is not None:
        mask = ctypes.c_ulong(1 << memory_node)
        libc = ctypes.CDLL(None, use_errno=True)
        number = _SET_MEMPOLICY.get(platform.machine())
        if number is None:
            raise OSError(errno.ENOSYS, f"processors of the kind {platform.machine()} cannot be bound to memory yet")
        if libc.syscall(number, _MPOL_BIND, ctypes.byref(mask), ctypes.c_ulong(8 * ctypes.sizeof(mask))) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def be_first_to_go() -> None:
    """Ask Linux to end this process rather than any other when memory runs out (proc(5), oom_score_adj)."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
