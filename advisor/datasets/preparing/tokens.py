"""Texts as numbers: words with numbers of their own, fitted to the training texts, and weighted counts of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer

from advisor.datasets.preparing.encoded import Encoded, Floats, Rows
from advisor.datasets.preparing.word_counts import ENOUGH_TEXTS, counter_of

Words: TypeAlias = Sequence[str]

PADDING = 0
UNKNOWN = 1
FIRST_WORD = 2

MOST_WORDS = 20_000
MOST_STEPS = 256


@dataclass(frozen=True, slots=True)
class EncodedTexts(Encoded):
    """Texts by the words of some of them. Texts longer than `steps` are cut, shorter ones padded at the front: the last
    word stands at the last step, where a recurrent network answers."""

    texts: Sequence[Words]
    numbers: dict[str, int]
    steps: int
    counter: TfidfVectorizer

    @classmethod
    def fit(cls, texts: Sequence[Words], rows: Rows) -> EncodedTexts:
        known = [texts[row] for row in rows]
        texts_with = Counter(word for words in known for word in set(words))
        least = 2 if len(known) >= ENOUGH_TEXTS else 1  # so that a network learns what to make of an unknown word
        if max(texts_with.values(), default=0) < least:
            least = 1
        kept = sorted((word for word, count in texts_with.items() if count >= least), key=lambda w: (-texts_with[w], w))
        steps = int(numpy.ceil(numpy.percentile([len(words) for words in known], 95)))
        numbers = {word: number for number, word in enumerate(kept[: MOST_WORDS - FIRST_WORD], start=FIRST_WORD)}
        return cls(texts, numbers, max(1, min(steps, MOST_STEPS)), counter_of(known, len(texts)))

    @property
    def inputs(self) -> int:
        return len(self.numbers) + FIRST_WORD

    @property
    def sequence_length(self) -> int | None:
        return self.steps

    @property
    def flat_values(self) -> int:
        return len(self.counter.vocabulary_)

    def flat(self, rows: Rows) -> Floats:
        counts: Floats = self.counter.transform([self.texts[row] for row in rows]).toarray()
        return counts

    def structured(self, rows: Rows) -> NDArray[Any]:
        result = numpy.full((len(rows), self.steps), PADDING, numpy.int64)
        for place, row in enumerate(rows):
            words = self.texts[row][: self.steps]
            if words:
                result[place, self.steps - len(words) :] = [self.numbers.get(word, UNKNOWN) for word in words]
        return result
