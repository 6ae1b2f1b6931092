"""The state of the conversation as values that a screen can show while the next step is computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.inference.advise import VALUES_ONLY
from advisor.interview.changes import Change, changes

if TYPE_CHECKING:
    from advisor.facts.fact_base import FactBase, Known
    from advisor.facts.vocabulary import Fact
    from advisor.inference.plan import Plan
    from advisor.interview.interview import Interview
    from advisor.interview.progress import Progress


@dataclass(frozen=True, slots=True)
class Standing:
    """The question after one step (None: nothing could change the plan any more), and the plan with what the step moved.

    The plan has values and statuses only; `Host.full_plan` has reasons and flips too. `present` is the value of the fact if
    nobody answers.
    """

    fact: Fact | None
    present: Known | None
    plan: Plan
    moved: tuple[Change, ...]
    progress: Progress
    facts: FactBase


@dataclass(frozen=True, slots=True)
class Outlook:
    """The slow part of a standing: about how many questions are left, and which answers are not used."""

    questions_left: int
    unused: tuple[str, ...]


def standing(interview: Interview, before: Standing | None) -> Standing:
    """The interview as it stands now, and what moved since `before`."""
    plan = interview.plan(VALUES_ONLY)
    question = interview.question()
    return Standing(
        fact=None if question is None else interview.fact(question.fact),
        present=None if question is None else interview.present(question.fact),
        plan=plan,
        moved=() if before is None else changes(before.plan, plan),
        progress=interview.progress,
        facts=interview.facts(),
    )


def outlook(interview: Interview) -> Outlook:
    return Outlook(interview.questions_left(), interview.unused())
