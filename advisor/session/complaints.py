"""Complaints: what a person should know although the work goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from advisor.errors import InputError

Complain = Callable[[str, str], None]
"""Is told a title and a sentence."""


def complain_of(errors: Sequence[InputError], complain: Complain) -> None:
    """Tell each of these errors, which stop nothing."""
    for error in errors:
        complain(error.title, str(error.problems[0]))
