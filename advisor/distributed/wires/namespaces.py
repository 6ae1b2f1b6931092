"""Network namespaces without a name: they exist as long as a process is in them or holds them open. Linux only."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import struct
from collections.abc import Iterator
from pathlib import Path

_NEW_USER = 0x10000000  # clone(2)
_NEW_NETWORK = 0x40000000
_SET_DUMPABLE = 4  # prctl(2)
_SET_INTERFACE = 0x400454CA  # TUNSETIFF of linux/if_tun.h
_TAP_WITHOUT_HEADER = 0x0002 | 0x1000


def enter_own() -> int | None:
    """Put this process, of one thread, into a network namespace of its own.

    Who may not make one gets a user namespace first, in which this process has all rights.

    Returns the open descriptor of that user namespace; None where none was needed. Raises OSError where the system allows
    neither.
    """
    with contextlib.suppress(PermissionError):
        _unshare(_NEW_NETWORK)
        _be_quiet()
        return None
    user, group = os.geteuid(), os.getegid()
    _unshare(_NEW_USER | _NEW_NETWORK)
    _libc().prctl(_SET_DUMPABLE, 1, 0, 0, 0)  # otherwise /proc does not show others what this process holds open
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    _be_quiet()
    return os.open("/proc/self/ns/user", os.O_RDONLY | os.O_CLOEXEC)


def new_network() -> int:
    """The open descriptor of a new network namespace. Raises OSError."""
    with _returning():
        _unshare(_NEW_NETWORK)
        _be_quiet()
        return _current()


@contextlib.contextmanager
def inside(network: int) -> Iterator[None]:
    """Let this thread, and every process that it starts, be in that namespace. Raises OSError."""
    with _returning():
        _enter(network)
        yield


def tap(network: int, name: str) -> int:
    """Make an interface in that namespace, whose frames come from and go to the descriptor that is returned, one a call.

    Reading does not wait. The interface is gone when the descriptor is closed. Raises OSError.
    """
    with inside(network):
        descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        fcntl.ioctl(descriptor, _SET_INTERFACE, struct.pack("16sH22x", name.encode(), _TAP_WITHOUT_HEADER))
    return descriptor


@contextlib.contextmanager
def _returning() -> Iterator[None]:
    before = _current()
    try:
        yield
    finally:
        _enter(before)
        os.close(before)


def _be_quiet() -> None:
    """Without IPv6, whose interfaces look for neighbours and routers by themselves."""
    with contextlib.suppress(OSError):  # there is none
        Path("/proc/sys/net/ipv6/conf/default/disable_ipv6").write_text("1")


def _current() -> int:
    return os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)


def _unshare(flags: int) -> None:
    if _libc().unshare(flags) != 0:
        raise _last_error()


def _enter(network: int) -> None:
    if _libc().setns(network, _NEW_NETWORK) != 0:
        raise _last_error()


def _last_error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
