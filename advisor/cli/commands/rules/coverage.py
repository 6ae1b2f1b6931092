"""`advisor rules coverage`: which rules the tests show firing, silent and unknown."""

from __future__ import annotations

import typer

from advisor.cli.commands.rules.solver import has_solver
from advisor.cli.commands.rules.tests_run import tests_run
from advisor.cli.console import DONE, FAILED, say, write, write_json
from advisor.cli.options import Packs, PlainFormat, PlainFormatOption, as_packs
from advisor.inference.rule_tests import TestRun
from advisor.knowledge.model import Knowledge
from advisor.knowledge.states import possible_states
from advisor.session.inputs import knowledge_for

_STATE_WORDS = {"fire": "firing", "silent": "silent", "unknown": "unknown"}


def coverage(packs: Packs = None, format_: PlainFormatOption = PlainFormat.TEXT) -> None:
    result = tests_run(as_packs(packs))
    gaps = _not_shown(knowledge_for(as_packs(packs)), result)
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
    possible = possible_states(knowledge)
    missing = {rule: possible[rule] - states for rule, states in result.shown.items() if possible[rule] - states}
    if missing and has_solver():
        from advisor.knowledge.solver.states import impossible_states  # z3 may not be installed; it takes 45 ms

        impossible = impossible_states(knowledge, missing)
        missing = {rule: states - impossible[rule] for rule, states in missing.items()}
    return {rule: sorted(states) for rule, states in missing.items() if states}
