"""Texts as weighted counts of words and pairs of words (TF-IDF), by texts that are learned from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy
from sklearn.feature_extraction.text import TfidfVectorizer

from advisor.datasets.values.words import terms

MOST_TERMS = 5_000
MOST_COUNTS = 40_000_000
"""Numbers in one table of counts, 160 MB: very many texts are counted by fewer terms."""
ENOUGH_TEXTS = 100
"""From so many on a word that stands in one text only tells nothing."""


def counter_of(known: Sequence[Sequence[str]], texts: int) -> TfidfVectorizer:
    """Fit the counts to the words of these texts.

    Args:
        texts: how many will be counted at a time.
    """
    most = max(1, min(MOST_TERMS, MOST_COUNTS // max(1, texts)))
    repeated = len(known) >= ENOUGH_TEXTS and _is_repeated(known)
    counter = TfidfVectorizer(
        analyzer=terms, max_features=most, min_df=2 if repeated else 1, sublinear_tf=True, dtype=numpy.float32
    )
    return counter.fit(known)


def _is_repeated(known: Sequence[Sequence[str]]) -> bool:
    """True where some word stands in two texts."""
    seen: set[str] = set()
    for words in known:
        if not seen.isdisjoint(words):
            return True
        seen.update(words)
    return False
