"""Numbers within the tolerance that a topic declares count as the same advice; outside it they don't."""

from __future__ import annotations

import pytest

from advisor.facts.fact_base import FactBase
from advisor.inference.advise import advise
from advisor.inference.plan import Status
from tests.small_rules import RuleBase, integer, rule, topic


@pytest.mark.parametrize(("most", "status"), [(54, Status.SETTLED), (56, Status.LEANING)])
def test_a_sum_of_two_unknowns_is_settled_only_if_all_their_corners_are_within_the_tolerance(
    most: int, status: Status
) -> None:
    base = RuleBase(
        facts={"n": integer(50, most, assume="50"), "m": integer(50, most, assume="50")},
        topics={"cost": topic("value", type="number", tolerance=0.1)},
        rules=[rule("sum", "cost", value="n + m")],
    )
    entry = advise(base.load(), FactBase()).recommendations["cost"]
    assert (entry.value, entry.status) == (100, status)
