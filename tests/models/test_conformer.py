"""Conformers are counted from their sizes as transformers builds them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.models.families.conformer import Conformer
from advisor.models.model import Layer
from advisor.models.published import published_models
from advisor.models.tape import Tape
from advisor.models.tracing.trace import traced

pytest.importorskip("transformers", reason="the models are compared with those of transformers")

from tests.models.building import build
from tests.models.libraries import as_in_training

SMALL = Conformer(
    width=64, layers=2, heads=4, inner=128, channels=16, vocabulary=30, dropout=False, frames=160, bands=40
)


@pytest.mark.parametrize(
    "network",
    [
        SMALL,
        replace(SMALL, bias=False, kernel=15),
        replace(SMALL, shortening=2, frames=90),
        replace(SMALL, bands=80),
        replace(SMALL, dropout=True),
    ],
    ids=["usual", "without shifts", "shortened less", "more bands", "dropout"],
)
def test_it_is_counted_as_the_library_builds_it(network: Conformer) -> None:
    module, inputs = build("transformers:ParakeetForCTC", network)
    with as_in_training():
        found = traced(lambda: module, inputs)

    layers = counted(network)

    assert total(layers, "parameters") == total(found, "parameters")
    assert total(layers, "multiply_adds") == total(found, "multiply_adds")
    ours, autograds = (4 * total(one, "kept") + total(one, "kept_bytes") for one in (layers, found))
    assert ours == autograds


@pytest.mark.parametrize(("name", "gigabytes"), [("parakeet-ctc-0.6b", 2.44), ("parakeet-ctc-1.1b", 4.25)])
def test_parakeets_are_as_large_as_their_published_weights(name: str, gigabytes: float) -> None:
    """huggingface.co/nvidia/NAME, its files: NAME.nemo, in 32 bits."""
    assert published_models()[name].model().parameters * 4 / 1e9 == pytest.approx(gigabytes, abs=0.01)


def test_longer_speech_keeps_scores_with_the_square_of_its_length() -> None:
    parakeet = published_models()["parakeet-ctc-1.1b"]

    short, long = parakeet.model((3000, 80)), parakeet.model((6000, 80))

    assert long.parameters == short.parameters
    assert long.kept - 2 * short.kept == pytest.approx(42 * 8 * (750**2 - 2 * 375**2), rel=1e-3)


def total(layers: list[Layer], what: str) -> int:
    return sum(getattr(layer, what) for layer in layers)


def counted(network: Conformer) -> list[Layer]:
    tape = Tape()
    network.count(tape, network.input)
    return tape.layers
