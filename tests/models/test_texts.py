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
from advisor.models.model import Model
from advisor.models.published import published_models
from advisor.models.tape import Tape

pytest.importorskip("transformers", reason="the models are compared with those of transformers")

from tests.models.building import CONFIGURATIONS, as_in_training, build
from tests.models.counting import NETWORKS
from tests.models.tracing import count_parameters, trace

FROM_SIZES = [
    name
    for name, model in published_models().items()
    if model.built.removeprefix("transformers:") in CONFIGURATIONS and not isinstance(model.network, Model)
]
BYTES = 4
"""Of a value in 32 bits."""


@pytest.mark.parametrize("name", FROM_SIZES)
@pytest.mark.some(12)
def test_two_layers_are_counted_as_the_library_builds_them(name: str) -> None:
    model = published_models()[name]
    network = shallow(model.network)
    with as_in_training():
        traced = trace(*build(model.built, network))

    layers = counted(network)

    assert sum(layer.parameters for layer in layers) == traced.parameters
    assert sum(layer.multiply_adds for layer in layers) == pytest.approx(traced.multiply_adds, rel=1e-3)
    kept = sum(layer.kept * BYTES + layer.kept_bytes for layer in layers)
    assert kept == pytest.approx(traced.kept, rel=0.06)


@pytest.mark.parametrize("name", sorted(NETWORKS))
@pytest.mark.slow
def test_what_was_counted_of_other_kinds_is_what_the_library_builds(name: str) -> None:
    found = [row for _, row in NETWORKS[name].rows().values()]
    model = published_models()[name].model()

    assert model.parameters == pytest.approx(sum(row[0] for row in found), rel=1e-3)
    assert model.multiply_adds == pytest.approx(sum(row[1] for row in found), rel=0.02)
    assert model.kept == pytest.approx(sum(row[2] for row in found), rel=0.1)


@pytest.mark.parametrize("name", FROM_SIZES)
@pytest.mark.some(12)
def test_the_whole_has_as_many_parameters_as_the_library_builds(name: str) -> None:
    model = published_models()[name]

    module, _ = build(model.built, model.network)

    assert model.model().parameters == pytest.approx(count_parameters(module), rel=1e-3)


def shallow(network: Any) -> Any:
    """It, with two layers on each side, and no dropout in attention."""
    names = {field.name for field in fields(network)}
    changes: dict[str, Any] = {"layers": 2}
    if "decoder_layers" in names:
        changes["decoder_layers"] = 2
    if isinstance(network, SpeechEncoder):
        changes["dropout"] = False
    if "attention" in names:
        changes["attention"] = replace(network.attention, dropout=False)
    return replace(network, **changes)


def counted(network: Any) -> list[Any]:
    tape = Tape()
    network.count(tape, network.input)
    return tape.layers
