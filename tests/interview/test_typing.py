"""What people type at a prompt: choices by number, name or beginning; commands; suppositions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.cli.wizard.commands import SPELLINGS, Command, Verb, command_lines, understood
from advisor.errors import InputError
from advisor.facts.values import parse_value
from advisor.facts.vocabulary import Fact, FactType
from advisor.interview.changes import assignments
from advisor.interview.choosing import spelled_out
from advisor.knowledge.cache import load_cached
from advisor.knowledge.model import Knowledge
from advisor.resources import rules_folder

KIND = Fact(
    "task.kind",
    "task",
    FactType.CHOICE,
    choices=(
        ("classify", "put it into a class"),
        ("regress", "predict numbers"),
        ("reconstruct", "restore it"),
        ("time_series", "one after another"),
    ),
)
FEATURES = Fact(
    "machine.cpu.features", "machine", FactType.SET, choices=(("avx2", "a"), ("avx512", "b"), ("neon", "c"))
)


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load_cached(rules_folder(), ())


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("1", "classify"),
        (" 4 ", "time_series"),
        ("classify", "classify"),
        ("CLASSIFY", "classify"),
        ("cl", "classify"),
        ("Reg", "regress"),
        ("time-s", "time_series"),
        ("time s", "time_series"),
        ("put it", "classify"),
        ("Predict Numbers", "regress"),
        ("unknown", "unknown"),
        ("I don't know", "I don't know"),
        ("paint", "paint"),
    ],
)
def test_a_choice_by_number_name_or_beginning(typed: str, meant: str) -> None:
    assert spelled_out(KIND, typed) == meant


@pytest.mark.parametrize(
    ("typed", "said"), [("re", "regress or reconstruct"), ("5", "from 1 to 4"), ("0", "from 1 to 4")]
)
def test_what_could_be_several_choices_or_none_is_refused(typed: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        spelled_out(KIND, typed)


@pytest.mark.parametrize(
    ("typed", "meant"), [("1, 3", "avx2, neon"), ("ne avx5", "neon, avx512"), ("[avx2]", "avx2"), ("none", "none")]
)
def test_the_members_of_a_set_likewise(typed: str, meant: str) -> None:
    assert spelled_out(FEATURES, typed) == meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("", Command(Verb.UNKNOWN)),
        ("   ", Command(Verb.UNKNOWN)),
        ("?", Command(Verb.HELP)),
        ("? cnn", Command(Verb.HELP, "cnn")),
        ("?cnn", Command(Verb.HELP, "cnn")),
        ("help", Command(Verb.HELP)),
        ("<", Command(Verb.BACK)),
        ("Back", Command(Verb.BACK)),
        ("why", Command(Verb.WHY)),
        ("why data.modality", Command(Verb.WHY, "data.modality")),
        ("WHY NOT network.type lstm", Command(Verb.WHY_NOT, "network.type lstm")),
        ("what if data.bytes=300 MB", Command(Verb.WHAT_IF, "data.bytes=300 MB")),
        ("flip network.type", Command(Verb.FLIP, "network.type")),
        ("save", Command(Verb.SAVE)),
        ("save my plan.md", Command(Verb.SAVE, "my plan.md")),
        ("quit", Command(Verb.STOP)),
        ("!", Command(Verb.STOP)),
        ("classify", Command(Verb.ANSWER, "classify")),
        ("quite so", Command(Verb.ANSWER, "quite so")),
        ("back then", Command(Verb.ANSWER, "back then")),
        ("50 k", Command(Verb.ANSWER, "50 k")),
    ],
)
def test_a_line_is_a_command_or_an_answer(typed: str, meant: Command) -> None:
    assert understood(typed) == meant


def test_no_choice_of_any_fact_is_taken_for_a_command(knowledge: Knowledge) -> None:
    for fact in knowledge.vocabulary.facts.values():
        for name, meaning in fact.choices:
            assert understood(name).verb is Verb.ANSWER
            assert understood(meaning).verb is Verb.ANSWER


def test_the_help_lists_every_command_once_and_fits_a_screen() -> None:
    lines = command_lines()
    assert len(lines) == len(SPELLINGS) == len(Verb) - 2  # without the answers
    assert all(len(line) < 80 for line in lines)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("data.modality=text", {"data.modality": "text"}),
        ("data.modality = text", {"data.modality": "text"}),
        ("data.bytes=300 MB data.modality=text", {"data.bytes": "300 MB", "data.modality": "text"}),
        ("classify", {"task.kind": "classify"}),
        ("data.modality=", {"data.modality": ""}),
    ],
)
def test_suppositions_are_names_with_values(typed: str, meant: dict[str, str], knowledge: Knowledge) -> None:
    assert assignments(knowledge, typed, "task.kind") == meant


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "what if data.modality=text"),
        ("so data.modality=text", "what if data.modality=text"),
        ("data.modalty=text", "Did you mean data.modality?"),
        ("network.type=cnn", "is a recommendation, not a fact"),
        ("data.inputs=5 data.inputs=6", "is supposed twice"),
    ],
)
def test_other_suppositions_are_explained(typed: str, said: str, knowledge: Knowledge) -> None:
    with pytest.raises(InputError, match=said):
        assignments(knowledge, typed, "task.kind")


PICTURES = Fact("data.inputs", "data", FactType.INTEGER, pixels=True)


@pytest.mark.parametrize(
    ("typed", "values"),
    [
        ("640 wide", 1228800),
        ("32 px", 3072),
        ("28 px grey", 784),
        ("640 x 480", 3 * 554**2),
        ("28x28 grey", 784),
        ("28x28x1", 784),
        ("Phone photo", 3 * 3464**2),
        ("4000 x 3000", 3 * 3464**2),
        ("6000x6000 grey", 36_000_000),
        ("784", 784),
        ("50k", 50_000),
    ],
)
def test_a_size_in_pixels_is_as_good_as_the_values_of_a_picture(typed: str, values: int) -> None:
    assert parse_value(PICTURES, typed) == values
    if not typed[0].isdigit() or " " in typed:
        with pytest.raises(InputError):
            parse_value(replace(PICTURES, pixels=False), typed)


def test_what_is_no_size_of_a_picture_is_told_with_sizes_that_are() -> None:
    with pytest.raises(InputError) as refused:
        parse_value(PICTURES, "500x")
    assert refused.value.problems[0].remedy == "For example 20, 50k, or 640 x 480 of a picture."
