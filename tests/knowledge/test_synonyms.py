"""Other words for choices: declared beside them, checked when they are loaded, kept in the cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.facts.values import parse_value
from advisor.facts.vocabulary import spelling
from advisor.interview.choosing import spelled_out
from advisor.knowledge import loader
from advisor.knowledge.cache import load_cached
from advisor.resources import rules_folder
from tests.knowledge.texts import FACTS, problems


def declared(synonyms: str) -> str:
    return f"{FACTS.rstrip()}\n    synonyms: {synonyms}\n"


def test_sound_synonyms_are_no_problem(tmp_path: Path) -> None:
    assert problems(tmp_path, facts=declared("{image: [photo, x-ray], text: [word]}")) == []
    (fact,) = (fact for fact in loader.load(tmp_path).vocabulary.facts.values() if fact.choices)
    assert fact.synonyms == (("photo", "image"), ("x_ray", "image"), ("word", "text"))


@pytest.mark.parametrize(
    ("synonyms", "said"),
    [
        ("{image: [text]}", "the synonym 'text' of image means text already"),
        ("{image: [IMAGE]}", "the synonym 'IMAGE' of image means image already"),
        ("{image: [scan], text: [Scan]}", "the synonym 'Scan' of text means image already"),
        ("{image: [x-ray, x ray]}", "the synonym 'x ray' of image means image already"),
        ("{imag: [photo]}", "Did you mean image?"),
    ],
)
def test_a_synonym_stands_for_one_choice(synonyms: str, said: str, tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, facts=declared(synonyms))
    assert said in problem
    assert "facts.yaml:" in problem


def test_synonyms_survive_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_CACHE", str(tmp_path / "cache"))
    first, again = load_cached(rules_folder()), load_cached(rules_folder())
    for name, fact in first.vocabulary.facts.items():
        assert again.vocabulary.facts[name].synonyms == fact.synonyms
    assert any(fact.synonyms for fact in again.vocabulary.facts.values())


@pytest.mark.parametrize(
    ("name", "word", "meant"),
    [
        ("data.modality", "picture", "image"), ("data.modality", "photos", "image"), ("data.modality", "scan", "image"),
        ("data.modality", "table", "tabular"), ("data.modality", "CSV", "tabular"), ("data.modality", "LLM", "text"),
        ("data.modality", "spreadsheet", "tabular"), ("data.modality", "film", "video"), ("data.modality", "clips", "video"),
        ("data.modality", "speech", "audio"), ("data.modality", "sound", "audio"), ("data.modality", "series", "time_series"),
        ("task.kind", "anomaly detection", "detect_anomalies"), ("task.kind", "regression", "regress"),
        ("data.location", "S3", "object_store"), ("project.framework", "tf", "tensorflow"),
        ("project.framework", "torch", "pytorch"),
    ],
)  # fmt: skip
def test_everyday_words_are_understood_in_files_and_in_the_wizard(name: str, word: str, meant: str) -> None:
    fact = loader.load(rules_folder()).vocabulary.facts[name]
    assert parse_value(fact, word) == meant
    assert parse_value(fact, spelled_out(fact, word)) == meant


def test_every_synonym_of_the_rule_base_means_the_same_in_the_wizard() -> None:
    """There the beginning of a name or a meaning is enough, which may be another choice than the synonym's."""
    for fact in loader.load(rules_folder()).vocabulary.facts.values():
        for word, choice in fact.synonyms:
            assert spelling(word) == word
            assert parse_value(fact, spelled_out(fact, word.replace("_", " "))) == choice, (fact.name, word)
