"""The words of a text, and what is counted of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+|[^\w\s]")
"""Words, punctuation marks, and the single signs of scripts that put no spaces between words."""


def tokens_of(text: str) -> list[str]:
    """Split a text into its words and signs, in lower case; none only where it is blank."""
    return _WORD.findall(text.lower())


def terms(words: Sequence[str]) -> list[str]:
    """Words, and pairs of neighbours, since "not good" is more than both words."""
    pairs = [f"{first} {second}" for first, second in pairwise(words)]
    return [*words, *pairs]
