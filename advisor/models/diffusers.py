"""Networks that a config.json of diffusers describes, counted from the sizes in it: no code of theirs is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from advisor.models.configuration import MOST_LAYERS, Config
from advisor.models.families.diffusion import DiffusionTransformer, DiffusionUNet
from advisor.models.families.joint_diffusion import JointDiffusionTransformer
from advisor.models.families.registry import Family

_MOST_SIDE = 10_000
_FLUX_PATCH = 2
_DOWN, _UP = "DownBlock2D", "UpBlock2D"


def _unet(config: Config) -> DiffusionUNet:
    """Attention over the picture alone."""
    config.expect(
        time_embedding_type="positional",
        mid_block_type="UNetMidBlock2D",
        downsample_type="conv",
        upsample_type="conv",
        act_fn="silu",
        attn_norm_num_groups=None,
        resnet_time_scale_shift="default",
        class_embed_type=None,
        time_embedding_dim=None,
    )
    widths = _widths(config, (224, 448, 672, 896))
    usual = (_DOWN, *(f"Attn{_DOWN}" for _ in widths[1:]))
    whole = "attention_head_dim" in config.keys and config.keys["attention_head_dim"] is None
    head = 0 if whole else config.size("attention_head_dim", usual=8, least=1)
    for width in widths:
        if head and width % head:
            raise config.wrong(f"{width} channels cannot be cut into heads of {head}")
    return DiffusionUNet(
        widths=widths,
        attention=tuple(map(int, _attending(config, usual, f"Attn{_DOWN}", f"Attn{_UP}"))),
        middle=int(config.flag("add_attention", True)),
        head=head,
        classes=config.size("num_class_embeds", usual=0),
        **_common(config, widths, channels=3, side=32),
    )


def _unet_with_text(config: Config) -> DiffusionUNet:
    config.expect(
        time_embedding_type="positional",
        mid_block_type="UNetMidBlock2DCrossAttn",
        act_fn="silu",
        resnet_time_scale_shift="default",
        class_embed_type=None,
        num_class_embeds=None,
        time_embedding_dim=None,
        time_cond_proj_dim=None,
        encoder_hid_dim=None,
        encoder_hid_dim_type=None,
        only_cross_attention=False,
        dual_cross_attention=False,
        mid_block_only_cross_attention=None,
        cross_attention_norm=None,
        attention_type="default",
        conv_in_kernel=3,
        conv_out_kernel=3,
        class_embeddings_concat=False,
        reverse_transformer_layers_per_block=None,
        num_attention_heads=None,
    )
    widths = _widths(config, (320, 640, 1280, 1280))
    looking = f"CrossAttn{_DOWN}"
    attending = _attending(config, (*(looking for _ in widths[1:]), _DOWN), looking, f"CrossAttn{_UP}")
    layers = config.sizes("transformer_layers_per_block", (1,) * len(widths), least=1, most=MOST_LAYERS)
    heads = config.sizes("attention_head_dim", (8,) * len(widths), least=1)  # which it calls so for history's sake
    if not len(layers) == len(heads) == len(widths):
        raise config.wrong("transformer_layers_per_block and attention_head_dim must have a number for each stage")
    if any(width % count for width, count in zip(widths, heads, strict=True)):
        raise config.wrong(f"channels {list(widths)} cannot be cut into {list(heads)} heads")
    told = config.keys.get("addition_embed_type")
    if told not in (None, "text_time"):
        raise config.wrong('addition_embed_type can be counted where it is null or "text_time"')
    common = _common(config, widths, channels=4, side=64)
    if sum(layers) * (common["blocks"] + 1) > MOST_LAYERS:
        raise config.wrong(f"all stages together cannot have more than {MOST_LAYERS:,} layers of attention")
    head = {width // count for width, count in zip(widths, heads, strict=True)}
    if len(head) > 1 and len(set(heads)) > 1:
        raise config.wrong("attention_head_dim can be counted where heads are as many, or as wide, in every stage")
    return DiffusionUNet(
        widths=widths,
        attention=tuple(count * here for count, here in zip(layers, attending, strict=True)),
        middle=layers[-1],
        heads=heads[0],
        head=head.pop() if len(head) == 1 else 0,
        text=config.size("cross_attention_dim", usual=1280, least=1),
        conditions=config.size("projection_class_embeddings_input_dim", least=1) if told else 0,
        **common,
    )


def _widths(config: Config, usual: tuple[int, ...]) -> tuple[int, ...]:
    return config.sizes("block_out_channels", usual, least=1)


def _attending(config: Config, usual: tuple[str, ...], down: str, up: str) -> list[bool]:
    """The stages with attention. Refuses blocks of other kinds, and ways up that are not the way down turned round."""
    kinds = config.keys.get("down_block_types") or list(usual)
    back = config.keys.get("up_block_types") or [up if kind == down else _UP for kind in reversed(list(usual))]
    if not isinstance(kinds, list) or not all(kind in (_DOWN, down) for kind in kinds):
        raise config.wrong(f"down_block_types can be counted where they are {_DOWN} and {down}")
    if len(kinds) != len(usual):
        raise config.wrong("down_block_types and block_out_channels must be as many")
    if back != [up if kind == down else _UP for kind in reversed(kinds)]:
        raise config.wrong("up_block_types can be counted where they are down_block_types turned round")
    return [kind == down for kind in kinds]


def _common(config: Config, widths: tuple[int, ...], *, channels: int, side: int) -> Mapping[str, int]:
    blocks = set(config.sizes("layers_per_block", (2,), least=1, most=MOST_LAYERS // len(widths)))
    groups = config.size("norm_num_groups", usual=32, least=1)
    if len(blocks) > 1:
        raise config.wrong("layers_per_block can be counted where it is the same in every stage")
    if any(width % groups for width in widths):
        raise config.wrong(f"channels {list(widths)} cannot be cut into {groups} groups")
    return {
        "blocks": blocks.pop(),
        "groups": groups,
        "channels": config.size("in_channels", usual=channels, least=1),
        "outputs": config.size("out_channels", usual=channels, least=1),
        "side": config.size("sample_size", usual=side, least=1, most=_MOST_SIDE),
    }


def _transformer(config: Config) -> DiffusionTransformer:
    config.expect(norm_type="ada_norm_zero", attention_bias=True, activation_fn="gelu-approximate")
    heads, width = _heads(config, heads=16, head=72)
    channels = config.size("in_channels", usual=4, least=1)
    return DiffusionTransformer(
        width=width,
        heads=heads,
        layers=config.size("num_layers", usual=28, least=1, most=MOST_LAYERS),
        channels=channels,
        outputs=config.size("out_channels", usual=channels, least=1),
        patch=_patch(config),
        classes=config.size("num_embeds_ada_norm", usual=1000, least=1),
        each_embeds=True,
        side=config.size("sample_size", usual=32, least=1, most=_MOST_SIDE),
    )


def _transformer_with_text(config: Config) -> DiffusionTransformer:
    config.expect(norm_type="ada_norm_single", attention_bias=True, activation_fn="gelu-approximate")
    heads, width = _heads(config, heads=16, head=72)
    side = config.size("sample_size", usual=128, least=1, most=_MOST_SIDE)
    if config.flag("use_additional_conditions", side == 128):
        raise config.wrong("use_additional_conditions, usual for a sample_size of 128, is not counted")
    if config.size("cross_attention_dim", usual=1152) != width:
        raise config.wrong(f"cross_attention_dim can be counted where it is {width}, the width of the layers")
    return DiffusionTransformer(
        width=width,
        heads=heads,
        layers=config.size("num_layers", usual=28, least=1, most=MOST_LAYERS),
        channels=config.size("in_channels", usual=4, least=1),
        outputs=config.size("out_channels", usual=8, least=1),
        patch=_patch(config),
        classes=0,
        text=config.size("caption_channels", least=1),
        shared=True,
        side=side,
    )


def _joint(config: Config) -> JointDiffusionTransformer:
    heads, width = _heads(config, heads=18, head=64)
    twice = config.keys.get("dual_attention_layers") or []
    layers = config.size("num_layers", usual=18, least=1, most=MOST_LAYERS)
    if not isinstance(twice, list) or twice != list(range(len(twice))) or len(twice) > layers:
        raise config.wrong("dual_attention_layers can be counted where they are the first ones")
    if config.keys.get("qk_norm") not in (None, "rms_norm"):
        raise config.wrong('qk_norm can be counted where it is null or "rms_norm"')
    if config.size("caption_projection_dim", usual=1152) != width:
        raise config.wrong(f"caption_projection_dim must be {width}, the width of the layers")
    channels = config.size("in_channels", usual=16, least=1)
    config.expect(out_channels=channels)
    return JointDiffusionTransformer(
        width=width,
        heads=heads,
        layers=layers,
        twice=len(twice),
        head_norm=config.keys.get("qk_norm") is not None,
        text=config.size("joint_attention_dim", usual=4096, least=1),
        summary=config.size("pooled_projection_dim", usual=2048, least=1),
        patch=_patch(config),
        channels=channels,
        side=config.size("sample_size", usual=128, least=1, most=_MOST_SIDE),
    )


def _flux(config: Config) -> JointDiffusionTransformer:
    """It takes patches of two by two latents as one place with four times the channels."""
    config.expect(patch_size=1)
    heads, width = _heads(config, heads=24, head=128)
    channels = config.size("in_channels", usual=64, least=4)
    config.expect(out_channels=channels)
    if channels % _FLUX_PATCH**2:
        raise config.wrong(f"in_channels must be a multiple of {_FLUX_PATCH**2}, not {channels}")
    return JointDiffusionTransformer(
        width=width,
        heads=heads,
        layers=config.size("num_layers", usual=19, least=1, most=MOST_LAYERS),
        shared_layers=config.size("num_single_layers", usual=38, least=1, most=MOST_LAYERS),
        head_norm=True,
        rotary=True,
        guided=config.flag("guidance_embeds", False),
        text=config.size("joint_attention_dim", usual=4096, least=1),
        words=512,
        summary=config.size("pooled_projection_dim", usual=768, least=1),
        patch=_FLUX_PATCH,
        channels=channels // _FLUX_PATCH**2,
    )


def _heads(config: Config, *, heads: int, head: int) -> tuple[int, int]:
    """Their number, and the width of all together."""
    count = config.size("num_attention_heads", usual=heads, least=1)
    return count, count * config.size("attention_head_dim", usual=head, least=1)


def _patch(config: Config) -> int:
    return config.size("patch_size", usual=2, least=1, most=_MOST_SIDE)


READERS: Mapping[str, Callable[[Config], Family]] = {
    "DiTTransformer2DModel": _transformer,
    "FluxTransformer2DModel": _flux,
    "PixArtTransformer2DModel": _transformer_with_text,
    "SD3Transformer2DModel": _joint,
    "UNet2DConditionModel": _unet_with_text,
    "UNet2DModel": _unet,
}
"""By `_class_name`."""
