"""Words that say that there is no value, unless they are known to be values of a column."""

from __future__ import annotations

from collections.abc import Collection

import polars

MISSING = (
    "", "NA", "N/A", "n/a", "na", "#N/A", "NaN", "nan", "NAN", "null", "NULL", "Null", "None", "none", "NONE", "nil", "?",
    "-", "--", ".", "<NA>", "\\N",
)  # fmt: skip
UNKNOWN = (
    "unknown", "unk", "missing", "not available", "not applicable", "not known", "n.a.", "n.d.", "nd", "n/d", "undefined",
    "tbd", "void", "no data", "nodata", "no value", "k.a.", "#value!", "#div/0!", "#null!", "#ref!", "#num!", "#name?",
)  # fmt: skip
"""Words in lower case that say so in a column of numbers or dates; among other words they may be a class."""


def cleaned(texts: polars.Series, kept: Collection[str] = ()) -> polars.Series:
    """The texts without blanks around them; null where they say that there is no value, but for words that are `kept`."""
    bare = texts.str.strip_chars()
    words = polars.Series([word for word in MISSING if word not in kept])
    held = polars.when(polars.lit(bare.is_in(words.implode()))).then(None).otherwise(polars.lit(bare))
    return polars.select(held.alias(texts.name)).to_series()


def are_unknown(texts: polars.Series) -> polars.Series:
    """True for cleaned texts that say in words that a number or a date is not known."""
    return texts.str.to_lowercase().is_in(polars.Series(UNKNOWN).implode()).fill_null(value=False)
