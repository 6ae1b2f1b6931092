"""Native libraries kept from the terminal: what goes wrong within them is raised, and told by us."""

from __future__ import annotations

import faulthandler
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def native_silence() -> Iterator[None]:
    """Drop what libtiff, or a thread of polars that breaks off, writes to stderr meanwhile.

    Only in the main thread: where a screen is drawn, data are read in another one, and the screen is drawn on stderr.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    try:
        kept = os.dup(2)
    except OSError:  # it is closed
        yield
        return
    try:
        sys.stderr.flush()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
        with _last_words(kept):
            yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


@contextmanager
def _last_words(descriptor: int) -> Iterator[None]:
    """Say there that native code ended the process, for want of memory or by a fault: nobody else would."""
    if faulthandler.is_enabled():
        yield
        return
    faulthandler.enable(descriptor)
    try:
        yield
    finally:
        faulthandler.disable()
