"""Words such as None that are values of a column, although elsewhere they say that there is none: written into its style."""

from __future__ import annotations

from collections.abc import Collection

KEPT = "with "
"""Begins a style that names such words: `with None | NA`."""
_BETWEEN = " | "


def style_of(kept: Collection[str]) -> str:
    """The style of a column in which these words are values; empty where there are none."""
    return KEPT + _BETWEEN.join(kept) if kept else ""


def kept_by(style: str) -> tuple[str, ...]:
    """The words of such a style."""
    return tuple(style.removeprefix(KEPT).split(_BETWEEN)) if style.startswith(KEPT) else ()
