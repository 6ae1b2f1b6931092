"""`advisor rules`: read the rule base, check it, run its tests, write it down as a book."""

from __future__ import annotations

import datetime
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from advisor.cli.console import DONE, FAILED, error_panel, say, write, write_json
from advisor.cli.inputs import (
    Force,
    Output,
    Packs,
    PlainFormat,
    PlainFormatOption,
    SchoolName,
    complete_rule,
    complete_topic,
    deliver,
    knowledge_for,
)
from advisor.errors import InputError, Problem, did_you_mean, input_error
from advisor.wording import shorten

if TYPE_CHECKING:
    from advisor.inference.rule_tests import TestRun
    from advisor.knowledge.model import Knowledge, Rule

app = typer.Typer(no_args_is_help=True)
_STATE_WORDS = {"fire": "firing", "silent": "silent", "unknown": "unknown"}


@app.command("list", help="Every rule, or those of one topic or school.")
def list_(
    topic: Annotated[
        str | None, typer.Option("--topic", autocompletion=complete_topic, help="Only this topic.")
    ] = None,
    school: Annotated[SchoolName | None, typer.Option("--school", help="Only this school.")] = None,
    packs: Packs = None,
    format_: PlainFormatOption = PlainFormat.TEXT,
) -> None:
    knowledge = knowledge_for(tuple(packs or ()))
    if topic is not None and topic not in knowledge.topics:
        known = knowledge.by_id.get(topic)
        hint = f"It is a rule of topic {known.topic}." if known else did_you_mean(topic, knowledge.topics)
        remedy = hint or f"Topics: {', '.join(knowledge.topics)}."
        raise input_error("There is no such topic", f"{shorten(topic)!r}", where="--topic", remedy=remedy)
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
    knowledge = knowledge_for(tuple(packs or ()))
    rule = knowledge.by_id.get(rule_id)
    if rule is None:
        if rule_id in knowledge.topics:
            remedy = f"It is a topic: `advisor rules list --topic {rule_id}` lists its rules."
        else:
            remedy = did_you_mean(rule_id, knowledge.by_id) or "`advisor rules list` lists all."
        raise input_error("There is no such rule", f"{shorten(rule_id)!r}", where="RULE-ID", remedy=remedy)
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
        from advisor.report.changes import by_whom

        lines.append(f"  settled by {by_whom(rule.settles.probe)}, which should find {rule.settles.expects}")
    lines += [f"  erratum  {key}: {knowledge.errata[key].text}" for key in rule.erratum]
    lines += [f"  supersedes {other}" for other in rule.supersedes]
    lines += [f"  superseded by {other.id}" for other in knowledge.rules if rule.id in other.supersedes]
    lines += [f"  do       {line}" for line in rule.actions]
    lines.append(f"  at       {rule.where}")
    return "\n".join(lines)


@app.command("check", help="Every problem and every oddity of the rule base.")
def check(
    packs: Packs = None,
    format_: PlainFormatOption = PlainFormat.TEXT,
    today: Annotated[
        str | None, typer.Option("--today", metavar="YYYY-MM-DD", help="Judge dates as of this day.")
    ] = None,
) -> None:
    from advisor.knowledge import loader
    from advisor.knowledge.lint import lint
    from advisor.resources import rules_folder

    day = _day(today)
    knowledge = loader.load(rules_folder(), tuple(packs or ()))  # never from the cache
    proven, note = _proven(knowledge)
    remarks = list(dict.fromkeys([*lint(knowledge, day), *proven]))
    if format_ is PlainFormat.JSON:
        write_json([{"where": r.where, "what": r.what, "remedy": r.remedy} for r in remarks])
    else:
        for remark in remarks:
            say(str(remark))
        write(f"{len(knowledge.rules)} rules, {len(knowledge.topics)} topics, {len(remarks)} remarks")
    if note:
        print(note, file=sys.stderr)
    raise typer.Exit(FAILED if remarks else DONE)


def _day(text: str | None) -> datetime.date:
    try:
        return datetime.date.fromisoformat(text) if text else datetime.date.today()
    except ValueError:
        remedy = "Write it as 2026-11-21."
        raise input_error("This is not a day", shorten(text), where="--today", remedy=remedy) from None


