"""Locks on open files and folders, which end with the process that holds them."""

from __future__ import annotations


def try_lock(descriptor: int) -> bool:
    """Lock what is open; False while somebody else holds the lock. Closing the descriptor gives it back.

    Raises OSError where there are no such locks: on Windows, and on some network file systems.
    """
    try:
        import fcntl  # Windows has none
    except ImportError as error:
        raise OSError("there are no locks") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
