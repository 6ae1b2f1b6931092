"""Words that say that there is no value. No heavy library here."""

from __future__ import annotations

MISSING = (
    "", "NA", "N/A", "n/a", "na", "#N/A", "NaN", "nan", "NAN", "null", "NULL", "Null", "None", "none", "NONE", "nil", "?",
    "-", "--", ".", "<NA>", "\\N",
)  # fmt: skip
UNKNOWN = (
    "unknown", "unk", "missing", "not available", "not applicable", "not known", "n.a.", "n.d.", "nd", "n/d", "undefined",
    "tbd", "void", "no data", "nodata", "no value", "k.a.", "#value!", "#div/0!", "#null!", "#ref!", "#num!", "#name?",
)  # fmt: skip
"""Words in lower case that say so in a column of numbers or dates; among other words they may be a class."""