def _proven(knowledge: Knowledge) -> tuple[tuple[Problem, ...], str]:
    """The remarks that need the solver, and what has to be said of its work."""
    if not _has_solver():
        return (), "Without z3-solver, a development dependency, remarks that need proof were left out."
    from advisor.knowledge.solver.lint import prove  # loads z3

    proven = prove(knowledge)
    several = "question" if proven.unanswered == 1 else "questions"
    return proven.remarks, f"{proven.unanswered} {several} the solver could not answer." if proven.unanswered else ""


def _run_tests(packs: list[Path] | None) -> TestRun:
    """The tests of every folder, each with the rules of its own layer and of those beneath: a pack may well change or take
    out what the tests of the base speak of. A rule is shown by the tests of its own layer and of later ones."""
    from advisor.inference.rule_tests import TestRun, read_tests, run, test_files
    from advisor.resources import rules_folder

    layers = tuple(packs or ())
    rules = knowledge_for(layers).rules
    runs = []
    for layer, folder in enumerate([rules_folder(), *layers]):
        knowledge = knowledge_for(layers[:layer])
        tests = [test for path in test_files(folder, layer) for test in read_tests(knowledge, path)]
        runs.append(run(knowledge, tests))
    shown = {
        rule.id: frozenset[str]().union(*(one.shown.get(rule.id, frozenset()) for one in runs[rule.layer :]))
        for rule in rules
    }
    failures = tuple(failure for one in runs for failure in one.failures)
    return TestRun(sum(one.tests for one in runs), failures, shown)


@app.command("test", help="Runs the tests that stand beside the rules.")
def run_tests(packs: Packs = None) -> None:
    result = _run_tests(packs)
    if result.failures:
        error_panel(InputError("Rule tests failed", result.failures))
    write(f"{result.tests} tests, {len(result.failures)} failures")
    raise typer.Exit(FAILED if result.failures else DONE)


@app.command("coverage", help="Which rules the tests show firing, silent and unknown.")
def coverage(packs: Packs = None, format_: PlainFormatOption = PlainFormat.TEXT) -> None:
    result = _run_tests(packs)
    gaps = _not_shown(knowledge_for(tuple(packs or ())), result)
    if format_ is PlainFormat.JSON:
        write_json({rule: sorted(states) for rule, states in result.shown.items()})
    else:
        for rule, states in gaps.items():
            say(f"{rule}: no test shows it {' or '.join(_STATE_WORDS[state] for state in states)}")
        shown = len(result.shown) - len(gaps)
        write(f"{len(result.shown)} rules, {shown} shown in every state that they can take, {len(gaps)} not")
    raise typer.Exit(FAILED if gaps else DONE)


def _not_shown(knowledge: Knowledge, result: TestRun) -> dict[str, list[str]]:
    """For each rule the states that it can take and no test shows."""
    from advisor.knowledge.states import possible_states

    possible = possible_states(knowledge)
    missing = {rule: possible[rule] - states for rule, states in result.shown.items() if possible[rule] - states}
    if missing and _has_solver():
        from advisor.knowledge.solver.states import impossible_states  # loads z3

        impossible = impossible_states(knowledge, missing)
        missing = {rule: states - impossible[rule] for rule, states in missing.items()}
    return {rule: sorted(states) for rule, states in missing.items() if states}


def _has_solver() -> bool:
    return importlib.util.find_spec("z3") is not None


@app.command("docs", help="The whole rule base as a book in Markdown.")
def docs(
    packs: Packs = None,
    output: Output = None,
    force: Force = False,
    compare: Annotated[
        Path | None, typer.Option("--check", metavar="FILE", help="Only say whether this file is up to date.")
    ] = None,
) -> None:
    from advisor.report.rules.rule_book import rule_book

    book = rule_book(knowledge_for(tuple(packs or ())))
    if compare is None:
        deliver(book, output, force)
        return
    try:
        current = compare.read_text(encoding="utf-8") == book
    except (OSError, ValueError):  # none there, or not ours
        current = False
    if not current:
        error_panel(input_error("The book of rules is out of date", str(compare), remedy="Run `make docs`."))
    raise typer.Exit(DONE if current else FAILED)
