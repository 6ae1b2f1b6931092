"""Files that a screen offers for saving."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from advisor.inference.plan import Plan
    from advisor.knowledge.model import Knowledge
    from advisor.session.desk import Desk

Made: TypeAlias = str | Mapping[str, str]
"""The text of a file, or the texts of the files of a folder."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Call `make` through `Host.think`: it may take a second, and touches the rules. Its desk is None for a saved plan."""

    name: str
    title: str
    meaning: str
    file: str
    make: Callable[[Plan, Knowledge, Desk | None], Made]
