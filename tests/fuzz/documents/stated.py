"""Texts that state a fact, drawn from the vocabulary: most of them right, in every way in which it can be written."""

from __future__ import annotations

import math

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from advisor.facts.values import number_text
from advisor.facts.vocabulary import Fact, FactType
from advisor.knowledge.cache import knowledge_for

from ..values import number_texts, texts

_WORDS = {
    FactType.BOOLEAN: ("yes", "no", "TRUE", "off", "Y", "0"),
    FactType.TEXT: ("NVIDIA H100", "Röhre", "a card: no. 7", "卡", "x" * 200, "[3, 224, 224]", "#1", "'quoted'", "1e9"),
}
_NETWORKS = (
    "resnet50",
    "ResNet50",
    " llama-3.1-8b ",
    "bert-base",
    "convnext_tiny",
    "mixtral-8x7b",
    "dlrm-criteo",
    "none",
)
_UNKNOWN = ("unknown", "", "~", "don't know", "don’t know", "NULL")
_UNITS = {
    "bytes": ("B", "kB", "MB", "GB", "TiB", "GiB", " gib", "bytes"),
    "bytes/s": ("B/s", "GB/s", "Gbit/s", "Mb/s", "GiB/s", "KiBps"),
    "hours": ("h", " days", "min", "s", " weeks", "hours"),
    "fraction": ("%", " percent", ""),
    "money": ("€", " EUR", "k$", ""),
    "money/h": ("/h", " EUR/h", ""),
    "ratio": ("",),
    "version": ("",),
}
_COUNTS = ("", "k", " thousand", "M", " million", "bn")
_DIGITS = ("0123456789", "0123456789", "0123456789", "０１２３４５６７８９", "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९")


@st.composite
def stated(draw: DrawFn, fact: Fact) -> str:
    """A text for a fact: fifteen in sixteen are of its type and within its bounds; others are not."""
    if draw(st.integers(0, 19)) == 0:
        return draw(st.sampled_from(_UNKNOWN))
    good = draw(right(fact))
    if draw(st.integers(0, 15)):
        return good
    return draw(number_texts(number_text(fact.maximum)) if fact.numeric and draw(st.booleans()) else texts(good))


@st.composite
def right(draw: DrawFn, fact: Fact) -> str:
    if fact.type is FactType.CHOICE:
        return draw(st.sampled_from(fact.choice_names).flatmap(_spelled))
    if fact.type is FactType.SET:
        names = draw(st.lists(st.sampled_from(fact.choice_names), max_size=4))
        form = draw(st.sampled_from(("[{}]", "{}", "({})")))
        return form.format(", ".join(names)) if names else "none"
    if fact.numeric:
        return draw(_number(fact))
    return draw(st.sampled_from(_NETWORKS if fact.name == "network.model" else _WORDS[fact.type]))


def _spelled(name: str) -> st.SearchStrategy[str]:
    return st.sampled_from((name, name, name.upper(), name.replace("_", " "), name.replace("_", "-"), f" {name} "))


@st.composite
def _number(draw: DrawFn, fact: Fact) -> str:
    least, most = fact.minimum, fact.maximum
    if draw(st.integers(0, 3)) == 0:
        value = draw(st.sampled_from((least, most, min(least + 1, most), max(most - 1, least), least * 1.5 + 0.5)))
    else:  # as likely between 1 and 10 as between 1e9 and 1e10
        value = least + math.expm1(draw(st.floats(0, 1)) * math.log1p(most - least))
    value = min(max(value, least), most)
    if fact.type is FactType.INTEGER:
        text = draw(
            st.sampled_from(
                (f"{int(value)}", f"{int(value):,}", f"{int(value):_}", f"+{int(value)}", f"{int(value)}e0")
            )
        )
    else:
        text = draw(st.sampled_from((f"{value!r}", f"{value:.3g}", f"{value:e}", f"{value:f}")))
    if draw(st.integers(0, 7)) == 0:
        text = f"{draw(st.integers(1, 99))}{draw(st.sampled_from(_UNITS.get(fact.unit, _COUNTS)))}"
    return text.translate(str.maketrans(_DIGITS[0], draw(st.sampled_from(_DIGITS))))


def facts() -> list[Fact]:
    """All that are declared."""
    return list(knowledge_for(()).vocabulary.facts.values())


@st.composite
def assignments(draw: DrawFn, most: int = 6) -> list[tuple[str, str]]:
    """Names of facts and what is stated of them; each fact once, nearly always."""
    chosen = draw(st.lists(st.sampled_from(facts()), min_size=1, max_size=most, unique_by=lambda fact: fact.name))
    told = [(fact.name, draw(stated(fact))) for fact in chosen]
    if draw(st.integers(0, 19)) == 0:
        told.append(told[0])
    return told
