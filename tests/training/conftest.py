"""The tables here are tiny, and tests run side by side: threads of scikit-learn that wait for each other would only spin."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sklearn.ensemble  # noqa: F401  loads the pools of threads that are limited
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    with threadpool_limits(limits=1):
        yield
