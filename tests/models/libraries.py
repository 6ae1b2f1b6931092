"""Networks as other libraries build them, by the names of profiles/models: what to build, and what to give it.

python -m tests.models.libraries NAME...     prints the counts of their parts, as profiles/models takes them
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import pytest
import torch
from torch import nn

from advisor.models.model import Layer
from advisor.models.tracing.operations import FORMULAS
from advisor.models.tracing.trace import traced
from advisor.report.models.page import parts


@dataclass(frozen=True)
class Built:
    """A network, and one batch for it."""

    build: Callable[[], nn.Module]
    inputs: Callable[[int], Any]
    contents: bool = False
    """Its operations depend on what is in the tensors, so they must have contents."""

    def traced(self) -> list[Layer]:
        with as_in_training():
            return traced(self.build, self.inputs, contents=self.contents)


class Called(nn.Module):
    """A network whose arguments have names."""

    def __init__(self, module: nn.Module, names: tuple[str, ...]) -> None:
        super().__init__()
        self.module = module
        self.names = names

    def forward(self, *given: Any) -> Any:
        return self.module(**dict(zip(self.names, given, strict=True)))


def library(name: str) -> Any:
    """A library of models. Torchvision, which some import, may lack its compiled operators, which no network here needs."""
    for needed in ("torchvision", name.partition(".")[0]):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"{needed} is not installed, which is for development")
    with _without_operators():
        importlib.import_module("torchvision")
    return importlib.import_module(name)


@contextmanager
def _without_operators() -> Iterator[None]:
    register = torch.library.register_fake

    def patient(op: Any, *given: Any, **named: Any) -> Any:
        if str(op).startswith("torchvision::"):
            return lambda function: function
        return register(op, *given, **named)

    torch.library.register_fake = patient
    try:
        yield
    finally:
        torch.library.register_fake = register


@contextmanager
def as_in_training() -> Iterator[None]:
    """Transformers decides by the values of its tensors, and fake ones have none: let it decide as in training.

    Every example is one text, so that attention needs no mask; experts are multiplied in 32 bits too.
    """
    moe = library("transformers.integrations.moe")
    FORMULAS[torch.ops.transformers.grouped_mm_fallback] = lambda rows, weights, *_, **__: (
        2 * rows[0] * rows[1] * weights[-1]
    )
    with (
        patch("transformers.masking_utils.find_packed_sequence_indices", lambda positions: None),
        patch.object(moe, "_can_use_grouped_mm", lambda *_: False),
    ):
        yield


def built(name: str, how: str, shape: tuple[int, ...]) -> Built:
    """The network of a profile: `timm:NAME`, or one of those below."""
    source, _, called = how.partition(":")
    if source == "timm":
        return Built(lambda: library("timm").create_model(called), lambda batch: (torch.zeros(batch, *shape),))
    if source == "smp":
        unet = library("segmentation_models_pytorch").Unet
        return Built(lambda: unet(called, encoder_weights=None), lambda batch: (torch.zeros(batch, *shape),))
    return OTHERS[name](shape)


def _pictures(build: Callable[[], nn.Module], *, contents: bool = False) -> Callable[[tuple[int, ...]], Built]:
    return lambda shape: Built(build, lambda batch: (torch.zeros(batch, *shape),), contents)


def _transformer(
    model: str, config: str, *names: str, contents: bool = False, **sizes: Any
) -> Callable[[tuple[int, ...]], Built]:
    def build() -> nn.Module:
        transformers = library("transformers")
        return Called(getattr(transformers, model)(getattr(transformers, config)(**sizes)), names or ("pixel_values",))

    return _pictures(build, contents=contents)


def diffusing(
    build: Callable[[Any], nn.Module],
    more: Callable[[int], Mapping[str, Any]] = lambda batch: {},
    *,
    picture: str = "sample",
) -> Callable[[tuple[int, ...]], Built]:
    """A network of diffusers that takes a noisy picture, under this name, a time, and more."""
    return lambda shape: Built(
        lambda: build(library("diffusers")),
        lambda batch: {picture: torch.zeros(batch, *shape), "timestep": torch.zeros(batch), **more(batch)},
    )


def text(words: int, width: int) -> Callable[[int], Mapping[str, Any]]:
    return lambda batch: {"encoder_hidden_states": torch.zeros(batch, words, width)}


def text_and_sizes(words: int, width: int, summary: int) -> Callable[[int], Mapping[str, Any]]:
    """With a summary of the text, and six sizes of the picture (SDXL)."""
    return lambda batch: {
        **text(words, width)(batch),
        "added_cond_kwargs": {"text_embeds": torch.zeros(batch, summary), "time_ids": torch.zeros(batch, 6)},
    }


def text_and_summary(words: int, width: int, summary: int) -> Callable[[int], Mapping[str, Any]]:
    """With a summary of the text (Stable Diffusion 3)."""
    return lambda batch: {**text(words, width)(batch), "pooled_projections": torch.zeros(batch, summary)}


def flux(build: Callable[[Any], nn.Module], words: int, width: int, summary: int) -> Callable[[tuple[int, ...]], Built]:
    """A network of diffusers that takes patches of two by two latents in a row, and the places of all."""

    def make(shape: tuple[int, ...]) -> Built:
        channels, height, side = shape
        patches = height * side // 4

        def inputs(batch: int) -> Mapping[str, Any]:
            return {
                "hidden_states": torch.zeros(batch, patches, 4 * channels),
                "timestep": torch.zeros(batch),
                "guidance": torch.zeros(batch),
                "img_ids": torch.zeros(patches, 3),
                "txt_ids": torch.zeros(words, 3),
                **text_and_summary(words, width, summary)(batch),
            }

        return Built(lambda: build(library("diffusers")), inputs)

    return make


def _video(name: str) -> Callable[[], nn.Module]:
    def build() -> nn.Module:
        made: nn.Module = getattr(library("torchvision.models.video"), name)()
        return made

    return build


def _segmenting(name: str) -> Callable[[], nn.Module]:
    def build() -> nn.Module:
        made: nn.Module = getattr(library("torchvision.models.segmentation"), name)(weights_backbone=None)
        return made

    return build


def _deberta() -> torch.nn.Module:
    sizes = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072}
    places = {"relative_attention": True, "position_buckets": 256, "norm_rel_ebd": "layer_norm", "share_att_key": True}
    return library("transformers").DebertaV2Model(
        library("transformers").DebertaV2Config(
            **sizes,
            **places,
            vocab_size=128_100,
            pos_att_type=["p2c", "c2p"],
            position_biased_input=False,
            attention_probs_dropout_prob=0.0,
        )
    )


def _timesfm() -> torch.nn.Module:
    return library("transformers").TimesFmModelForPrediction(
        library("transformers").TimesFmConfig(attention_dropout=0.0)
    )


def _timesfm_2_5() -> torch.nn.Module:
    return library("transformers").TimesFm2_5ModelForPrediction(
        library("transformers").TimesFm2_5Config(attention_dropout=0.0, force_flip_invariance=False)
    )


def _series(steps: int) -> Callable[[int], Mapping[str, Any]]:
    return lambda batch: {"past_values": [torch.zeros(steps) for _ in range(batch)]}


_DOWN, _UP = "DownBlock2D", "UpBlock2D"
OTHERS: dict[str, Callable[[tuple[int, ...]], Built]] = {
    # video: (colours, frames, height, width), or frames first
    "r3d_18": _pictures(_video("r3d_18")),
    "mvit_v2_s": _pictures(_video("mvit_v2_s")),
    "swin3d_t": _pictures(_video("swin3d_t")),
    "videomae-base": _transformer("VideoMAEForVideoClassification", "VideoMAEConfig"),
    "timesformer-base": _transformer("TimesformerForVideoClassification", "TimesformerConfig"),
    # segmentation and detection
    "deeplabv3_resnet50": _pictures(_segmenting("deeplabv3_resnet50")),
    "segformer-b0": _transformer("SegformerForSemanticSegmentation", "SegformerConfig", num_labels=150),
    "sam-vit-base": _transformer("SamModel", "SamConfig"),
    "mask2former-swin-tiny": _transformer("Mask2FormerForUniversalSegmentation", "Mask2FormerConfig", contents=True),
    "detr-resnet-50": _transformer("DetrForObjectDetection", "DetrConfig", contents=True),
    "rtdetr_r50vd": _transformer("RTDetrForObjectDetection", "RTDetrConfig", contents=True),
    "rtdetr_v2_r50vd": _transformer("RTDetrV2ForObjectDetection", "RTDetrV2Config", contents=True),
    "dfine-large": _transformer("DFineForObjectDetection", "DFineConfig", contents=True),
    "yolos-base": _transformer("YolosForObjectDetection", "YolosConfig"),
    # texts, series
    "deberta-v3-base": lambda shape: Built(
        _deberta, lambda batch: {"input_ids": torch.zeros(batch, *shape, dtype=torch.long)}
    ),
    "timesfm-2.0-500m": lambda shape: Built(_timesfm, _series(*shape)),
    "timesfm-2.5-200m": lambda shape: Built(_timesfm_2_5, _series(*shape)),
    # diffusion
    "ddpm-cifar10-32": diffusing(
        lambda diffusers: diffusers.UNet2DModel(
            sample_size=32,
            block_out_channels=(128, 256, 256, 256),
            down_block_types=(_DOWN, "AttnDownBlock2D", _DOWN, _DOWN),
            up_block_types=(_UP, _UP, "AttnUpBlock2D", _UP),
            attention_head_dim=None,
            downsample_padding=0,
            flip_sin_to_cos=False,
            freq_shift=1,
        )
    ),
    "stable-diffusion-1.5": diffusing(
        lambda diffusers: diffusers.UNet2DConditionModel(sample_size=64, cross_attention_dim=768), text(77, 768)
    ),
    "stable-diffusion-xl": diffusing(
        lambda diffusers: diffusers.UNet2DConditionModel(
            sample_size=128,
            block_out_channels=(320, 640, 1280),
            down_block_types=(_DOWN, f"CrossAttn{_DOWN}", f"CrossAttn{_DOWN}"),
            up_block_types=(f"CrossAttn{_UP}", f"CrossAttn{_UP}", _UP),
            transformer_layers_per_block=(1, 2, 10),
            attention_head_dim=(5, 10, 20),
            cross_attention_dim=2048,
            use_linear_projection=True,
            addition_embed_type="text_time",
            addition_time_embed_dim=256,
            projection_class_embeddings_input_dim=2816,
        ),
        text_and_sizes(77, 2048, 1280),
    ),
    "pixart-xl-2-512": diffusing(
        lambda diffusers: diffusers.PixArtTransformer2DModel(sample_size=64, caption_channels=4096),
        text(120, 4096),
        picture="hidden_states",
    ),
    "stable-diffusion-3.5-medium": diffusing(
        lambda diffusers: diffusers.SD3Transformer2DModel(
            num_layers=24,
            num_attention_heads=24,
            caption_projection_dim=1536,
            dual_attention_layers=tuple(range(13)),
            pos_embed_max_size=384,
            qk_norm="rms_norm",
        ),
        text_and_summary(333, 4096, 2048),
        picture="hidden_states",
    ),
    "stable-diffusion-3.5-large": diffusing(
        lambda diffusers: diffusers.SD3Transformer2DModel(
            num_layers=38,
            num_attention_heads=38,
            caption_projection_dim=2432,
            pos_embed_max_size=192,
            qk_norm="rms_norm",
        ),
        text_and_summary(333, 4096, 2048),
        picture="hidden_states",
    ),
    "flux.1-dev": flux(lambda diffusers: diffusers.FluxTransformer2DModel(guidance_embeds=True), 512, 4096, 768),
}


if __name__ == "__main__":
    for name in sys.argv[2:]:
        shape = tuple(int(size) for size in sys.argv[1].split(","))
        print(f"  {name}:")
        for part in parts(built(name, name, shape).traced()):
            counts = (part.parameters, part.multiply_adds, part.kept, part.kept_bytes, part.moved)
            print(f"        {part.name}: [{part.kind}, {', '.join(map(str, counts))}]")
