"""What is told while something is measured."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from advisor.cli.progress import MeasuringProgress
from tests.tui.measurements_made import BATCH, THREADS, outcome_of


def test_a_probe_that_failed_before_a_run_was_stopped_is_not_told_as_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    failed = replace(outcome_of(BATCH), failure="It crashed.")
    for outcomes, words in (
        ((outcome_of(THREADS), failed), "threads measured already"),
        ((failed,), "nothing measured"),
    ):
        with MeasuringProgress(60.0) as told:
            told("resumed", SimpleNamespace(outcomes=outcomes, spent=12.0))
        assert f"Going on where a stopped run ended, after 12 s: {words}" in " ".join(capsys.readouterr().err.split())
