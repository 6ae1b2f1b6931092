"""`advisor rules check`, `test` and `coverage`: what authors of rules let run over the rule base."""

from __future__ import annotations

import datetime
import importlib.util
from pathlib import Path

import typer

from advisor.cli.commands.rules.options import RulesCheck, RulesCoverage, RulesTest
from advisor.cli.console import DONE, FAILED, error_panel, say, tell, write, write_json
from advisor.cli.options import PlainFormat, as_packs
from advisor.errors import InputError, Problem, input_error
from advisor.inference.rule_tests import TestRun, read_tests, run, test_files
from advisor.knowledge import loader
from advisor.knowledge.cache import knowledge_for
from advisor.knowledge.lint import lint, possible_states
from advisor.knowledge.model import Knowledge
from advisor.resources import rules_folder
from advisor.wording import shorten

_STATE_WORDS = {"fire": "firing", "silent": "silent", "unknown": "unknown"}


def check(options: RulesCheck) -> None:
    day = _day(options.today)
    knowledge = loader.load(rules_folder(), as_packs(options.packs))  # never from the cache
    proven, note = _proven(knowledge)
    remarks = list(dict.fromkeys([*lint(knowledge, day), *proven]))
    if options.format_ is PlainFormat.JSON:
        write_json([{"where": r.where, "what": r.what, "remedy": r.remedy} for r in remarks])
    else:
        for remark in remarks:
            say(str(remark))
        write(f"{len(knowledge.rules)} rules, {len(knowledge.topics)} topics, {len(remarks)} remarks")
    if note:
        tell(note)
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
    from advisor.knowledge.solver.lint import prove  # z3 may not be installed; it takes 45 ms

    proven = prove(knowledge)
    several = "question" if proven.unanswered == 1 else "questions"
    return proven.remarks, f"{proven.unanswered} {several} the solver could not answer." if proven.unanswered else ""


def run_tests(options: RulesTest) -> None:
    result = _tests_run(as_packs(options.packs))
    if result.failures:
        error_panel(InputError("Rule tests failed", result.failures))
    write(f"{result.tests} tests, {len(result.failures)} failures")
    raise typer.Exit(FAILED if result.failures else DONE)


def coverage(options: RulesCoverage) -> None:
    packs = as_packs(options.packs)
    result = _tests_run(packs)
    gaps = _not_shown(knowledge_for(packs), result)
    if options.format_ is PlainFormat.JSON:
        write_json({rule: sorted(states) for rule, states in result.shown.items()})
    else:
        for rule, states in gaps.items():
            say(f"{rule}: no test shows it {' or '.join(_STATE_WORDS[state] for state in states)}")
        shown = len(result.shown) - len(gaps)
        write(f"{len(result.shown)} rules, {shown} shown in every state that they can take, {len(gaps)} not")
    raise typer.Exit(FAILED if gaps else DONE)


def _tests_run(layers: tuple[Path, ...]) -> TestRun:
    """Run the tests of every folder, each with the rules of its own layer and of those beneath: a pack may well change or take
    out what the tests of the base speak of. A rule is shown by the tests of its own layer and of later ones."""
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


def _not_shown(knowledge: Knowledge, result: TestRun) -> dict[str, list[str]]:
    """For each rule the states that it can take and no test shows."""
    possible = possible_states(knowledge)
    missing = {rule: possible[rule] - states for rule, states in result.shown.items() if possible[rule] - states}
    if missing and _has_solver():
        from advisor.knowledge.solver.lint import impossible_states  # z3 may not be installed; it takes 45 ms

        impossible = impossible_states(knowledge, missing)
        missing = {rule: states - impossible[rule] for rule, states in missing.items()}
    return {rule: sorted(states) for rule, states in missing.items() if states}


def _has_solver() -> bool:
    """Say whether z3 is there, which only developers install."""
    return importlib.util.find_spec("z3") is not None
