"""Texts without the words that say that there is no value, unless they are known to be values of a column."""

from __future__ import annotations

from collections.abc import Collection

import polars

from advisor.datasets.values.null_words import MISSING, UNKNOWN


def cleaned(texts: polars.Series, kept: Collection[str] = ()) -> polars.Series:
    """The texts without blanks around them; null where they say that there is no value, but for words that are `kept`."""
    bare = texts.str.strip_chars()
    words = polars.Series([word for word in MISSING if word not in kept])
    held = polars.when(polars.lit(bare.is_in(words.implode()))).then(None).otherwise(polars.lit(bare))
    return polars.select(held.alias(texts.name)).to_series()


def are_unknown(texts: polars.Series) -> polars.Series:
    """True for cleaned texts that say in words that a number or a date is not known."""
    return texts.str.to_lowercase().is_in(polars.Series(UNKNOWN).implode()).fill_null(value=False)
