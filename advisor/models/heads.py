"""The head of a network that a config.json describes: `architectures` names the class, whose ending says which it is."""

from __future__ import annotations

import re
from dataclasses import replace

from advisor.models.configuration import Config
from advisor.models.families.registry import Family
from advisor.models.families.state_space import StateSpace
from advisor.models.families.transformers import Decoder, Encoder
from advisor.models.families.vision_language import VisionLanguage
from advisor.wording import shorten

_ENDING = re.compile(r"(?:For(?P<task>[A-Z]\w*)|(?P<other>Model|LMHeadModel|DoubleHeadsModel))$")
_OF_SEVERAL_PARTS = ("Model", "CausalLM", "SequenceClassification")
_OF_STATE_SPACES = ("Model", "CausalLM", "LMHeadModel")
_LABELS = 2
"""Their number where a configuration does not state it."""


def with_head(config: Config, network: Family) -> tuple[Family, str]:
    """The network with the head that `architectures` names, and a sentence where that is one which is not counted."""
    named = config.keys.get("architectures")
    name = named[0] if isinstance(named, list) and named and isinstance(named[0], str) else None
    if name is None or not isinstance(network, Decoder | Encoder | StateSpace | VisionLanguage):
        return network, ""
    ending = _ENDING.search(name)
    found = _with_task(config, network, "" if ending is None else str(ending["task"] or ending["other"]))
    if found is not None:
        return found, ""
    counted = "no head" if isinstance(network, Encoder) else "an output for each token of the vocabulary"
    return network, f"The head of {shorten(name)}, which architectures names, is not known: {counted} is counted."


def _with_task(config: Config, network: Decoder | Encoder | StateSpace | VisionLanguage, task: str) -> Family | None:
    """The network with the head for what the class is made for; None where it is not known."""
    match network:
        case Decoder():
            return _of_decoder(config, network, task)
        case Encoder():
            return _of_encoder(config, network, task)
        case VisionLanguage():
            task = "CausalLM" if task == "ConditionalGeneration" else task
            text = _of_decoder(config, network.text, task) if task in _OF_SEVERAL_PARTS else None
            return None if text is None else replace(network, text=text)
    return replace(network, head=task != "Model") if task in _OF_STATE_SPACES else None


def _of_decoder(config: Config, network: Decoder, task: str) -> Decoder | None:
    match task:
        case "CausalLM" | "LMHeadModel":
            return network
        case "Model":
            return replace(network, head=False)
        case "SequenceClassification":
            return replace(network, head=False, labels=_labels(config), label_bias=False)
        case "TokenClassification":
            return replace(network, head=False, labels=_labels(config), label_dropout=True)
        case "QuestionAnswering":
            return replace(network, head=False, labels=2)
        case _:
            return None


def _of_encoder(config: Config, network: Encoder, task: str) -> Encoder | None:
    pooler = config.keys.get("model_type") == "bert"  # RoBERTa's classifier has a layer of its own in its place
    match task:
        case "Model":
            return network
        case "MaskedLM" | "CausalLM" | "LMHeadModel":
            return replace(network, pooler=False, masked=True)
        case "PreTraining" if pooler:
            return replace(network, masked=True, labels=2)
        case "SequenceClassification":
            return replace(network, labels=_labels(config))
        case "MultipleChoice":
            return replace(network, labels=1)
        case "NextSentencePrediction" if pooler:
            return replace(network, labels=2)
        case "TokenClassification" | "QuestionAnswering":
            return replace(network, pooler=False, labels=_labels(config))
        case _:
            return None


def _labels(config: Config) -> int:
    """Classes of the answer: those that have names, or as many as there are said to be."""
    names = config.keys.get("id2label")
    return len(names) if isinstance(names, dict) and names else config.size("num_labels", usual=_LABELS, least=1)
