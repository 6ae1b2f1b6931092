"""Requests of screens: what is to be opened.

The app alone knows which screen answers which request, so screens know nothing of each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from advisor.inference.plan import Plan
    from advisor.tui.saving import Kind

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Request(Generic[Answer]):
    """A screen is wanted that closes with an `Answer`."""


@dataclass(frozen=True, slots=True)
class ToStart(Request[None]):
    """The ways to begin."""


@dataclass(frozen=True, slots=True)
class ToInterview(Request[None]):
    """The question that is asked now, with the plan beside it."""


@dataclass(frozen=True, slots=True)
class ToFacts(Request[str | None]):
    """Everything that is known; closes with the name of the fact to ask for."""


@dataclass(frozen=True, slots=True)
class ToData(Request[bool]):
    """A dataset to inspect; closes with whether the facts of a dataset are used."""


@dataclass(frozen=True, slots=True)
class ToTopic(Request[None]):
    """One recommendation; of the plan as the conversation stands, unless a `plan` is given that is only read.

    `whose` says in the title what kind of plan that is, such as `saved`.
    """

    topic: str
    plan: Plan | None = None
    whose: str = ""


@dataclass(frozen=True, slots=True)
class ToWhatIf(Request[None]):
    """Both plans side by side; a `fact` or `value` (as an answer states it) that is not given is chosen there."""

    fact: str = ""
    value: str | None = None


@dataclass(frozen=True, slots=True)
class ToGlossary(Request[None]):
    """Technical terms in plain words; those that the text `within` uses come first."""

    within: str = ""


@dataclass(frozen=True, slots=True)
class ToExport(Request[None]):
    """Files to save of the conversation, or of a saved `plan`; the `kind` that is highlighted first, if one is named.

    Others are offered in their place where `kinds` are given.
    """

    plan: Plan | None = None
    kind: str = ""
    kinds: Sequence[Kind] = ()


@dataclass(frozen=True, slots=True)
class ToSavedPlan(Request[None]):
    """A plan that was exported as JSON."""

    path: Path


@dataclass(frozen=True, slots=True)
class ToProbes(Request[None]):
    """Measuring this machine."""


@dataclass(frozen=True, slots=True)
class ToTrials(Request[None]):
    """Trying the plan on a dataset."""


@dataclass(frozen=True, slots=True)
class ToStrategies(Request[None]):
    """Strategies of several workers: compared for the plan, trained here, or one simulated; the `way` shown first, if named."""

    way: str = ""
