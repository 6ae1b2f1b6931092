"""What was read of a table, whatever its format."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import polars

from advisor.datasets.dataset import Remark


@dataclass(frozen=True, slots=True)
class TableSample:
    """Rows in the order of the file, all of them or a sample; columns as texts or as the format typed them."""

    frame: polars.DataFrame
    rows: int
    """Of the whole file."""
    counted: bool
    """False where they were estimated."""
    whole: bool
    """Whether the frame is everything."""
    sampled: str = ""
    reading: dict[str, Any] = field(default_factory=dict)
    nested: frozenset[str] = frozenset()
    """Columns of lists or objects; the frame has them as texts."""
    remarks: tuple[Remark, ...] = ()
