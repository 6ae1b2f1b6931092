"""The same for all tests: a signal that is heard, how long property tests search, and little work for the collector."""

from __future__ import annotations

import gc
import signal

# A shell starts background jobs with Ctrl-C ignored, and children inherit that: what tests start must hear it.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Libraries and test modules stay to the end: to look through them for rubbish takes a tenth of the time of a run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
