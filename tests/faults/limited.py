"""Runs something on a disk that takes so many bytes of each file and no more: a real fault, for which nobody needs to be root."""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def disk_full_after(count: int) -> Iterator[None]:
    """Let every file be at most so many bytes long; the system refuses the next one (EFBIG)."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # Python 3.11 keeps half of it
    resource.setrlimit(resource.RLIMIT_FSIZE, (count, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        sys.dont_write_bytecode = bytecode
