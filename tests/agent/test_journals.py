"""Journals: what a killed run has finished is found again, whatever else the file holds."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from advisor.agent.remembered.journal import SCHEMA, Journal
from advisor.agent.remembered.trial_journal import SCHEMA as TRIAL_SCHEMA
from advisor.agent.remembered.trial_journal import TrialJournal
from advisor.machine.state import StateError
from advisor.training.child.request import Began
from advisor.training.ladder.trial_record import Kind, Stage

from .profiles_made import compared

QUESTION = {"which": "one"}
BEGAN = Began("cnn", next(iter(Stage)), 1, next(iter(Kind)))


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "state"))


def at(days: float) -> str:
    """A time so many days from now."""
    return (datetime.now(UTC) + timedelta(days=days)).isoformat(timespec="seconds")


def opened() -> Journal:
    journal = Journal.open(QUESTION)
    assert journal is not None
    return journal


def killed(date: str) -> Path:
    """The journal of a run that has measured something on this day, and was killed in what came next."""
    journal = opened()
    journal.begin("threads", 1.0)
    journal.add(replace(compared(), date=date), 2.0)
    journal.begin("storage", 2.0)
    journal.close(finished=False)
    return journal.path


@pytest.mark.parametrize("left", ["too old", "without a time zone", "of an older version", "no entry"])
def test_what_follows_entries_that_do_not_count_is_found_again(left: str) -> None:
    path = killed(at(-2) if left == "too old" else "2026-11-20" if left == "without a time zone" else at(0))
    if left == "of an older version":
        path.write_text(path.read_text().replace(SCHEMA, "advisor/journal/1"))
    elif left == "no entry":
        path.write_text("[1, 2]\n")
    assert opened_and_closed() == 0
    killed(at(0))
    assert opened_and_closed() == 1
    assert opened().stopped_in == "storage"


def opened_and_closed() -> int:
    """The outcomes that a run which goes on would find."""
    journal = opened()
    journal.close(finished=False)
    return len(journal.outcomes)


def test_an_entry_of_the_future_counts_as_one_of_today() -> None:
    killed(at(3))
    assert len(opened().outcomes) == 1


def test_a_journal_of_a_newer_version_is_told_and_stays() -> None:
    path = killed(at(0))
    newer = path.read_text().replace(SCHEMA, "advisor/journal/9")
    path.write_text(newer)
    with pytest.raises(StateError, match=r"written by a newer version of this program \(advisor/journal/9\)"):
        Journal.open(QUESTION)
    assert path.read_text() == newer


def trial(fresh: bool = False) -> TrialJournal:
    journal = TrialJournal.open({"data": "digits"}, fresh=fresh)
    assert journal is not None
    return journal


def test_trials_after_entries_that_do_not_count_are_found_again(tmp_path: Path) -> None:
    old = {"schema": TRIAL_SCHEMA, "date": at(-2), "what": "Began", "spent": 1.0, "content": {}}
    for line in (old, old | {"date": at(0), "spent": -5.0}, old | {"schema": "advisor/trial-journal/1"}):
        journal = trial(fresh=True)
        journal.close(finished=False)
        (path,) = tmp_path.rglob("*.trial.jsonl")
        path.write_text(json.dumps(line) + "\n")
        journal = trial()
        journal.write(BEGAN, 7.0)
        journal.close(finished=False)
        journal = trial()
        assert (list(journal.known().began), journal.known().spent) == (["cnn#1"], 7.0)
        journal.close(finished=True)


def test_a_trial_journal_of_a_newer_version_is_told_and_stays(tmp_path: Path) -> None:
    trial().close(finished=False)
    (path,) = tmp_path.rglob("*.trial.jsonl")
    path.write_text('{"schema": "advisor/trial-journal/9"}\n')
    with pytest.raises(StateError, match="newer version"):
        trial()
    assert "trial-journal/9" in path.read_text()
