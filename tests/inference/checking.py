"""What the property tests of the engine share: a case advised, and a recommendation held against the oracle."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import assume

from advisor.facts.fact_base import FactBase
from advisor.inference.advise import Detail, advise
from advisor.inference.plan import Plan, Recommendation, Status
from advisor.knowledge.model import Knowledge, School

from .oracle import NOT_APPLICABLE, Advice, Oracle, Tied
from .random_bases import Case

VALUES = Detail(reasons=False, flips=False, questions=False)


def plan_of(case: Case, knowledge: Knowledge | None = None, detail: Detail = VALUES) -> Plan:
    return advise(knowledge or case.base.load(), FactBase.of(case.known), School(case.school), detail)


def oracle_of(case: Case) -> Oracle:
    """The oracle of a case; cases in which what is known is impossible are left out."""
    oracle = Oracle(case.base, case.school)
    assume(is_possible(oracle, case.known))
    return oracle


def is_possible(oracle: Oracle, known: dict[str, Any]) -> bool:
    return next(oracle.completions(known), None) is not None


def knowing(case: Case, more: dict[str, Any]) -> Case:
    return replace(case, known={**case.known, **more})


def plain(outcome: Any) -> Any:
    """An outcome as a plan shows it."""
    if isinstance(outcome, Tied) or outcome == NOT_APPLICABLE:
        return None
    return list(outcome) if isinstance(outcome, tuple) else outcome


def hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def check(entry: Recommendation, advice: Advice, has_rules: bool) -> None:
    """That a recommendation says of its topic what all completions together say."""
    if not has_rules:
        assert entry.status is Status.SILENT
        return
    reported = advice.reported
    if entry.status is Status.SETTLED:
        assert advice.every_completion_gives(hashable(entry.value))
        return
    assert entry.value == plain(reported)
    if reported == NOT_APPLICABLE:
        assert entry.status is Status.NOT_APPLICABLE
    elif isinstance(reported, Tied):
        assert entry.status is Status.OPEN
        assert entry.tied == tuple(reported)
    else:
        assert entry.status is Status.LEANING
        assert not advice.agreed
