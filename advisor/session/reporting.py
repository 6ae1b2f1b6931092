"""A plan as a text to read or to keep."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING

from advisor.errors import did_you_mean, input_error
from advisor.inference.plan import Plan
from advisor.knowledge.model import Knowledge
from advisor.report.page import Look
from advisor.report.plan.json_plan import plan_text
from advisor.report.plan.markdown import report_text
from advisor.report.plan.text import plan_page

if TYPE_CHECKING:
    from advisor.report.contents import Evidence

FORMATS = ("text", "json", "markdown", "html")


def report_of(
    plan: Plan,
    knowledge: Knowledge,
    format_: str,
    evidence: Callable[[], Evidence],
    look: Look = Look(),  # noqa: B008 - immutable
    arguments: str = "",
) -> str:
    """The plan in this format.

    Args:
        evidence: what Markdown and HTML show beside the plan, asked for where that is wanted.
        look: of the terminal, for text.
        arguments: of the command line that told the facts: commands in the text repeat them.

    Raises InputError for a format that there is not.
    """
    match format_:
        case "json":
            return plan_text(plan)
        case "markdown":
            return report_text(plan, knowledge, date.today().isoformat(), evidence().outlook, arguments)
        case "html":
            from advisor.report.html.plan_report import plan_html  # 60 ms: jinja2

            return plan_html(plan, knowledge, date.today().isoformat(), evidence(), arguments)
        case "text":
            return plan_page(plan, knowledge, look, arguments)
        case _:
            remedy = did_you_mean(format_, FORMATS)
            raise input_error("There is no such format", repr(format_), where="format", remedy=remedy)
