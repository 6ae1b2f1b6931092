"""A comparison of two plans shows the numbers that differ."""

from __future__ import annotations

from advisor.agent.settling.advising import advise_here
from advisor.facts.fact_base import FactBase
from advisor.knowledge import loader
from advisor.report.page import Look
from advisor.report.plan.comparison import compare_plans, comparison_page
from advisor.resources import rules_folder


def test_numbers_that_differ_stand_side_by_side() -> None:
    knowledge = loader.load(rules_folder())
    facts = {"data.modality": "image", "data.inputs": 64, "task.kind": "classify", "project.hours_available": 10}
    small, large = (
        advise_here(knowledge, FactBase.of({**facts, "task.outputs": outputs, "project.price_per_hour": price}), None)
        for outputs, price in ((10, 2), (20, 2))
    )
    comparison = compare_plans(knowledge, "a", small, "b", large)
    names = [difference.name for difference in comparison.numbers]
    assert "network.size" in names
    assert "cost.money" not in names  # the same in both
    page = comparison_page(comparison, Look())
    assert "NUMBERS THAT DIFFER" in page
    found = next(one for one in comparison.to_json()["numbers"] if one["figure"] == "network.size")
    assert found["a"] < found["b"]
