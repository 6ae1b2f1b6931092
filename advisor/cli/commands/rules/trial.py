"""`advisor rules trial`: what became of the claims of the seed documents, by what was measured here and by arithmetic."""

from __future__ import annotations

from dataclasses import replace

from advisor.agent.machines import reference
from advisor.cli.commands.rules.options import RulesTrial
from advisor.cli.console import look, write, write_json
from advisor.cli.gathering import inputs_of
from advisor.cli.options import TOLD, PlainFormat, once_more, typed_again
from advisor.facts.fact_base import Source
from advisor.inference.advise import VALUES_ONLY
from advisor.report.page import Page
from advisor.report.survey.claims import claim_lines, claims_json, told_of
from advisor.session.evidence import judged
from advisor.session.inputs import plan_of


def trial(options: RulesTrial) -> None:
    inputs = inputs_of(options)
    if options.answers is None and not options.sets and options.data is None and options.model is None:
        inputs = replace(inputs, facts=inputs.facts.with_values(reference.FACTS, Source.ASKED))
    plan = plan_of(inputs, VALUES_ONLY)
    stated = {name: known.value for name, known in plan.facts.items() if known.source is Source.ASKED}
    found = judged(plan, inputs.machine, [*inputs.outcomes, *inputs.trials])
    claims = told_of(found, typed_again(once_more(options, stated), TOLD))
    if options.format_ is PlainFormat.JSON:
        write_json(claims_json(claims, inputs.knowledge))
        return
    page = Page(look())
    claim_lines(page, claims)
    write(page.text())
