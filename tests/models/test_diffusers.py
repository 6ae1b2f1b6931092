"""A config.json of diffusers: the network that it describes, counted without running code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import InputError
from advisor.models.diffusers import READERS
from advisor.models.huggingface import family_of, network_of
from advisor.models.published import published_models
from advisor.models.tape import Tape
from tests.models import test_diffusion as small
from tests.models.libraries import Built, diffusing, flux, library, text, text_and_sizes, text_and_summary
from tests.properties import examples

SDXL: dict[str, Any] = {
    "_class_name": "UNet2DConditionModel",
    "addition_embed_type": "text_time",
    "addition_time_embed_dim": 256,
    "attention_head_dim": [5, 10, 20],
    "block_out_channels": [320, 640, 1280],
    "cross_attention_dim": 2048,
    "down_block_types": ["DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"],
    "projection_class_embeddings_input_dim": 2816,
    "sample_size": 128,
    "transformer_layers_per_block": [1, 2, 10],
    "up_block_types": ["CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"],
    "use_linear_projection": True,
}
"""As that of Stable Diffusion XL says."""
SD3: dict[str, Any] = {
    "_class_name": "SD3Transformer2DModel",
    "caption_projection_dim": 2432,
    "num_attention_heads": 38,
    "num_layers": 38,
    "qk_norm": "rms_norm",
}
FLUX: dict[str, Any] = {"_class_name": "FluxTransformer2DModel", "guidance_embeds": True}
DDPM: dict[str, Any] = {
    "_class_name": "UNet2DModel",
    "attention_head_dim": None,
    "block_out_channels": [128, 256, 256, 256],
    "down_block_types": ["DownBlock2D", "AttnDownBlock2D", "DownBlock2D", "DownBlock2D"],
    "sample_size": 32,
    "up_block_types": ["UpBlock2D", "UpBlock2D", "AttnUpBlock2D", "UpBlock2D"],
}


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        (SDXL, "stable-diffusion-xl"),
        (SD3, "stable-diffusion-3.5-large"),
        (FLUX, "flux.1-dev"),
        (DDPM, "ddpm-cifar10-32"),
    ],
    ids=["SDXL", "SD3", "FLUX", "DDPM"],
)
def test_a_configuration_is_counted_like_the_published_network_that_it_describes(
    tmp_path: Path, keys: dict[str, Any], name: str
) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(keys))

    model, published = network_of(path), published_models()[name].model()

    assert (model.input, model.parameters) == (published.input, published.parameters)
    assert (model.multiply_adds, model.kept) == (published.multiply_adds, published.kept)


@pytest.mark.parametrize(
    ("build", "built"),
    [
        (small.plain, diffusing(small.plain, small.kind_of_picture)),
        (small.told, diffusing(small.told, text_and_sizes(77, 48, 24))),
        (small.transformer, diffusing(small.transformer, small.kind_of_picture, picture="hidden_states")),
        (small.transformer_with_text, diffusing(small.transformer_with_text, text(120, 48), picture="hidden_states")),
        (small.joint, diffusing(small.joint, text_and_summary(333, 48, 24), picture="hidden_states")),
        (small.joint_twice, diffusing(small.joint_twice, text_and_summary(333, 48, 24), picture="hidden_states")),
        (small.joint_then_shared, flux(small.joint_then_shared, 512, 48, 24)),
    ],
    ids=["UNet", "UNet, text", "DiT", "PixArt", "SD3", "SD3.5", "FLUX"],
)
def test_every_kind_is_counted_as_the_library_builds_it(
    build: Callable[[Any], Any], built: Callable[[tuple[int, ...]], Built]
) -> None:
    module = build(library("diffusers"))
    keys = json.loads(module.to_json_string())

    network = family_of(keys, "config.json")

    input = (network.input[0], 16, 16)
    tape = Tape()
    network.count(tape, input)
    found = built(input).traced()
    for what in ("parameters", "multiply_adds"):
        assert small.total(tape.layers, what) == small.total(found, what), what


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"_class_name": "UNet2DConditionalModel"}, "Did you mean UNet2DConditionModel?"),
        (SDXL | {"block_out_channels": "wide"}, "block_out_channels must be a list"),
        (SDXL | {"attention_head_dim": [5, 10]}, "must have a number for each stage"),
        (SDXL | {"attention_head_dim": [5, 10, 0]}, "attention_head_dim must be 1 or more"),
        (SDXL | {"attention_head_dim": [3, 10, 20]}, "cannot be cut into"),
        (SDXL | {"down_block_types": ["DownBlock2D"] * 3}, "turned round"),
        (SDXL | {"down_block_types": ["ResnetDownsampleBlock2D"] * 3}, "down_block_types can be counted where"),
        (SDXL | {"transformer_layers_per_block": [1, 2, 2000]}, "cannot have more than 2,000 layers"),
        (SDXL | {"addition_embed_type": "image"}, "addition_embed_type can be counted where"),
        (SDXL | {"norm_num_groups": 48}, "cannot be cut into 48 groups"),
        (SD3 | {"dual_attention_layers": [3]}, "dual_attention_layers can be counted where they are the first ones"),
        (FLUX | {"in_channels": 63}, "multiple of 4"),
        (DDPM | {"resnet_time_scale_shift": "scale_shift"}, 'only "default" can be counted'),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_counted_is_told_with_the_key(keys: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        family_of(keys, "config.json")
    assert said in str(caught.value)
    assert "config.json" in str(caught.value)


KEYS = sorted(
    {*SDXL, *SD3, *FLUX, *DDPM, "in_channels", "out_channels", "patch_size", "layers_per_block"} - {"_class_name"}
)
VALUES = st.none() | st.booleans() | st.integers(-2, 300) | st.floats() | st.text(max_size=5)


@examples(300)
@given(
    kind=st.sampled_from(sorted(READERS)),
    changed=st.dictionaries(st.sampled_from(KEYS), VALUES | st.lists(VALUES, max_size=4), max_size=4),
)
def test_any_values_are_counted_or_refused(kind: str, changed: dict[str, Any]) -> None:
    layers = {"num_layers": 2, "num_single_layers": 2, "caption_channels": 8, "sample_size": 16}
    keys = layers | changed | {"_class_name": kind}
    for name in ("num_layers", "num_single_layers", "layers_per_block"):
        if isinstance(keys.get(name), int):
            keys[name] = min(keys[name], 3)
    tape, refused_at = Tape(), []
    try:
        network = family_of(keys, "config.json")
        network.count(tape, network.input)
    except InputError as error:
        refused_at = [problem.where for problem in error.problems]
    assert set(refused_at) <= {"config.json"}
    assert bool(refused_at) != bool(tape.layers)
    assert all(layer.parameters >= 0 and layer.multiply_adds >= 0 and layer.kept >= 0 for layer in tape.layers)
