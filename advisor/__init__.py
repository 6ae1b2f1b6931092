"""Recommends how to build and train a neural network, cites why, and settles its bets by measuring the machine.

import advisor

session = advisor.Session(answers={"task.kind": "classify", "data.modality": "image"})
session.plan()
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from advisor.version import __version__

if TYPE_CHECKING:
    from advisor.children.stopping import Stop
    from advisor.errors import InputError
    from advisor.session.session import AdvisorWarning, Session

__all__ = ["AdvisorWarning", "InputError", "Session", "Stop", "__version__"]

_FROM = {
    "AdvisorWarning": "advisor.session.session",
    "InputError": "advisor.errors",
    "Session": "advisor.session.session",
    "Stop": "advisor.children.stopping",
}
"""Public names, imported when they are first used: the session costs 300 ms, and no command needs all of it."""


def __getattr__(name: str) -> object:
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_FROM[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
