"""The size of texts: how many words there are, and how many a text has."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy

from advisor.datasets.values.words import tokens_of

MOST_WORDS = 20_000
_PIECE = 2**20


@dataclass(frozen=True, slots=True)
class TextSize:
    """The size of the texts that a network must take."""

    tokens: int
    """Different words and signs, at most 20,000."""
    steps: int
    """Words of a long text: 95 of 100 have no more."""


def measure(texts: Iterable[str]) -> TextSize:
    """Count words and lengths of some texts, with the words of a piece of one text at a time in memory."""
    words: set[str] = set()
    lengths = []
    for text in texts:
        length = 0
        for piece in pieces(text):
            tokens = tokens_of(piece)
            length += len(tokens)
            if len(words) < MOST_WORDS:
                words.update(tokens)
        lengths.append(length)
    steps = math.ceil(numpy.percentile(lengths, 95)) if lengths else 1
    return TextSize(max(1, min(len(words), MOST_WORDS)), max(1, steps))


def pieces(text: str) -> Iterator[str]:
    """Pieces of a text that are not longer than `_PIECE`, parted at blanks where there are any."""
    start = 0
    while len(text) - start > _PIECE:
        end = text.rfind(" ", start, start + _PIECE) + 1 or start + _PIECE
        yield text[start:end]
        start = end
    yield text[start:]
