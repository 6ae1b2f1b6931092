"""Cases drawn from a strategy: the same for the same seed, on every machine and in every order of tests."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")
_BACKEND = "repeatable"


class Repeatable(HypothesisProvider):
    """Hypothesis as it is, but for its wish to try constants of whichever modules happen to be loaded."""

    def _maybe_draw_constant(self, *_: Any, **__: Any) -> None:
        return None


AVAILABLE_PROVIDERS[_BACKEND] = f"{__name__}.{Repeatable.__name__}"


def for_each(drawn: SearchStrategy[T], count: int, name: str, do: Callable[[T], None]) -> None:
    """Hand `count` values to a function, which does not raise. The name is the seed."""

    def one(value: T) -> None:
        do(value)

    quiet = settings(
        max_examples=count,
        backend=_BACKEND,
        phases=[Phase.generate],
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
    seed(number)(quiet(given(drawn)(one)))()
