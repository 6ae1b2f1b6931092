"""The words of a text."""

from __future__ import annotations

import re

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+|[^\w\s]")
"""Words, punctuation marks, and the single signs of scripts that put no spaces between words."""


def tokens_of(text: str) -> list[str]:
    """The words and signs of a text in small letters; empty only for a text of blanks."""
    return _WORD.findall(text.lower())
