"""Labels for people: what a choice is called, said once."""

from __future__ import annotations

import pytest

from advisor.tui.labels import answer_label, choice_words
from advisor.tui.screens.interview.interview import InterviewScreen
from advisor.tui.widgets.cards import Cards
from tests.tui.pilots import piloted, running
from tests.tui.stand_in import real_rules
from tests.tui.test_interview import ask_for


@pytest.mark.parametrize(
    ("name", "meaning", "shown"),
    [
        ("pytorch", "PyTorch", ("PyTorch", "")),
        ("jax", "JAX", ("JAX", "")),
        ("leaky_relu", "leaky ReLU", ("leaky ReLU", "")),
        ("smaller_batch", "smaller batch", ("Smaller batch", "")),
        ("ssd", "on a local SATA SSD", ("SSD", "on a local SATA SSD")),
        ("none", "none", ("None", "")),
    ],
)
def test_a_meaning_that_only_spells_the_name_stands_in_its_place(
    name: str, meaning: str, shown: tuple[str, str]
) -> None:
    assert choice_words(name, meaning) == shown


def test_no_choice_of_the_rules_says_its_name_twice() -> None:
    for fact in real_rules().vocabulary.facts.values():
        for name, told in fact.choices:
            label, meaning = choice_words(name, told)
            assert label.casefold() != meaning.casefold(), (fact.name, name)


def test_an_answer_is_spelled_as_the_field_spells_it() -> None:
    assert answer_label(real_rules().vocabulary.facts["project.framework"], "pytorch") == "PyTorch"


@piloted
async def test_a_framework_is_named_once_on_its_card() -> None:
    async with running(InterviewScreen()) as run:
        await ask_for(run, "project.framework")
        cards = [str(option.prompt) for option in run.screen.query_one(Cards).options]
        assert any("PyTorch" in card for card in cards)
        assert not any("pytorch" in card.replace("PyTorch", "", 1).lower() for card in cards)
