"""The division into training and test that somebody asks for. No heavy library here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GivenSplit:
    """The wishes of somebody about the split; false where nobody has any, so that the data tell."""

    test: str | None = None
    """A file or folder of the same kind, whose examples are the test: all others are learned from."""
    time_column: str | None = None
    """Later examples are the test."""
    group: str | None = None
    """A column; examples with one value of it are never on both sides."""
    fingerprint: str = ""
    """Of the test, as it was when the run began."""

    def __bool__(self) -> bool:
        return (self.test, self.time_column, self.group) != (None, None, None)


AS_THE_DATA_ARE = GivenSplit()
