"""How many mutants of the rules the rule tests catch: each rule deleted, negated, and with each threshold moved.

usage: python tests/mutate_rules.py [--floor PERCENT] [--show] [--only PREFIX]
"""

from __future__ import annotations

import argparse
import ast
import functools
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

from advisor.errors import InputError
from advisor.inference.rule_tests import RuleTest, _failures, read_tests, test_files
from advisor.knowledge import loader
from advisor.knowledge.checks import check
from advisor.knowledge.model import Knowledge, Rule
from advisor.resources import rules_folder


def moved(number: float) -> list[float]:
    """A threshold moved a quarter up and down, by at least one for whole numbers."""
    if isinstance(number, int):
        step = max(1, round(abs(number) / 4))
        return [number + step, number - step]
    return [number * 1.25, number * 0.75]


def thresholds_moved(text: str) -> Iterator[tuple[str, str]]:
    tree = ast.parse(text, mode="eval")
    places = [
        side
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        for side in [node.left, *node.comparators]
        if isinstance(side, ast.Constant) and isinstance(side.value, int | float) and not isinstance(side.value, bool)
    ]
    for place in places:
        original = place.value
        for value in moved(original):
            place.value = value
            yield f"{original} -> {value}", ast.unparse(tree)
        place.value = original


def with_rules(knowledge: Knowledge, rules: tuple[Rule, ...]) -> Knowledge:
    """The rule base with other rules. Expressions rest on facts and topics alone: what is compiled of them stays."""
    changed = replace(knowledge, rules=rules)
    vars(changed).update(symbols=knowledge.symbols, _expressions=knowledge._expressions, formulas=knowledge.formulas)
    return changed


def mutants(knowledge: Knowledge, rule: Rule) -> Iterator[tuple[str, Knowledge]]:
    yield "deleted", with_rules(knowledge, tuple(other for other in knowledge.rules if other is not rule))
    conditions = [("negated", f"not ({rule.when})")] if rule.when else [("negated", "false")]
    if rule.when:
        conditions += thresholds_moved(" ".join(rule.when.split()))
    for what, when in conditions:
        mutant = replace(rule, when=when)
        changed = with_rules(knowledge, tuple(mutant if other is rule else other for other in knowledge.rules))
        if not list(check(changed)):
            yield what, changed


def caught(mutant: Knowledge, rule: Rule, tests: list[RuleTest]) -> bool:
    naming = [test for test in tests if rule.id in test.states]
    others = [test for test in tests if rule.id not in test.states and rule.topic in test.expect]
    for test in [*naming, *others]:
        if any(name not in mutant.by_id for name in test.states):
            return True
        try:
            if any(True for _ in _failures(mutant, test)):
                return True
        except InputError:
            return True
    return False


@functools.cache
def base() -> tuple[Knowledge, list[RuleTest]]:
    """The rules and their tests, read once."""
    knowledge = loader.load(rules_folder())
    return knowledge, [test for path in test_files(rules_folder(), 0) for test in read_tests(knowledge, path)]


def tried(name: str) -> list[tuple[str, bool]]:
    """Each mutant of this rule, and whether a test catches it."""
    knowledge, tests = base()
    rule = knowledge.by_id[name]
    return [(what, caught(mutant, rule, tests)) for what, mutant in mutants(knowledge, rule)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--floor", type=float, default=80.0)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    names = [rule.id for rule in base()[0].rules if rule.id.startswith(options.only)]
    total = killed = 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    with ProcessPoolExecutor(cores) as processes:
        for name, found in zip(names, processes.map(tried, names, chunksize=8), strict=True):
            total += len(found)
            killed += sum(was_caught for _, was_caught in found)
            for what, was_caught in found:
                if options.show and not was_caught:
                    print(f"survived: {name} {what}")
    share = 100 * killed / max(total, 1)
    print(f"{killed} of {total} mutants of {len(names)} rules caught: {share:.1f} %")
    return 0 if share >= options.floor else 1


if __name__ == "__main__":
    sys.exit(main())
