"""All formats: each module in documents/ and data/ lists its own as FORMATS."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from pathlib import Path

from .case import Format

_FOLDERS = ("documents", "data")


@cache
def formats() -> dict[str, Format]:
    """By name, in a fixed order."""
    found: dict[str, Format] = {}
    for folder in _FOLDERS:
        for module in sorted(one.name for one in pkgutil.iter_modules([str(Path(__file__).parent / folder)])):
            declared = importlib.import_module(f"{__package__}.{folder}.{module}")
            for format_ in getattr(declared, "FORMATS", ()):
                assert format_.name not in found, f"two formats are called {format_.name}"
                found[format_.name] = format_
    return found
