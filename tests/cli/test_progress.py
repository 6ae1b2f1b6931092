"""What is told while something is measured."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.agent.events import JournalFailed, MeasuringResumed, NetworkUntimed
from advisor.cli.progress import MeasuringProgress
from advisor.errors import input_error
from tests.tui.measurements_made import BATCH, THREADS, outcome_of


def test_a_probe_that_failed_before_a_run_was_stopped_is_not_told_as_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    failed = replace(outcome_of(BATCH), failure="It crashed.")
    for outcomes, words in (
        ((outcome_of(THREADS), failed), "Going on where a stopped run ended, after 12 s: threads measured already."),
        ((failed,), "A stopped run had finished no probe; 12 s of the time are spent."),
    ):
        with MeasuringProgress(60.0) as told:
            told(MeasuringResumed(outcomes, spent=12.0))
        assert words in " ".join(capsys.readouterr().err.split())


def test_a_journal_that_cannot_be_written_is_told_once_in_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    full = input_error(
        "State", "cannot be written (No space left on device).", where="/state", remedy="Free some space."
    )
    with MeasuringProgress(60.0) as told:
        for _ in range(3):
            told(JournalFailed(full))
    said = capsys.readouterr().err
    assert said.count("If this run is stopped, it cannot go on from there") == 1
    assert said.count("No space left on device") == 1


def test_a_network_that_cannot_be_timed_is_told_with_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    with MeasuringProgress(60.0) as told:
        told(NetworkUntimed("It has too many weights for this machine."))
    said = capsys.readouterr().err
    assert said.startswith("The network of this plan cannot be timed\n")
    assert "It has too many weights for this machine.\n  Probes that need it are left out." in said
