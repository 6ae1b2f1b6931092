"""Networks that are counted from their sizes alone, without a library that builds them."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.errors import InputError
from advisor.models.families.parts import Attention, FeedForward
from advisor.models.families.transformers import Decoder, Encoder
from advisor.models.model import Layer
from advisor.models.published import load_models, published_models
from advisor.models.tape import Tape


@pytest.mark.parametrize(
    ("name", "parameters", "beside"),
    [
        ("bert-large", 335_143_938, 2 * 1024 + 2),  # with a head of two classes
        ("roberta-large", 354_307_072, -(1024 * 1024 + 1024) - 1024 - 2 * 1024),  # no pooler, types, two places less
        ("xlm-roberta-base", 277_450_752, -(768 * 768 + 768) - 768 - 2 * 768),  # likewise
    ],
)
def test_a_library_that_none_was_read_from_publishes_the_same_totals(name: str, parameters: int, beside: int) -> None:
    """github.com/keras-team/keras-hub, keras_nlp/models/*/*_presets.py"""
    assert published_models()[name].model().parameters + beside == parameters


@pytest.mark.parametrize(
    ("name", "millions", "met"),
    [("mixtral-8x7b", 46_702, 12_879), ("qwen3-30b-a3b", 30_532, 3_353), ("gpt-oss-20b", 20_914, 4_187)],
)
def test_a_token_meets_few_parameters_of_a_mixture(name: str, millions: int, met: int) -> None:
    model = published_models()[name].model()

    assert (model.parameters // 10**6, model.active // 10**6) == (millions, met)


@pytest.mark.parametrize("name", ["llama-3.2-1b", "gemma-3-1b", "qwen3-0.6b"])
def test_a_tied_head_is_met_but_its_parameters_count_once(name: str) -> None:
    model = published_models()[name].model()

    assert model.active == model.parameters


def test_longer_texts_cost_more_than_in_proportion_and_keep_no_more() -> None:
    model = published_models()["llama-3.1-8b"]

    short, long = model.model((2048,)), model.model((4096,))

    assert long.multiply_adds > 2 * short.multiply_adds
    assert long.kept == 2 * short.kept


def test_stored_scores_grow_with_the_square_of_the_length() -> None:
    model = published_models()["t5-base"]

    short, long = model.model((512,)), model.model((1024,))

    assert long.kept > 2.2 * short.kept


def test_first_layers_without_experts_have_a_width_of_their_own() -> None:
    mixture = _decoder(first_dense=1, first_inner=64)

    first, second = (_parameters(_counted(mixture), f"layers.{number}.feed_forward") for number in range(2))

    assert first == 3 * 32 * 64
    assert second == 32 * 4 + 4 * 3 * 32 * 16


def test_dropout_keeps_a_byte_a_value() -> None:
    sizes = {"vocabulary": 100, "width": 32, "layers": 1, "steps": 8}
    parts = {"attention": Attention(heads=2, head=16), "feed_forward": FeedForward(inner=64)}

    with_it, without = (_counted(Encoder(**sizes, **parts, dropout=on)) for on in (True, False))  # type: ignore[arg-type]

    masks = sum(layer.kept_bytes for layer in with_it) - sum(layer.kept_bytes for layer in without)
    assert masks == 3 * 8 * 32  # of the embedding, of attention, of the feed-forward layer


def test_a_word_that_means_nothing_is_told_with_the_one_that_was_meant(tmp_path: Path) -> None:
    (tmp_path / "texts.yaml").write_text(
        """\
sources: {here: a test}
models:
  small:
    {title: Small, kind: encoder, licence: MIT, source: here, date: 2026-11-23,
     sizes: {vocabulary: 100, width: 32, layers: 1, norms: befor,
             attention: {heads: 2, head: 16}, feed_forward: {inner: 64}}}
"""
    )

    with pytest.raises(InputError, match="norms cannot be 'befor'") as refused:
        load_models(tmp_path)

    assert "before" in str(refused.value)


def _decoder(**changes: int) -> Decoder:
    return Decoder(
        vocabulary=100,
        width=32,
        layers=2,
        attention=Attention(heads=2, head=16, bias=False, output_bias=False, rotary=True),
        feed_forward=FeedForward(inner=16, gated=True, activation="silu", bias=False, experts=4, used=2),
        steps=8,
        **changes,
    )


def _counted(network: Decoder | Encoder) -> list[Layer]:
    tape = Tape()
    network.count(tape, network.input)
    return tape.layers


def _parameters(layers: list[Layer], part: str) -> int:
    return sum(layer.parameters for layer in layers if layer.name.startswith(f"{part}."))
