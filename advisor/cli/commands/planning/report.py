"""`advisor recommend` and `advisor report`: a plan from answers, flags, data and this machine, and a saved one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.commands.options import Recommend, Report
from advisor.cli.console import look, warn
from advisor.cli.delivering import deliver, deliver_json, refuse_rewriting
from advisor.cli.gathering import inputs_of
from advisor.cli.options import TOLD, Format, as_packs, once_more, stated_again, typed_again
from advisor.errors import input_error
from advisor.facts.fact_base import Source
from advisor.inference.advise import FULL, WITH_REASONS
from advisor.inference.plan import Plan
from advisor.interview.agenda import first_questions
from advisor.knowledge.cache import knowledge_for
from advisor.knowledge.model import Knowledge, School
from advisor.report.page import Look
from advisor.report.plan.brief import brief_of, brief_page
from advisor.session.inputs import plan_of
from advisor.session.outlook import outlook_of
from advisor.wording import shorten

if TYPE_CHECKING:
    from advisor.report.contents import Evidence


def recommend(options: Recommend) -> None:
    refuse_rewriting(options.output, options.answers, Path(options.machine))
    if options.output is not None and options.data is not None:
        what = "this is the file that holds the data, and it is never rewritten"
        refuse_rewriting(options.output, options.data, what=what)
    inputs = inputs_of(options)
    plan = plan_of(inputs, WITH_REASONS if _is_short(options) else FULL)

    stated = {name: known.value for name, known in plan.facts.items() if known.source is Source.ASKED}
    told = typed_again(once_more(options, stated), TOLD)
    if _is_short(options):
        asked, outlook = first_questions(plan), outlook_of(inputs, plan)
        brief = brief_of(plan, inputs.knowledge, told, data=options.data is not None, questions=asked, outlook=outlook)
        deliver(brief_page(brief, look() if options.output is None else Look()), options.output, options.force)
        return

    def seen() -> Evidence:
        from advisor.session.evidence import evidence_of  # 25 ms, and neither text nor JSON shows it

        return evidence_of(inputs, plan)

    _deliver(plan, inputs.knowledge, options, seen, told)


def report(options: Report) -> None:
    from advisor.report.plan.json_plan import OTHER_RULES, outcomes_beside, read_saved  # 4 ms

    named = _plan_named(options)
    knowledge = knowledge_for(as_packs(options.packs))
    saved = read_saved(named, knowledge)
    plan = saved.plan
    if saved.remark:
        warn(OTHER_RULES, saved.remark)
    refuse_rewriting(options.output, named, what="this is the plan that was saved, and it is never rewritten")

    def seen() -> Evidence:
        from advisor.session.evidence import evidence  # 25 ms, and neither text nor JSON shows it

        return evidence(plan, None, outcomes_beside(saved))

    school = "" if plan.school is School.TODAY else f"--school {plan.school.value}"
    told = " ".join(filter(None, (stated_again(plan.facts), school, typed_again(options, {"packs": "--rules"}))))
    _deliver(plan, knowledge, options, seen, told)


def _plan_named(options: Report) -> Path:
    """The saved plan, named by itself or by --plan. Raises InputError."""
    file, plan = options.file, options.plan
    if file is not None and plan is not None and file != plan:
        what = f"{shorten(file, 200)} and {shorten(plan, 200)} are two"
        raise input_error("There are two plans", what, where="--plan", remedy="Name one of them.")
    named = file or plan
    if named is None:
        what = "name a plan that `advisor recommend --output plan.json` has saved"
        raise input_error(
            "There is no plan", what, where="Missing option '--plan'", remedy="`advisor report plan.json`."
        )
    return named


def _is_short(options: Recommend) -> bool:
    """True for the first screen, on which no flips stand and a few questions."""
    return options.format_ is Format.TEXT and not options.whole


def _deliver(
    plan: Plan, knowledge: Knowledge, options: Recommend | Report, evidence: Callable[[], Evidence], told: str
) -> None:
    """Write the whole plan in the wanted form, HTML with the evidence beside it. Raises InputError.

    Args:
        told: the arguments that tell the facts, which commands repeat.
    """
    if options.format_ is Format.JSON:
        deliver_json(plan.to_json(), options.output, options.force)
        return
    from advisor.session.reporting import report_of  # 5 ms: all formats

    shown = look() if options.output is None else Look()
    deliver(report_of(plan, knowledge, options.format_.value, evidence, shown, told), options.output, options.force)
