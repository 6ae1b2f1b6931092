"""`advisor rules test`: runs the tests that stand beside the rules."""

from __future__ import annotations

import typer

from advisor.cli.commands.rules.tests_run import tests_run
from advisor.cli.console import DONE, FAILED, error_panel, write
from advisor.cli.options import Packs, as_packs
from advisor.errors import InputError


def run_tests(packs: Packs = None) -> None:
    result = tests_run(as_packs(packs))
    if result.failures:
        error_panel(InputError("Rule tests failed", result.failures))
    write(f"{result.tests} tests, {len(result.failures)} failures")
    raise typer.Exit(FAILED if result.failures else DONE)
