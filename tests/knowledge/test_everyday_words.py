"""Every technical term of rules, questions and recommendations is in the glossary: a word is explained there, or a name, or
everyday English.

Everyday is what occurs often enough in large collections of English text (wordfreq), in itself or as the form of a
commoner word, and what `everyday_words.txt` lists besides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from wordfreq import zipf_frequency

from advisor.facts.vocabulary import Fact
from advisor.knowledge import loader
from advisor.knowledge.model import Knowledge, Rule, Topic
from advisor.resources import rules_folder
from tests.knowledge.unexplained import unexplained

OFTEN = 4.0
"""Zipf frequency: the word occurs ten times in a million words."""
LISTED = frozenset(Path(__file__).with_name("everyday_words.txt").read_text(encoding="utf-8").split())
REMEDY = (
    "Explain it in rules/glossary.yaml, list people under `names:` there, or put plain English into "
    "tests/knowledge/everyday_words.txt."
)
ENDINGS = [
    ("s", ""), ("es", ""), ("ies", "y"), ("d", ""), ("ed", ""), ("ied", "y"), ("ing", ""),
    ("ly", ""), ("y", "e"), ("er", ""), ("ier", "y"), ("est", ""),
]  # fmt: skip
TECHNICAL = """
    accuracy activation attention augmentation batch bias block branch cache card channel class classify cluster
    code column core decay deep depth device distribution encoder epoch example feature framework frozen gate
    gradient graph hidden idle initialisation input judge kernel label layer linear loss mask matrix mean memory
    model momentum network node noise offload optimiser outlier output parallel parameter penalty pipeline precision
    process processor rate regularisation sample overfitting schedule sequence series shallow shard signal site
    socket split stage step storage table target task thread threshold token training transformer tree trial tuning
    unit validation variance vector warm-up weight width worker
"""
"""Everyday words that mean something else here, so that no frequency tells them."""
QUANTITY = re.compile(r"x?\d+([kmeb]|th|nd)?|[vl]\d+", re.IGNORECASE)
"""Numbers, sizes and versions: 8k, 70B, v3."""


@cache
def knowledge() -> Knowledge:
    return loader.load(rules_folder())


def texts_of(part: Fact | Topic | Rule) -> Iterator[str]:
    if isinstance(part, Fact):
        for fact in (part, *map(part.worded, part.wordings)):
            yield from (fact.question, fact.help, *dict(fact.choices).values())
        yield part.prior.because if part.prior else ""
    elif isinstance(part, Topic):
        yield from (part.title, part.unit, *part.values.values())
    else:
        yield part.because


def everyday(word: str) -> bool:
    plain = word.casefold()
    return (
        len(plain) == 1
        or QUANTITY.fullmatch(plain) is not None
        or any(form in LISTED or zipf_frequency(form, "en") >= OFTEN for form in forms(plain))
    )


def forms(word: str) -> Iterator[str]:
    """The word and what it may be a form of: studied -> study, stopping -> stop, halves -> halve."""
    yield word
    for ending, instead in ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= 3:
            yield stem + instead
            yield f"{stem}e"
            if stem[-1] == stem[-2]:
                yield stem[:-1]


def technical(text: str) -> list[str]:
    return [word for word in unexplained(knowledge(), text) if not everyday(word)]


def complaints() -> list[str]:
    vocabulary, topics, rules = knowledge().vocabulary, knowledge().topics, knowledge().rules
    named = [(f"fact {fact.name}", list(texts_of(fact))) for fact in vocabulary.facts.values()]
    named += [(f"topic {topic.name}", list(texts_of(topic))) for topic in topics.values()]
    named += [(f"rule {rule.id}", list(texts_of(rule))) for rule in rules]
    named += [(f"constraint {one.holds}", [one.because]) for one in vocabulary.constraints]
    named += [(f"erratum {one.key}", [one.text]) for one in knowledge().errata.values()]
    named += [(f"term {term.term}", [term.text]) for term in knowledge().terms.values()]
    figures = knowledge().figures
    named += [
        (f"figure {one.name}", [one.title, *(case.help for case in one.cases)]) for one in figures.figures.values()
    ]
    named += [(f"given {one.name}", [one.title, one.help]) for one in figures.given.values()]
    found = [(where, word) for where, texts in named for text in texts for word in technical(text)]
    return [f"{word} ({where})" for where, word in dict.fromkeys(found)]


def test_every_technical_word_is_explained() -> None:
    assert not complaints(), REMEDY


def test_everyday_words_that_are_technical_here_are_explained(subtests: pytest.Subtests) -> None:
    for word in TECHNICAL.split():
        with subtests.test(word):
            assert unexplained(knowledge(), word) == (), REMEDY


@pytest.mark.parametrize(
    ("text", "noticed"),
    [
        ("Use a Kalman filter on the eigenvalues of the Hessian.", ["Kalman", "eigenvalues", "Hessian"]),
        ("Shrinking batches, studied twice, stopped halving the 16 GB at 1e-4 by the 3rd epoch.", []),
        ("The optimiser is called Zorblax-2.", ["Zorblax"]),
    ],
)
def test_a_new_technical_term_is_noticed(text: str, noticed: list[str]) -> None:
    assert technical(text) == noticed


def test_no_everyday_word_is_listed_that_is_common_or_explained_anyway() -> None:
    common = {word for word in LISTED if zipf_frequency(word, "en") >= OFTEN}
    assert common | {word for word in LISTED if unexplained(knowledge(), word) == ()} == set()
