"""`advisor rules`: read the rule base, check it, run its tests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from advisor.cli.console import DONE, FAILED, error_panel, say, write, write_json
from advisor.cli.inputs import (
    Packs,
    PlainFormat,
    PlainFormatOption,
    SchoolName,
    complete_rule,
    complete_topic,
    knowledge_for,
)

if TYPE_CHECKING:
    from advisor.inference.rule_tests import TestRun
    from advisor.knowledge.model import Knowledge, Rule

app = typer.Typer(no_args_is_help=True)


@app.command("list", help="Every rule, or those of one topic or school.")
def list_(
    topic: Annotated[
        str | None, typer.Option("--topic", autocompletion=complete_topic, help="Only this topic.")
    ] = None,
    school: Annotated[SchoolName | None, typer.Option("--school", help="Only this school.")] = None,
    packs: Packs = None,
    format_: PlainFormatOption = PlainFormat.TEXT,
) -> None:
    from advisor.errors import did_you_mean, input_error, shorten

    knowledge = knowledge_for(tuple(packs or ()))
    if topic is not None and topic not in knowledge.topics:
        hint = did_you_mean(topic, knowledge.topics)
        raise input_error("There is no such topic", f"{shorten(topic)!r}", where="--topic", remedy=hint)
    chosen = [
        rule
        for rule in knowledge.rules
        if (topic is None or rule.topic == topic) and (school is None or rule.school.value == school.value)
    ]
    if format_ is PlainFormat.JSON:
        write_json([rule_json(rule) for rule in chosen])
        return
    for rule in chosen:
        say(f"{rule.id}  ({rule.topic}, {rule.school.value}): {rule.effect.value} {rule.value}")
    write(f"{len(chosen)} rules")


def rule_json(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.id, "topic": rule.topic, "school": rule.school.value, "effect": rule.effect.value,
        "value": rule.value, "when": rule.when, "strength": rule.strength.value if rule.strength else None,
        "argument": rule.argument, "because": rule.because, "sources": list(rule.sources), "verified": rule.verified,
        "settles": {"probe": rule.settles.probe, "expects": rule.settles.expects} if rule.settles else None,
        "erratum": list(rule.erratum), "supersedes": list(rule.supersedes), "actions": list(rule.actions),
        "readiness": rule.readiness, "where": rule.where, "layer": rule.layer,
    }  # fmt: skip


@app.command("show", help="One rule with its sources, errata and what overrules it.")
def show(
    rule_id: Annotated[str, typer.Argument(metavar="RULE-ID", autocompletion=complete_rule)],
    packs: Packs = None,
    format_: PlainFormatOption = PlainFormat.TEXT,
) -> None:
    from advisor.errors import did_you_mean, input_error, shorten

    knowledge = knowledge_for(tuple(packs or ()))
    rule = knowledge.by_id.get(rule_id)
    if rule is None:
        hint = did_you_mean(rule_id, knowledge.by_id)
        raise input_error("There is no such rule", f"{shorten(rule_id)!r}", where="RULE-ID", remedy=hint)
    if format_ is PlainFormat.JSON:
        write_json(rule_json(rule))
        return
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
        lines.append(f"  settled by the probe {rule.settles.probe}, which should find {rule.settles.expects}")
    lines += [f"  erratum  {key}: {knowledge.errata[key].text}" for key in rule.erratum]
    lines += [f"  supersedes {other}" for other in rule.supersedes]
    lines += [f"  superseded by {other.id}" for other in knowledge.rules if rule.id in other.supersedes]
    lines += [f"  do       {line}" for line in rule.actions]
    lines.append(f"  at       {rule.where}")
    return "\n".join(lines)


@app.command("check", help="Every problem and every oddity of the rule base.")
def check(packs: Packs = None, format_: PlainFormatOption = PlainFormat.TEXT) -> None:
    from advisor.knowledge import loader
    from advisor.knowledge.lint import lint
    from advisor.resources import rules_folder

    knowledge = loader.load(rules_folder(), tuple(packs or ()))  # never from the cache
    remarks = list(lint(knowledge))
    if format_ is PlainFormat.JSON:
        write_json([{"where": r.where, "what": r.what, "remedy": r.remedy} for r in remarks])
    else:
        for remark in remarks:
            say(str(remark))
        write(f"{len(knowledge.rules)} rules, {len(knowledge.topics)} topics, {len(remarks)} remarks")
    raise typer.Exit(FAILED if remarks else DONE)


def _run_tests(packs: list[Path] | None) -> TestRun:
    from advisor.inference.rule_tests import read_tests, run, test_files
    from advisor.resources import rules_folder

    folders = [rules_folder(), *(packs or ())]
    knowledge = knowledge_for(tuple(packs or ()))
    return run(knowledge, [test for path in test_files(folders) for test in read_tests(knowledge, path)])


@app.command("test", help="Runs the tests that stand beside the rules.")
def run_tests(packs: Packs = None) -> None:
    from advisor.errors import InputError

    result = _run_tests(packs)
    if result.failures:
        error_panel(InputError("Rule tests failed", result.failures))
    write(f"{result.tests} tests, {len(result.failures)} failures")
    raise typer.Exit(FAILED if result.failures else DONE)


@app.command("coverage", help="Which rules the tests show firing, silent and unknown.")
def coverage(packs: Packs = None, format_: PlainFormatOption = PlainFormat.TEXT) -> None:
    result = _run_tests(packs)
    if format_ is PlainFormat.JSON:
        write_json({rule: sorted(states) for rule, states in result.shown.items()})
        return
    knowledge = knowledge_for(tuple(packs or ()))
    missing = 0
    for rule, states in result.shown.items():
        wanted = {"fire", "silent", "unknown"} if knowledge.by_id[rule].when else {"fire"}
        lacking = sorted(wanted - states)
        if lacking:
            missing += 1
            say(f"{rule}: not shown {', '.join(lacking)}")
    write(f"{len(result.shown)} rules, {len(result.shown) - missing} shown in every state")
