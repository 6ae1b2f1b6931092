"""Networks for images and texts that a config.json describes: LLaVA, Gemma 3, PaliGemma."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from advisor.models.configuration import MOST_LAYERS, Config
from advisor.models.families.pictures import VisionTransformer
from advisor.models.families.registry import Family
from advisor.models.families.transformers import Decoder
from advisor.models.families.vision_language import VisionLanguage
from advisor.wording import shorten

Read = Callable[[Mapping[str, Any], str], Family]
"""Reads the configuration of a part."""
_MISTRAL = {"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32}
_GEMMA = {
    "head_dim": 256,
    "num_key_value_heads": 4,
    "hidden_size": 2304,
    "intermediate_size": 9216,
    "num_hidden_layers": 26,
}
_TOWER = {
    "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12, "image_size": 224,
}  # fmt: skip
USUAL: Mapping[str, Mapping[str, int]] = {
    "llama": {**_MISTRAL, "vocab_size": 32000, "intermediate_size": 11008},
    "mistral": {**_MISTRAL, "vocab_size": 32000, "intermediate_size": 14336, "num_key_value_heads": 8},
    "qwen2": {**_MISTRAL, "vocab_size": 151936, "intermediate_size": 22016, "num_key_value_heads": 32},
    "qwen3": {
        **_MISTRAL, "vocab_size": 151936, "intermediate_size": 22016, "num_key_value_heads": 32, "head_dim": 128,
    },
    "gemma": {
        "vocab_size": 256000, "hidden_size": 3072, "intermediate_size": 24576, "num_hidden_layers": 28,
        "num_attention_heads": 16, "num_key_value_heads": 16, "head_dim": 256,
    },
    "gemma2": {**_GEMMA, "vocab_size": 256000, "num_attention_heads": 8},
    "gemma3_text": {**_GEMMA, "vocab_size": 262208, "num_attention_heads": 8},
    "clip_vision_model": {**_TOWER, "patch_size": 32},
    "siglip_vision_model": {**_TOWER, "patch_size": 16},
}  # fmt: skip
"""Sizes that a part has where its configuration does not say, as the library transformers has them: parts are saved with what
differs."""


def llava(config: Config, read: Read) -> VisionLanguage:
    looked = config.keys.get("vision_feature_layer", -2)
    return _joined(
        config,
        read,
        text="llama",
        tower="clip_vision_model",
        tied=False,
        projector="two_layers",
        projector_bias=config.flag("multimodal_projector_bias", True),
        views=len(looked) if isinstance(looked, list) and looked else 1,
    )


def gemma3(config: Config, read: Read) -> VisionLanguage:
    tokens = config.size("mm_tokens_per_image", usual=256, least=1)
    return _joined(
        config,
        read,
        text="gemma3_text",
        tower="siglip_vision_model",
        tied=True,
        projector="normed",
        image_tokens=tokens,
    )


def paligemma(config: Config, read: Read) -> VisionLanguage:
    found = _joined(config, read, text="gemma", tower="siglip_vision_model", tied=True, projector="linear")
    if (width := config.size("projection_dim", usual=2048)) != found.text.width:
        raise config.wrong(f"projection_dim is {width:,}, and the part for texts is {found.text.width:,} wide")
    return found


def _joined(config: Config, read: Read, *, text: str, tower: str, tied: bool, **said: Any) -> VisionLanguage:
    """The parts, of these kinds where the configuration does not say."""
    keys = _part(config, "text_config", text)
    language = read(keys, f"{config.where}: text_config")
    if not isinstance(language, Decoder):
        raise config.wrong(f"text_config is of the kind {shorten(keys['model_type'], 40)!r}, which writes no text")
    language = replace(language, tied=config.flag("tie_word_embeddings", tied))
    return VisionLanguage(vision=_tower(config, _part(config, "vision_config", tower)), text=language, **said)


def _part(config: Config, name: str, usual: str) -> Mapping[str, Any]:
    keys = config.keys.get(name)
    if not isinstance(keys, dict):
        raise config.wrong(f"it has no {name}", "Take the config.json that stands beside the weights.")
    kind = keys.get("model_type") or usual
    sizes = USUAL.get(kind, {}) if isinstance(kind, str) else {}
    return {**sizes, **{key: value for key, value in keys.items() if value is not None}, "model_type": kind}


def _tower(config: Config, keys: Mapping[str, Any]) -> VisionTransformer:
    kind = keys["model_type"]
    if kind not in ("clip_vision_model", "siglip_vision_model"):
        what = f"vision_config is of the kind {shorten(kind, 40)!r}"
        raise config.wrong(f"{what}, and only clip_vision_model and siglip_vision_model can be counted")
    part, clip = Config(f"{config.where}: vision_config", keys), kind == "clip_vision_model"
    part.expect(num_channels=3)
    width, heads = part.size("hidden_size", least=1), part.size("num_attention_heads", least=1)
    patch, side = part.size("patch_size", least=1), part.size("image_size", least=1, most=_MOST_SIDE)
    if width % heads:
        raise part.wrong(f"{width} values cannot be shared by {heads} heads")
    if patch > side:
        raise part.wrong(f"a patch of {patch} pixels is larger than the image of {side}")
    return VisionTransformer(
        width=width,
        layers=part.size("num_hidden_layers", least=1, most=MOST_LAYERS),
        heads=heads,
        patch=patch,
        inner=part.size("intermediate_size", least=1),
        tokens=int(clip),
        first_norm=clip,
        patch_bias=not clip,
        pooling_head=not clip and part.flag("vision_use_head", True),
        classes=0,
        side=side,
    )


_MOST_SIDE = 10_000
READERS: Mapping[str, Callable[[Config, Read], VisionLanguage]] = {
    "gemma3": gemma3,
    "llava": llava,
    "paligemma": paligemma,
}
"""By `model_type`."""
