"""The verdict of an experiment on a recommendation; probes, trials, rules and plans all speak of the same four."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """The judgement of a measurement on the setting that was recommended before it."""

    CONFIRMED = "confirmed"
    OVERTURNED = "overturned"
    NO_DIFFERENCE = "no_difference"
    UNDECIDED = "undecided"
