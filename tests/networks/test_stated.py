"""Networks of a stated size are estimated about as published networks of their type and size are counted."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.models.model import Model
from advisor.models.published import published_models
from advisor.networks.stated import Estimate, Stated, estimated
from tests.properties import examples


def about(network: str, modality: str, name: str, inputs: int, steps: int | None = None, **more: bool) -> Estimate:
    """The estimate for the weights of a published network and its usual input."""
    size = published(name).parameters
    stated = Stated(
        network=network, modality=modality, parameters=size, inputs=inputs, steps=steps, outputs=1000, **more
    )
    found = estimated(stated)
    assert found is not None
    return found


def published(name: str) -> Model:
    return published_models()[name].model()


def picture(name: str) -> int:
    return 3 * published(name).input[-1] ** 2


@pytest.mark.parametrize("name", ["resnet18", "resnet34", "resnet50", "resnet101", "resnet152"])
def test_a_convolutional_network_of_the_size_of_a_resnet_is_that_resnet(name: str) -> None:
    found, real = about("cnn", "image", name, picture(name)), published(name)
    assert found.multiply_adds == pytest.approx(real.multiply_adds, rel=0.01)
    assert found.kept == pytest.approx(real.kept, rel=0.01)


@pytest.mark.parametrize(
    "name", ["convnext_tiny", "convnext_small", "convnext_base", "convnext_large", "resnext50_32x4d"]
)
def test_other_convolutional_networks_compute_and_keep_about_as_much(name: str) -> None:
    """The estimate rests on none of these."""
    found, real = about("cnn", "image", name, picture(name)), published(name)
    assert found.multiply_adds == pytest.approx(real.multiply_adds, rel=0.15)
    assert found.kept == pytest.approx(real.kept, rel=0.3)


@pytest.mark.parametrize("name", ["regnety_032", "wide_resnet50_2", "vgg16", "tf_efficientnetv2_s", "efficientnet_b3"])
def test_designs_of_other_proportions_are_within_a_factor_of_two(name: str) -> None:
    found = about("cnn", "image", name, picture(name)).multiply_adds
    assert 0.5 < found / published(name).multiply_adds < 2


@pytest.mark.parametrize(
    "name", ["vit_tiny_patch16_224", "vit_small_patch16_224", "vit_large_patch16_224", "dinov3_base", "dinov3_large"]
)
def test_a_transformer_on_pictures_follows_from_patches(name: str) -> None:
    found, real = about("transformer", "image", name, picture(name)), published(name)
    assert found.multiply_adds == pytest.approx(real.multiply_adds, rel=0.05)
    assert found.kept == pytest.approx(real.kept, rel=0.2)


def test_a_film_is_cut_into_tubes() -> None:
    """1568 tokens of 16 frames of 224 x 224 pixels."""
    found, real = about("transformer", "video", "videomae-base", 150_528, 16), published("videomae-base")
    assert found.multiply_adds == pytest.approx(real.multiply_adds, rel=0.02)
    assert found.kept == pytest.approx(real.kept, rel=0.1)


def test_a_convolutional_network_looks_at_films_in_three_dimensions() -> None:
    found, real = about("cnn", "video", "r3d_18", 3 * 112**2, 16), published("r3d_18")
    assert found.multiply_adds == pytest.approx(real.multiply_adds, rel=0.02)
    assert found.kept == pytest.approx(real.kept, rel=0.02)


@pytest.mark.parametrize("name", ["wav2vec2-base", "wav2vec2-large-lv60", "hubert-base"])
def test_a_wave_is_shortened_before_it_is_attended_to(name: str) -> None:
    found, real = about("transformer", "audio", name, 1, 160_000), published(name)
    assert found.multiply_adds == pytest.approx(real.multiply_adds, rel=0.05)
    assert found.kept == pytest.approx(real.kept, rel=0.1)


@pytest.mark.parametrize("name", ["whisper-small", "whisper-medium", "whisper-large-v3"])
def test_a_spectrogram_is_written_down_from_half_of_its_frames(name: str) -> None:
    found, real = about("transformer", "audio", name, 80, 3000, translates=True), published(name)
    assert found.multiply_adds == pytest.approx(real.multiply_adds, rel=0.2)
    assert found.kept == pytest.approx(real.kept, rel=0.2)


@pytest.mark.parametrize("steps", [2048, 131_072])
@pytest.mark.parametrize("name", ["llama-3.2-1b", "llama-3.1-8b", "qwen3-14b", "llama-3.1-70b"])
def test_attention_counts_in_long_texts(name: str, steps: int) -> None:
    real = published_models()[name].model((steps,))
    stated = Stated(network="transformer", modality="text", parameters=real.parameters, inputs=None, steps=steps)
    found = estimated(stated)
    assert found is not None
    assert found.multiply_adds == pytest.approx(real.multiply_adds, rel=0.45 if steps > 100_000 else 0.1)


@pytest.mark.parametrize(
    ("name", "side"),
    [
        ("ddpm-cifar10-32", 32),
        ("stable-diffusion-1.5", 512),
        ("dit-xl-2-256", 256),
        ("stable-diffusion-3.5-medium", 1024),
    ],
)
def test_a_diffusion_model_is_within_a_factor_of_two(name: str, side: int) -> None:
    found, real = about("diffusion", "image", name, 3 * side**2), published(name)
    assert abs(math.log2(found.multiply_adds / real.multiply_adds)) < 1
    assert abs(math.log2(found.kept / real.kept)) < 1


def test_a_u_net_of_the_first_size_is_the_first_u_net() -> None:
    found, real = about("unet", "image", "unet", 512 * 512), published("unet")
    assert found.multiply_adds == pytest.approx(real.multiply_adds, rel=0.1)


def test_identities_are_looked_up_and_not_multiplied() -> None:
    """MLPerf's DLRM: 13 numbers and 26 identities, 24 billion weights, nearly all of them in tables."""
    found, real = about("ffn", "tabular", "dlrm-criteo", 39, identities=True), published("dlrm-criteo")
    tables = sum(layer.parameters for layer in real.layers if layer.kind == "table")
    assert found.multiply_adds == pytest.approx(real.multiply_adds, rel=0.02)
    assert found.parameters - found.table_parameters == pytest.approx(real.parameters - tables, rel=0.02)
    assert found.looked_up == 26 * 128


def test_what_is_unknown_stays_unknown() -> None:
    assert estimated(Stated(network="cnn", modality="image", parameters=10**6, inputs=None, steps=None)) is None
    assert estimated(Stated(network="gnn", modality="graph", parameters=10**6, inputs=16, steps=None)) is None


SIZES = st.builds(
    Stated,
    network=st.sampled_from(["cnn", "transformer", "unet", "diffusion", "ffn", "lstm"]),
    modality=st.sampled_from(["image", "video", "audio", "text", "time_series", "tabular"]),
    parameters=st.integers(0, 40).map(lambda power: 2**power),
    inputs=st.sampled_from([None, 1, 2, 39, 784, 3072, 20_001, 150_528, 786_432]),
    steps=st.sampled_from([None, 1, 16, 1024, 160_000]),
    identities=st.booleans(),
    translates=st.booleans(),
    outputs=st.sampled_from([0, 1, 1000]),
)


@given(stated=SIZES)
@examples(200)
def test_any_size_is_estimated_with_figures_that_can_be(stated: Stated) -> None:
    found = estimated(stated)
    if found is not None:
        assert found.parameters == stated.parameters
        assert min(found.multiply_adds, found.largest) >= 1
        assert 1 <= found.recomputed <= found.kept
        assert 0 <= found.table_parameters <= found.parameters
