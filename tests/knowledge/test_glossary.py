"""The glossary of a rule base: read with it, checked like it, and found in texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.errors import InputError
from advisor.knowledge import loader
from advisor.knowledge.cache import load_cached
from advisor.knowledge.lint import lint
from advisor.knowledge.model import Knowledge
from advisor.knowledge.terms import terms_in
from advisor.resources import rules_folder
from tests.knowledge.texts import FACTS, RULES, SOURCES, TOPICS, problems
from tests.knowledge.unexplained import unexplained

TERMS = """\
terms:
  batch: {text: A group of examples., aliases: [batches, mini-batch]}
  batch size: {text: How many there are., see: [batch]}
  weight decay: {text: Smaller weights.}
  weight: {text: A number., aliases: [weights]}
  LAMB: {text: An optimiser.}
  wav2vec 2.0: {text: A network for speech., aliases: [wav2vec]}
  leaky ReLU: {text: An activation.}
names: [Hinton, Le Cun]
"""


def base(tmp_path: Path, terms: str = TERMS, folder: str = "base") -> Path:
    path = tmp_path / folder
    path.mkdir()
    for name, text in {"facts": FACTS, "topics": TOPICS, "sources": SOURCES, "rules": RULES, "glossary": terms}.items():
        (path / f"{name}.yaml").write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def knowledge(tmp_path: Path) -> Knowledge:
    return loader.load(base(tmp_path))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Take a larger batch.", ["batch"]),
        ("Batches of 32", ["batch"]),
        ("the batch size, then the batch", ["batch size", "batch"]),
        ("batch_size and batch-size", ["batch size"]),
        ("mini batch or mini-batch", ["batch"]),
        ("weight decay", ["weight decay"]),
        ("Less weight. Decay comes later", ["weight"]),
        ("a weight, decay", ["weight"]),
        ("weighted debatch", []),
        ("Large networks use LAMB, not a lamb", ["LAMB"]),
        ("wav2vec 2.0 for speech", ["wav2vec 2.0"]),
        ("wav2vec", ["wav2vec 2.0"]),
        ("Leaky ReLU lets a little through", ["leaky ReLU"]),
        ("the batch's weights", ["batch", "weight"]),
        ("", []),
        ("\x1b[31m <b>batch</b>", ["batch"]),
    ],
)
def test_terms_are_found_in_texts(knowledge: Knowledge, text: str, found: list[str]) -> None:
    assert [term.term for term in terms_in(knowledge.phrases, text)] == found


def test_what_is_neither_term_nor_name_is_left_unexplained(knowledge: Knowledge) -> None:
    text = "Hinton and Le Cun: the batch size is no hyperparameter of 3 layers"
    assert unexplained(knowledge, text) == ("and", "the", "is", "no", "hyperparameter", "of", "3", "layers")


def test_a_rule_base_without_a_glossary_has_no_terms(tmp_path: Path) -> None:
    (folder := base(tmp_path)).joinpath("glossary.yaml").unlink()
    knowledge = loader.load(folder)
    assert (knowledge.terms, knowledge.names, terms_in(knowledge.phrases, "batch")) == ({}, (), ())


def test_the_glossary_is_remembered_with_the_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_CACHE", str(tmp_path / "cache"))
    folder = base(tmp_path)
    loaded = load_cached(folder)
    assert load_cached(folder) == loaded
    (folder / "glossary.yaml").write_text("terms: {batch: {text: Changed.}}\n")
    assert [term.text for term in load_cached(folder).terms.values()] == ["Changed."]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("terms: {batch: {}}\n", "lacks the key 'text'"),
        ("terms: {batch: {text: ''}}\n", "text is empty"),
        ("terms: {batch: {text: A., alias: b}}\n", "no key 'alias'. Did you mean aliases?"),
        ("term: {}\n", "glossary.yaml has no key 'term'. Did you mean terms?"),
        ("- batch\n", "glossary.yaml must be a mapping"),
        ("terms: {batch: A.}\n", "term batch must be a mapping"),
        ("terms:\n  batch: {text: A.}\n  batch: {text: B.}\n", "batch"),
        ("terms: {'--': {text: A.}}\n", "has no word in it"),
        ("terms: {batch: {text: A., aliases: ['-']}}\n", "'-' has no word in it"),
        ("terms: {mini-batch: {text: A., aliases: [mini batch]}}\n", "'mini batch' is there twice. Delete one."),
        ("terms: {a: {text: A., see: [bach]}, batch: {text: B.}}\n", "see 'bach' is no term. Did you mean batch?"),
        ("terms: {a: {text: A., see: [a]}}\n", "it refers to itself"),
    ],
)
def test_a_wrong_glossary_is_refused_with_place_and_remedy(tmp_path: Path, text: str, said: str) -> None:
    found = problems(tmp_path, glossary=text)
    assert len(found) == 1
    assert found[0].startswith("glossary.yaml:")
    assert said in found[0]


def test_a_spelling_belongs_to_one_term(tmp_path: Path) -> None:
    text = "terms:\n  batch: {text: A., aliases: [group]}\n  set:\n    {text: B., aliases: [group]}\n"
    [problem] = problems(tmp_path, glossary=text)
    assert problem.startswith("glossary.yaml:3: term set: 'group' belongs to batch at ")
    assert "base" not in problem or "glossary.yaml:2" in problem


def test_capitals_may_tell_terms_apart(tmp_path: Path) -> None:
    assert problems(tmp_path, glossary="terms: {CLIP: {text: A.}, clipping: {text: B., aliases: [clip]}}\n") == []


def test_a_pack_brings_its_own_terms_and_may_put_them_differently(tmp_path: Path) -> None:
    pack = tmp_path / "house"
    pack.mkdir()
    (pack / "glossary.yaml").write_text(
        "terms: {batch: {text: Ours.}, hall: {text: A room., see: [weight]}}\nnames: [Us]\n"
    )
    knowledge = loader.load(base(tmp_path), [pack])
    assert knowledge.terms["batch"].text == "Ours."
    assert [term.term for term in terms_in(knowledge.phrases, "the hall of batches")] == ["hall"]
    assert knowledge.names == ("Hinton", "Le Cun", "Us")


def test_a_pack_is_blamed_for_taking_a_spelling_of_the_base(tmp_path: Path) -> None:
    pack = tmp_path / "house"
    pack.mkdir()
    (pack / "glossary.yaml").write_text("terms: {heap: {text: Ours., aliases: [batches]}}\n")
    with pytest.raises(InputError) as caught:
        loader.load(base(tmp_path), [pack])
    assert [problem.where for problem in caught.value.problems] == [f"{pack}/glossary.yaml:1"]


def test_titles_and_values_without_a_term_are_remarked(tmp_path: Path) -> None:
    remarks = [remark.what for remark in lint(loader.load(base(tmp_path)))]
    assert "topic network.type: the glossary does not explain 'Network'." in remarks
    assert "topic training.batch_size: the glossary does not explain 'Batch'." not in remarks


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("About how many pixels wide are the pictures?", ["pixel"]),
        ("How wide was its first hidden layer?", ["width", "hidden layer"]),
    ],
)
def test_how_wide_a_picture_is_is_not_explained_by_the_units_of_a_layer(text: str, found: list[str]) -> None:
    whole = load_cached(rules_folder(), ())
    assert [term.term for term in terms_in(whole.phrases, text)] == found
    assert "of a picture, its pixels from left to right" in whole.terms["width"].text


def test_the_glossary_of_the_rule_base_is_plain_ascii() -> None:
    knowledge = loader.load(rules_folder())
    odd = [term.term for term in knowledge.terms.values() if not f"{term.spellings} {term.text}".isascii()]
    assert odd == []


def test_an_explanation_has_at_most_three_sentences() -> None:
    knowledge = loader.load(rules_folder())
    assert [term.term for term in knowledge.terms.values() if term.text.count(". ") > 2] == []
