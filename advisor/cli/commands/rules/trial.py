"""`advisor rules trial`: what became of the claims of the seed documents, by what was measured here and by arithmetic."""

from __future__ import annotations

import sys
from dataclasses import replace

from advisor.agent.machines import reference
from advisor.children.stopping import Stop
from advisor.cli.commands.rules.options import RulesTrial
from advisor.cli.console import look, warn, write, write_json
from advisor.cli.gathering import inputs_of
from advisor.cli.options import TOLD, PlainFormat, once_more, typed_again
from advisor.cli.signals import told_to
from advisor.facts.fact_base import Source
from advisor.inference.advise import VALUES_ONLY
from advisor.report.page import Page
from advisor.report.survey.claims import claim_lines, claims_json, told_of
from advisor.session.evidence import judged
from advisor.session.inputs import plan_of
from advisor.session.standards import simulated_standards


def trial(options: RulesTrial) -> None:
    inputs = inputs_of(options)
    if options.answers is None and not options.sets and options.data is None and options.model is None:
        inputs = replace(inputs, facts=inputs.facts.with_values(reference.FACTS, Source.ASKED))
    plan = plan_of(inputs, VALUES_ONLY)
    stated = {name: known.value for name, known in plan.facts.items() if known.source is Source.ASKED}
    stop = Stop()
    with told_to(stop.everything):
        standards = simulated_standards(warn, begin=_told, stop=lambda: stop.now)
    found = judged(plan, inputs.machine, [*inputs.outcomes, *inputs.trials], standards)
    claims = told_of(found, typed_again(once_more(options, stated), TOLD))
    if options.format_ is PlainFormat.JSON:
        write_json(claims_json(claims, inputs.knowledge))
        return
    page = Page(look())
    claim_lines(page, claims)
    write(page.text())


def _told(count: int) -> None:
    print(f"{count} standard simulations, once, for claims on many workers: about a minute.", file=sys.stderr)
