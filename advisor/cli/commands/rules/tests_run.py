"""The tests that stand beside the rules, run for `rules test` and `rules coverage`."""

from __future__ import annotations

from pathlib import Path

from advisor.inference.rule_tests import TestRun, read_tests, run, test_files
from advisor.resources import rules_folder
from advisor.session.inputs import knowledge_for


def tests_run(layers: tuple[Path, ...]) -> TestRun:
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
