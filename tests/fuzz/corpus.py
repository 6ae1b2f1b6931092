"""Cases that failed once: folders of corpus/FORMAT/NAME, and larger ones that functions here describe."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .case import Case, load

FOLDER = Path(__file__).parent / "corpus"


MADE: dict[str, Callable[[], Case]] = {}
"""By FORMAT/NAME: too large to be kept as files."""


def corpus() -> dict[str, Callable[[], Case]]:
    """All of them by FORMAT/NAME."""
    kept = sorted(path.parent for path in FOLDER.glob("*/*/command.json"))
    return {**{str(path.relative_to(FOLDER)): lambda path=path: load(path) for path in kept}, **MADE}
