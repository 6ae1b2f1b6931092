"""`advisor rules show`: one rule with its sources, errata and what overrules it."""

from __future__ import annotations

from typing import Annotated

import typer

from advisor.cli.commands.rules.rule_json import rule_json
from advisor.cli.completing import complete_rule
from advisor.cli.console import say, write_json
from advisor.cli.options import Packs, PlainFormat, PlainFormatOption, as_packs
from advisor.errors import did_you_mean, input_error
from advisor.knowledge.model import Knowledge, Rule
from advisor.report.changes import by_whom
from advisor.session.inputs import knowledge_for
from advisor.wording import shorten


def show(
    rule_id: Annotated[str, typer.Argument(metavar="RULE-ID", autocompletion=complete_rule)],
    packs: Packs = None,
    format_: PlainFormatOption = PlainFormat.TEXT,
) -> None:
    knowledge = knowledge_for(as_packs(packs))
    rule = knowledge.by_id.get(rule_id)
    if rule is None:
        if rule_id in knowledge.topics:
            remedy = f"It is a topic: `advisor rules list --topic {rule_id}` lists its rules."
        else:
            remedy = did_you_mean(rule_id, knowledge.by_id) or "`advisor rules list` lists all."
        raise input_error("There is no such rule", f"{shorten(rule_id)!r}", where="RULE-ID", remedy=remedy)
    if format_ is PlainFormat.JSON:
        write_json(rule_json(rule))
    else:
        say(_described(knowledge, rule))


def _described(knowledge: Knowledge, rule: Rule) -> str:
    strength = f", {rule.strength.value}" if rule.strength else ""
    lines = [
        rule.id,
        f"  {rule.topic}, school {rule.school.value}: {rule.effect.value} {rule.value}{strength}",
        f"  when     {rule.when or 'always'}",
        f"  because  {rule.because}",
    ]
    for citation in rule.sources:
        key, _, place = citation.partition(" ")
        lines.append(f"  source   {knowledge.sources[key]}{f', {place}' if place else ''}")
    lines.append(f"  verified {rule.verified or 'no'}")
    if rule.settles:
        lines.append(f"  settled by {by_whom(rule.settles.probe)}, which should find {rule.settles.expects}")
    lines += [f"  erratum  {key}: {knowledge.errata[key].text}" for key in rule.erratum]
    lines += [f"  supersedes {other}" for other in rule.supersedes]
    lines += [f"  superseded by {other.id}" for other in knowledge.rules if rule.id in other.supersedes]
    lines += [f"  do       {line}" for line in rule.actions]
    lines.append(f"  at       {rule.where}")
    return "\n".join(lines)
