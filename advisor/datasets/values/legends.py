"""Words that numbers stand for, where the name of their column says so."""

from __future__ import annotations

import re

_NUMBER_FIRST = re.compile(r"(\d+)\s*[=:]\s*([^\W\d]\w*)")
_WORD_FIRST = re.compile(r"([^\W\d][^\W_]*)\s*[(=:]\s*(\d+)")


def legend(name: str) -> dict[str, str]:
    """By the digits of each number, its word: of `Public (1)/ Private (2)`, of `sex (0=female, 1=male)`; else empty."""
    found = dict(_NUMBER_FIRST.findall(name))
    if len(found) < 2:
        found = {number: word for word, number in _WORD_FIRST.findall(name)}
    return found if len(found) > 1 else {}
