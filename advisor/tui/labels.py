"""Names for people in place of the ids of rules: of values, and of choices of facts."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.facts.values import describe, number_text, singular
from advisor.facts.vocabulary import Fact, Value
from advisor.inference.plan import Recommendation
from advisor.knowledge.model import Knowledge
from advisor.report.words import NOTHING, advice_words
from advisor.wording import join_names

_ACRONYMS = {
    "cnn", "cpu", "dbn", "ffn", "gan", "gnn", "gpu", "hdd", "lstm", "mae", "mse", "nvme", "rbm", "rnn", "ssd", "vae",
    "sgd", "lamb", "lars", "cuda", "mps", "rocm", "xpu", "jax", "mxnet", "cntk", "amx", "avx2", "avx512", "neon", "sve",
}  # fmt: skip
_ASIDE = re.compile(r" \(.*\)$| with [\d.]+ \w+ weights$")
_BY_NAME = ("network.depth",)
"""Topics whose values need no other words than their names."""
LONGEST = 28
"""Characters of a value's words in a line; the name stands for longer ones."""


def choice_label(name: str) -> str:
    """The name of a choice of a fact: `Time series` for time_series, `SSD` for ssd."""
    words = [word.upper() if word in _ACRONYMS else word for word in re.split(r"[_\s]+", name) if word]
    text = " ".join(words)
    return text[:1].upper() + text[1:]


def choice_words(name: str, meaning: str) -> tuple[str, str]:
    """The label of a choice and its meaning; the meaning is empty where it only spells the name, as `PyTorch` of pytorch."""
    label = choice_label(name)
    if not repeats(name, meaning):
        return label, meaning
    return (meaning if meaning.lower() != meaning else label), ""


def repeats(name: str, meaning: str) -> bool:
    """True where a meaning says no more than the name in rules: `AdamW` of adamw, `smaller batch` of smaller_batch."""
    return re.sub(r"[_\s-]", " ", name).casefold() == re.sub(r"[_\s-]", " ", meaning).casefold()


def fact_label(fact: Fact) -> str:
    """The question that asks for a fact; of one that is never asked for, its name in words."""
    if fact.question:
        return fact.question
    group, _, name = fact.name.partition(".")
    words = choice_label(name.replace(".", " "))
    return words if group in ("data", "task", "project") else f"{words} ({group})"


def answer_label(fact: Fact, value: Value) -> str:
    """The value of a fact: `Time series` for time_series, `20,000 examples`."""
    if isinstance(value, str) and fact.choices:
        return choice_words(value, dict(fact.choices).get(value, ""))[0]
    return describe(fact, value)


def value_label(knowledge: Knowledge, topic: str, value: object, unit: str = "") -> str:
    """The value of a topic: `cross-entropy` for cross_entropy, `64 > 128` for a list of layers, `128 examples`."""
    if value is None:
        return "none"
    if isinstance(value, list | tuple | frozenset | set):
        return ", ".join(value_label(knowledge, topic, item) for item in value) or NOTHING
    if isinstance(value, int | float) and not isinstance(value, bool):
        text = number_text(value)
        return f"{text} {singular(unit) if text == '1' and unit.endswith('s') else unit}".rstrip()
    name = str(value)
    declared = knowledge.topics.get(topic)
    spelled = name.replace("_", " ") if declared is not None and declared.values else name
    words = _ASIDE.sub("", declared.values.get(name, "") if declared else "")
    if name in _ACRONYMS and topic == "network.type":
        return name.upper()
    return spelled if name == "none" or topic in _BY_NAME or not words or len(words) > LONGEST else words


def advice_label(knowledge: Knowledge, entry: Recommendation) -> str:
    """The recommendation, or the reason why there is none."""
    if entry.value is not None:
        unit = entry.unit if entry.unit != "money" else ""
        return value_label(knowledge, entry.topic, entry.value, unit)
    tied: Iterable[str] = (value_label(knowledge, entry.topic, value) for value in entry.tied)
    return join_names(list(tied), "or") or advice_words(knowledge, entry, explained=False)
