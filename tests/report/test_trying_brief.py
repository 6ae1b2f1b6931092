"""The first screen after trying: what won, what it means for the plan and what to do next, on one screen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.datasets.given import GivenSplit
from advisor.report.found.trying import next_steps
from advisor.report.found.trying_brief import trying_brief
from advisor.report.page import SCREEN, Look, cells
from advisor.training.ladder.outcome import TrialResults, Winner

from .test_insight import KNOWN, NUMBERS
from .test_trying import OUTCOME


def many(outcome: TrialResults) -> TrialResults:
    """More of everything than there is room for."""
    finals = tuple(replace(outcome.finals[0], name=f"candidate {number}") for number in range(9))
    notes = tuple(f"Note {number} is long: {'word ' * 20}. And it goes on." for number in range(5))
    return replace(
        outcome, says=f"{outcome.says} {'And so on. ' * 30}", finals=finals, bets=outcome.bets * 5, notes=notes
    )


KEEPING = replace(
    OUTCOME,
    keeping="--seed 3",
    data=replace(OUTCOME.data, given=GivenSplit(group="patient"), how="Whole groups. And so."),
)


@pytest.mark.parametrize(
    "outcome",
    [
        KEEPING,
        OUTCOME,
        replace(OUTCOME, finals=()),
        many(OUTCOME),
        replace(OUTCOME, trials=(), finals=()),
        KNOWN,
        many(KNOWN),
        NUMBERS,
        many(NUMBERS),
    ],
)
def test_it_fits_on_one_screen(outcome: TrialResults) -> None:
    lines = trying_brief(outcome, Look(80)).splitlines()
    assert sum(max(1, -(-cells(line) // 80)) for line in lines) <= SCREEN


def test_what_won_stands_before_figures_bets_and_commands_that_are_whole() -> None:
    text = trying_brief(OUTCOME, Look(80))
    said = " ".join(text.split())
    assert OUTCOME.says in said
    commands = [command for _, command in next_steps(OUTCOME) if command]
    assert commands
    assert all(f"  {command}" in text for command in commands)
    order = [said.index(part) for part in (OUTCOME.says, "selection never saw", "before -> measured -> after", "NEXT")]
    assert order == sorted(order)


def test_the_split_that_somebody_asked_for_is_told_and_how_the_winner_is_kept() -> None:
    lines = trying_brief(replace(KEEPING, told="--group patient"), Look(120)).splitlines()
    assert lines[1] == "  Whole groups."
    assert any("--target kind --group patient --seed 3 --save model" in line for line in lines)
    assert any("advisor apply model --data NEW --output PREDICTIONS.csv" in line for line in lines)
    assert "--save" not in trying_brief(OUTCOME, Look(120)), "where it is saved, or cannot be"


def test_without_a_held_out_score_the_folds_are_shown() -> None:
    assert "on the folds" in trying_brief(replace(OUTCOME, finals=()), Look(80))


def test_a_stopped_run_says_so_and_how_it_goes_on() -> None:
    text = trying_brief(replace(OUTCOME, interrupted=True, verdict=Winner.UNFINISHED), Look(80))
    assert "Stopped before the end" in text
    assert "Give the very same command again" in text


def test_a_narrow_screen_wraps() -> None:
    lines = trying_brief(OUTCOME, Look(40)).splitlines()
    assert max(cells(line) for line in lines if "advisor " not in line) <= 40
