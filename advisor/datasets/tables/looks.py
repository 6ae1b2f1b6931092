"""A first look at columns of texts, many of them at once: on all together an operation takes little longer than on one."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy
import polars

from advisor.datasets.values.missing import cleaned
from advisor.datasets.values.numbers import CODE, LONG_DIGITS, OF_NUMBERS, Style, numbers_of

INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_MOST_WORDS_OF = 20_000
"""Texts of a column of which the words are counted."""


@dataclass(frozen=True, slots=True)
class Look:
    """The texts of a column and the numbers in them, before anything is decided."""

    texts: polars.Series
    """Without blanks around them; null where they say that there is no value."""
    first: str
    """The first of them, empty where there is none."""
    known: int
    """Texts that say something."""
    numbers: polars.Series
    """Those of them that are plainly numbers, as floats."""
    plain: int
    """Their number."""
    infinite: int
    """Words for infinity."""
    coded: bool
    """True where digits begin with a zero, or are more than a float keeps apart: they are codes and no numbers."""
    spelt: int
    """Other words than numbers that consist of what numbers of another spelling do."""


def look_at(columns: Sequence[polars.Series], kept: Collection[str] = ()) -> list[Look]:
    """Look at columns of texts, all of one length, in which words that are `kept` are values."""
    if not columns or not len(columns[0]):
        return [Look(raw, "", 0, raw.cast(polars.Float64), 0, 0, coded=False, spelt=0) for raw in columns]
    shape = (len(columns), len(columns[0]))
    texts = cleaned(polars.concat(columns).rechunk(), kept)
    numbers = numbers_of(texts, Style.PLAIN)
    there = texts.is_not_null().to_numpy().reshape(shape)
    plain = numbers.is_not_null().to_numpy().reshape(shape)
    coded, long = (
        texts.str.contains(pattern).fill_null(value=False).to_numpy().reshape(shape) for pattern in (CODE, LONG_DIGITS)
    )
    coded = coded.any(axis=1) | (2 * long.sum(axis=1) >= numpy.maximum(there.sum(axis=1), 1))
    words = there & ~plain
    others = texts.filter(polars.Series(words.ravel()))
    of_others = numpy.nonzero(words)[0]

    def found(pattern: str) -> list[int]:
        """Other words than numbers that the pattern fits, in each column."""
        fitting = of_others[others.str.contains(pattern).to_numpy()]
        return [int(count) for count in numpy.bincount(fitting, minlength=len(columns))]

    firsts = texts.gather(there.argmax(axis=1) + numpy.arange(0, there.size, shape[1])).to_list()
    return [
        Look(
            texts.slice(place * shape[1], shape[1]).alias(raw.name),
            first or "",
            known,
            numbers.slice(place * shape[1], shape[1]).alias(raw.name),
            of_plain,
            infinite,
            bool(code),
            spelt,
        )
        for place, (raw, first, known, of_plain, infinite, code, spelt) in enumerate(
            zip(
                columns, firsts, there.sum(axis=1).tolist(), plain.sum(axis=1).tolist(),
                found(f"(?i)^({INFINITE.pattern})$"), numpy.asarray(coded).tolist(), found(OF_NUMBERS), strict=True,
            )
        )
    ]  # fmt: skip


def words_a_text(looks: Sequence[Look]) -> list[float]:
    """The mean number of words in the first texts of each column, of which each holds a text."""
    held = [(look.texts if look.known == len(look.texts) else look.texts.drop_nulls()) for look in looks]
    held = [texts.head(_MOST_WORDS_OF) for texts in held]
    if not held:
        return []
    lengths = numpy.array([len(texts) for texts in held])
    words = polars.concat(held).str.count_matches(r"\s+").to_numpy().astype(numpy.int64) + 1
    means = numpy.add.reduceat(words, numpy.cumsum(lengths) - lengths) / lengths
    return [float(mean) for mean in means]
