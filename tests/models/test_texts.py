"""Networks for text, speech and series are counted from their sizes as transformers builds them.

Two layers of each are traced on fake tensors: the others are like them. Parameters agree to one, multiply-adds to one in
a thousand. What is kept agrees to the byte for most, and within 6 % for all: the CPU's kernel copies results whose queries
lie head by head (Whisper, Phi, Pythia), local attention keeps its masks (ModernBERT), and some libraries store scores
(T5 on the CPU, WavLM, gpt-oss, Gemma 2).
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from advisor.models.families.speech import SpeechEncoder
from advisor.models.model import Layer, Model
from advisor.models.published import published_models
from advisor.models.tape import Tape
from advisor.models.tracing.trace import traced

pytest.importorskip("transformers", reason="the models are compared with those of transformers")

from advisor.models.transformers_config import CLASSES
from tests.models.building import build
from tests.models.libraries import as_in_training
from tests.networks.computed import kept_by_autograd

FROM_SIZES = [
    name
    for name, model in published_models().items()
    if model.built.removeprefix("transformers:") in CLASSES and not isinstance(model.network, Model)
]
DROPPING = [
    name
    for name in FROM_SIZES
    if isinstance(network := published_models()[name].network, SpeechEncoder)
    or (getattr(network, "attention", None) and network.attention.dropout and not network.attention.stored_scores)
]
BYTES = 4
"""Of a value in 32 bits."""


@pytest.mark.parametrize("name", FROM_SIZES)
@pytest.mark.some(12)
def test_two_layers_are_counted_as_the_library_builds_them(name: str) -> None:
    model = published_models()[name]
    network = shallow(model.network)
    module, inputs = build(model.built, network)
    with as_in_training():
        found = traced(lambda: module, inputs)

    layers = counted(network)

    assert total(layers, "parameters") == total(found, "parameters")
    assert total(layers, "multiply_adds") == pytest.approx(total(found, "multiply_adds"), rel=1e-3)
    ours, autograds = (BYTES * total(one, "kept") + total(one, "kept_bytes") for one in (layers, found))
    assert ours == pytest.approx(autograds, rel=0.06)


@pytest.mark.parametrize("name", FROM_SIZES)
@pytest.mark.some(12)
def test_the_whole_has_as_many_parameters_as_the_library_builds(name: str) -> None:
    model = published_models()[name]

    module, _ = build(model.built, model.network)

    parameters = sum(one.numel() for one in module.parameters())
    assert model.model().parameters == pytest.approx(parameters, rel=1e-3)


@pytest.mark.parametrize("name", DROPPING)
@pytest.mark.some(3)
def test_on_a_processor_dropout_in_attention_keeps_the_scores_of_all_pairs(name: str) -> None:
    """Torch's kernel that makes them anew knows no dropout there."""
    model = published_models()[name]
    network = shallow(model.network, dropout=True)
    module, inputs = build(model.built, network, device="cpu")
    one, two = inputs(1), inputs(2)
    autograds = kept_by_autograd(module, lambda run: run(**two)) - kept_by_autograd(module, lambda run: run(**one))

    ours, on_card = (
        BYTES * total(layers, "kept") + total(layers, "kept_bytes")
        for layers in (counted(network, processor=True), counted(network))
    )

    assert ours == pytest.approx(autograds, rel=0.06)
    assert ours > on_card


def shallow(network: Any, *, dropout: bool = False) -> Any:
    """It, with two layers on each side, and no dropout in attention unless it is wanted."""
    names = {field.name for field in fields(network)}
    changes: dict[str, Any] = {"layers": 2}
    if "decoder_layers" in names:
        changes["decoder_layers"] = 2
    if isinstance(network, SpeechEncoder):
        changes["dropout"] = dropout
    if "attention" in names:
        changes["attention"] = replace(network.attention, dropout=dropout and network.attention.dropout)
    return replace(network, **changes)


def total(layers: list[Layer], what: str) -> int:
    return sum(getattr(layer, what) for layer in layers)


def counted(network: Any, *, processor: bool = False) -> list[Layer]:
    tape = Tape(processor=processor)
    network.count(tape, network.input)
    return tape.layers
