"""Two plans, or two machines, side by side as HTML."""

from __future__ import annotations

import math

from advisor.agent.machines.comparison import Difference, MachinesCompared
from advisor.probes.verdict import MATTERS
from advisor.report.html.charts import Chart, Point, Shape
from advisor.report.html.rendering import render
from advisor.report.machine.compared import WORDS, answer, days_measured, one_run, quantity_name, rate_of
from advisor.report.machine.page import machine_words
from advisor.report.plan.comparison import Comparison
from advisor.report.rates import times

_NOT_KEPT = "what it is was not kept"


def comparison_html(comparison: Comparison, date: str = "") -> str:
    """Two plans: the facts, the advice and the numbers in which they differ."""
    return render("comparison.html.j2", title="Two plans side by side", date=date, comparison=comparison)


def machines_html(compared: MachinesCompared, date: str = "") -> str:
    """Two machines, or one at two times: the answer, what each is, every figure with the ratio of the two."""
    rows = [
        (
            quantity_name(one.quantity),
            rate_of(one.first, one.first_runs),
            rate_of(one.second, one.second_runs),
            times(one.ratio, one.low, one.high),
            WORDS[one.change],
        )
        for one in compared.differences
    ]
    return render(
        "machines.html.j2",
        title="One machine at two times" if compared.same_machine else "Two machines side by side",
        date=date,
        answer=answer(compared),
        sides=[(mark, side.title, ", ".join(machine_words(side.machine)) or _NOT_KEPT, days_measured(side))
               for mark, side in (("A", compared.first), ("B", compared.second))],
        context=compared.context,
        rows=rows,
        chart=_ratios(compared.differences) if compared.differences else None,
        identical=[quantity_name(quantity) for quantity in compared.identical],
        only=[(mark, [quantity_name(quantity) for quantity in only])
              for mark, only in (("A", compared.first_only), ("B", compared.second_only)) if only],
        one_run=one_run(compared),
    )  # fmt: skip


def _ratios(differences: tuple[Difference, ...]) -> Chart | None:
    points = [
        Point(quantity_name(one.quantity), one.ratio, one.low, one.high)
        for one in differences
        if 0 < one.low <= one.high < math.inf
    ]
    if not points:
        return None
    return Chart(
        name="machines",
        title="How much faster B is than A",
        says="For each figure B over A with its 95 % interval. Right of 1 B is faster; within the band around 1 there is no "
        "difference that matters.",
        shape=Shape.RATIOS,
        points=tuple(points),
        axis="B over A",
        head=("What", "B over A and 95 % interval", "Verdict"),
        rows=tuple(
            (quantity_name(one.quantity), times(one.ratio, one.low, one.high), WORDS[one.change]) for one in differences
        ),
        indifferent=MATTERS,
    )
