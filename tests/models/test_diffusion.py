"""Networks that take noise out of pictures are counted from their sizes as diffusers builds them.

What is kept agrees to the byte where a text or a class is told. Attention over the picture alone puts its places last, so
that some parts of the library copy what they read: 3 %.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch

from advisor.models.families.diffusion import DiffusionTransformer, DiffusionUNet
from advisor.models.families.joint_diffusion import JointDiffusionTransformer
from advisor.models.model import Layer
from advisor.models.published import published_models
from advisor.models.tape import Tape
from tests.models.libraries import Built, diffusing, flux, text, text_and_sizes, text_and_summary

TOTALS = {
    "ddpm-cifar10-32": 35.7,
    "stable-diffusion-1.5": 860,
    "stable-diffusion-xl": 2567,
    "dit-xl-2-256": 675,
    "pixart-xl-2-512": 611,
    "flux.1-dev": 11_900,
}
"""Millions of parameters, as their authors tell them, or half the bytes of flux1-dev.safetensors."""
JOINT = JointDiffusionTransformer(width=64, layers=3, heads=4, text=48, words=9, summary=24, side=32)


def plain(diffusers: Any) -> Any:
    return diffusers.UNet2DModel(
        block_out_channels=(32, 64, 96),
        layers_per_block=1,
        down_block_types=("DownBlock2D", "AttnDownBlock2D", "AttnDownBlock2D"),
        up_block_types=("AttnUpBlock2D", "AttnUpBlock2D", "UpBlock2D"),
        attention_head_dim=32,
        norm_num_groups=16,
        num_class_embeds=10,
    )


def told(diffusers: Any) -> Any:
    return diffusers.UNet2DConditionModel(
        block_out_channels=(32, 64),
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        transformer_layers_per_block=(1, 3),
        attention_head_dim=(1, 2),
        cross_attention_dim=48,
        addition_embed_type="text_time",
        addition_time_embed_dim=16,
        projection_class_embeddings_input_dim=24 + 6 * 16,
    )


def transformer(diffusers: Any) -> Any:
    return diffusers.DiTTransformer2DModel(
        num_attention_heads=4, attention_head_dim=16, num_layers=3, sample_size=16, patch_size=4, num_embeds_ada_norm=7
    )


def transformer_with_text(diffusers: Any) -> Any:
    return diffusers.PixArtTransformer2DModel(
        num_attention_heads=4,
        attention_head_dim=16,
        num_layers=3,
        sample_size=16,
        cross_attention_dim=64,
        caption_channels=48,
    )


def joint(diffusers: Any, **more: Any) -> Any:
    return diffusers.SD3Transformer2DModel(
        sample_size=32,
        num_layers=3,
        attention_head_dim=16,
        num_attention_heads=4,
        joint_attention_dim=48,
        caption_projection_dim=64,
        pooled_projection_dim=24,
        **more,
    )


def joint_twice(diffusers: Any) -> Any:
    return joint(diffusers, qk_norm="rms_norm", dual_attention_layers=(0, 1))


def joint_then_shared(diffusers: Any) -> Any:
    return diffusers.FluxTransformer2DModel(
        num_layers=3,
        num_single_layers=2,
        attention_head_dim=16,
        num_attention_heads=4,
        joint_attention_dim=48,
        pooled_projection_dim=24,
        guidance_embeds=True,
        axes_dims_rope=(4, 6, 6),
    )


def kind_of_picture(batch: int) -> dict[str, Any]:
    return {"class_labels": torch.zeros(batch, dtype=torch.long)}


@pytest.mark.parametrize(
    ("network", "build", "near"),
    [
        (
            DiffusionUNet(widths=(32, 64, 96), attention=(0, 1, 1), blocks=1, head=32, groups=16, classes=10),
            diffusing(plain, kind_of_picture),
            0.03,
        ),
        (
            DiffusionUNet(
                widths=(32, 64), attention=(0, 3), middle=3, head=32, text=48, words=5, conditions=120, channels=4
            ),
            diffusing(told, text_and_sizes(5, 48, 24)),
            0,
        ),
        (
            DiffusionTransformer(width=64, layers=3, heads=4, patch=4, outputs=4, classes=7, each_embeds=True, side=16),
            diffusing(transformer, kind_of_picture, picture="hidden_states"),
            0,
        ),
        (
            DiffusionTransformer(width=64, layers=3, heads=4, shared=True, classes=0, text=48, words=9, side=16),
            diffusing(transformer_with_text, text(9, 48), picture="hidden_states"),
            0,
        ),
        (JOINT, diffusing(joint, text_and_summary(9, 48, 24), picture="hidden_states"), 0),
        (
            replace(JOINT, head_norm=True, twice=2),
            diffusing(joint_twice, text_and_summary(9, 48, 24), picture="hidden_states"),
            0,
        ),
        (
            replace(JOINT, head_norm=True, shared_layers=2, rotary=True, guided=True),
            flux(joint_then_shared, 9, 48, 24),
            0,
        ),
    ],
    ids=["u-net", "u-net with text", "transformer", "transformer with text", "joint", "joint, twice", "joint, shared"],
)
def test_it_is_counted_as_the_library_builds_it(
    network: Any, build: Callable[[tuple[int, ...]], Built], near: float
) -> None:
    found = build(network.input).traced()

    layers = counted(network)

    assert total(layers, "parameters") == total(found, "parameters")
    assert total(layers, "multiply_adds") == total(found, "multiply_adds")
    ours, autograds = (4 * total(one, "kept") + total(one, "kept_bytes") for one in (layers, found))
    assert ours == pytest.approx(autograds, rel=near)


@pytest.mark.parametrize("name", TOTALS)
def test_the_published_ones_have_as_many_parameters_as_their_authors_tell(name: str) -> None:
    assert published_models()[name].model().parameters / 1e6 == pytest.approx(TOTALS[name], rel=2e-3)


@pytest.mark.parametrize(("side", "billions"), [(32, 118.64), (64, 524.60)])
def test_larger_latents_take_as_many_operations_as_the_authors_of_dit_tell(side: int, billions: float) -> None:
    """Peebles and Xie 2023, tables 4 and 6, where a multiply-add is one operation."""
    model = published_models()["dit-xl-2-256"].model((4, side, side))

    assert model.multiply_adds / 1e9 == pytest.approx(billions, rel=1e-3)


def test_each_layer_embeds_time_and_class_again_in_the_copy_of_diffusers() -> None:
    one = published_models()["dit-xl-2-256"].network
    assert isinstance(one, DiffusionTransformer)

    each = counted(replace(one, each_embeds=True))

    embedding = 256 * 1152 + 1152 + 1152**2 + 1152 + 1001 * 1152
    assert total(each, "parameters") - total(counted(one), "parameters") == 27 * embedding


def total(layers: list[Layer], what: str) -> int:
    return sum(getattr(layer, what) for layer in layers)


def counted(network: Any) -> list[Layer]:
    tape = Tape()
    network.count(tape, network.input)
    return tape.layers
