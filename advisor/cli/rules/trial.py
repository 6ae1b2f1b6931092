"""`advisor rules trial`: what became of the claims of the seed documents, by what was measured here and by arithmetic."""

from __future__ import annotations

from advisor.cli.data import DataPath, TargetColumn
from advisor.cli.inputs import (
    Answers,
    Inputs,
    Packs,
    PlainFormat,
    PlainFormatOption,
    Sets,
    gather,
    plan_of,
    recalled,
    tried,
)


def trial(
    answers: Answers = None,
    sets: Sets = None,
    data: DataPath = None,
    target: TargetColumn = None,
    packs: Packs = None,
    format_: PlainFormatOption = PlainFormat.TEXT,
) -> None:
    from advisor.agent.machines import reference
    from advisor.cli.console import look, write, write_json
    from advisor.cli.evidence import judged
    from advisor.facts.fact_base import Source
    from advisor.inference.advise import VALUES_ONLY
    from advisor.report.page import Page
    from advisor.report.survey.claims import claim_lines, claims_json

    inputs = gather(answers, sets, "auto", packs=packs, data=data, target=target)
    if answers is None and not sets and data is None:
        facts = inputs.facts.with_values(reference.FACTS, Source.ASKED)
        inputs = Inputs(inputs.knowledge, facts, inputs.school, inputs.machine)
    plan = plan_of(inputs, VALUES_ONLY)
    assert inputs.machine is not None  # noqa: S101 - gathered with machine auto
    claims = judged(plan, inputs.machine, [*recalled(inputs.machine), *tried(inputs.facts)])
    if format_ is PlainFormat.JSON:
        write_json(claims_json(claims, inputs.knowledge))
        return
    page = Page(look())
    claim_lines(page, claims)
    write(page.text())
