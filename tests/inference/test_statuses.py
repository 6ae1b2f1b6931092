"""Statuses and values against an oracle that tries every completion of what is unknown."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from advisor.errors import InputError
from advisor.facts.fact_base import FactBase
from advisor.inference import search
from advisor.inference.advise import Detail, advise
from advisor.inference.plan import Plan, Recommendation, Status
from advisor.knowledge.model import School

from .oracle import NOT_APPLICABLE, Advice, Oracle, Tied
from .random_bases import Case, cases

VALUES = Detail(reasons=False, flips=False, questions=False)


def plan_of(case: Case, known: dict[str, Any] | None = None, detail: Detail = VALUES) -> Plan:
    facts = FactBase.of(case.known if known is None else known)
    return advise(case.base.load(), facts, School(case.school), detail)


def possible(case: Case) -> Oracle:
    """The oracle of a case whose facts some project can have."""
    oracle = Oracle(case.base, case.school)
    assume(next(oracle.completions(case.known), None) is not None)
    return oracle


def plain(outcome: Any) -> Any:
    """An outcome as a plan shows it."""
    if isinstance(outcome, Tied) or outcome == NOT_APPLICABLE:
        return None
    return list(outcome) if isinstance(outcome, tuple) else outcome


def check(entry: Recommendation, advice: Advice, has_rules: bool) -> None:
    """That a recommendation says of its topic what every completion together say."""
    if not has_rules:
        assert entry.status is Status.SILENT
        return
    reported = advice.reported
    if entry.status is Status.SETTLED:
        assert advice.fits(entry.value if not isinstance(entry.value, list) else tuple(entry.value))
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


@settings(max_examples=6000, report_multiple_bugs=False, phases=[Phase.generate])
@given(cases())
def test_statuses_and_values_are_those_of_trying_every_completion(case: Case) -> None:
    oracle = possible(case)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "NODE_CAP", 100_000)
        plan = plan_of(case)
    for name, advice in oracle.advice(case.known).items():
        check(plan.recommendations[name], advice, bool(oracle.rules[name]))
