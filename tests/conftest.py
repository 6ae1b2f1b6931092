"""The same for all tests: a signal that is heard, how long property tests search, which cases everybody runs."""

from __future__ import annotations

import gc
import os
import signal
from collections import defaultdict

import pytest

from tests.properties import register_profiles

register_profiles()

# Weights of others that lie on this computer would be candidates of trials of pictures.
os.environ["TORCH_HOME"] = "/nowhere"

# A shell starts background jobs with Ctrl-C ignored, and children inherit that: what tests start must hear it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of the cases of a test marked `some(count)`, mark all but so many as slow."""
    tests: dict[tuple[object, str], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("some"):
            tests[item.parent, getattr(item, "originalname", item.name)].append(item)
    for cases in tests.values():
        marker = cases[0].get_closest_marker("some")
        assert marker is not None
        (count,) = marker.args
        kept = {round(number * (len(cases) - 1) / max(count - 1, 1)) for number in range(count)}
        for number, case in enumerate(cases):
            if number not in kept:
                case.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """Libraries and test modules stay to the end: to look through them for rubbish takes a tenth of the time of a run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
