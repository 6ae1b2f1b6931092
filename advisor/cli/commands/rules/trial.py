"""`advisor rules trial`: what became of the claims of the seed documents, by what was measured here and by arithmetic."""

from __future__ import annotations

from dataclasses import replace

from advisor.agent.machines import reference
from advisor.cli.console import look, warn_once, write, write_json
from advisor.cli.options import Answers, DataPath, Packs, PlainFormat, PlainFormatOption, Sets, TargetColumn
from advisor.facts.fact_base import Source
from advisor.inference.advise import VALUES_ONLY
from advisor.report.page import Page
from advisor.report.survey.claims import claim_lines, claims_json
from advisor.session.evidence import judged
from advisor.session.inputs import gather, plan_of


def trial(
    answers: Answers = None,
    sets: Sets = None,
    data: DataPath = None,
    target: TargetColumn = None,
    packs: Packs = None,
    format_: PlainFormatOption = PlainFormat.TEXT,
) -> None:
    inputs = gather(answers, sets, packs=packs, data=data, target=target, complain=warn_once)
    if answers is None and not sets and data is None:
        inputs = replace(inputs, facts=inputs.facts.with_values(reference.FACTS, Source.ASKED))
    plan = plan_of(inputs, VALUES_ONLY)
    claims = judged(plan, inputs.machine, [*inputs.outcomes, *inputs.trials])
    if format_ is PlainFormat.JSON:
        write_json(claims_json(claims, inputs.knowledge))
        return
    page = Page(look())
    claim_lines(page, claims)
    write(page.text())
