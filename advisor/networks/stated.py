"""About what a network of a stated size computes and keeps, after published networks of its type. No torch here."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

from advisor.models.families.pictures import ResNet
from advisor.models.families.recommenders import Recommender
from advisor.models.families.registry import Family
from advisor.models.families.segmentation import UNet
from advisor.models.families.speech import SpeechEncoder
from advisor.models.model import Model, Source
from advisor.models.published import counted
from advisor.networks.counts import counted as built
from advisor.networks.description import nearest_picture
from advisor.networks.spec import Description, why_not

_ON_LATENTS = 400_000_000
"""Diffusion models of so many weights compute on latents, whose sides are an eighth of the picture's (Rombach et al. 2022)."""
_LATENT_AREA = 64
_FIRST_DIFFUSION = (128, 256, 256, 256)
"""Channels of each stage (Ho et al. 2020, for CIFAR-10)."""
_LARGE_PICTURE = 20_000
"""Values. Smaller pictures have no stem that shortens them fourfold, so the network that was counted is scaled for them."""
_RESIDUAL = (
    (16e6, (2, 2, 2, 2), False),
    (23e6, (3, 4, 6, 3), False),
    (34e6, (3, 4, 6, 3), True),
    (52e6, (3, 4, 23, 3), True),
    (math.inf, (3, 8, 36, 3), True),
)
"""ResNet-18, 34, 50, 101 and 152 up to so many weights: blocks of each stage, and whether they are bottlenecks."""
_LARGE_TABLES = 1_000_000_000
_RECOMMENDERS = {False: (16, (512, 256, 64), (512, 256)), True: (128, (512, 256), (1024, 1024, 512, 256))}
"""Width of a row, and widths of the layers below and above the tables (github.com/facebookresearch/dlrm, bench/, and MLPerf)."""
_MOST_TABLES = 100
"""Columns of the same kind, of which there are more, share a table."""
_U_STAGES = 5
_PATCH = 16
"""Pixels along a patch (Dosovitskiy et al. 2021)."""
_TUBE = 2
"""Frames of a film that are read together (VideoMAE, Tong et al. 2022)."""
_FRAMES_A_TOKEN = 2
"""Of a spectrogram (Whisper, Radford et al. 2022)."""
_TOKENS_WRITTEN = 128
"""Of an answer, as profiles/models counts those that write."""
_READS = 0.4
"""Share of the weights that read, in networks that write down what they heard: those of Whisper have 0.36 to 0.41."""
_MORE_IN_HALF = 2
"""Values more of 16 bits where the computation is in 16: those before both normalisations of a layer stay in 32."""
_KEPT_A_VALUE = 17
"""Values that a transformer's layer keeps for each step and unit (Korthikanti et al. 2022, section 4.1: 34 bytes in 16 bits)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A network of which the number of weights is known, and what it is for."""

    network: str
    modality: str
    parameters: int
    inputs: int | None
    steps: int | None
    """See NetworkSpec for both."""
    identities: bool = False
    """Columns hold numbers of persons or goods, each of which has a learned vector of its own."""
    translates: bool = False
    """It writes a text down, with a part of its weights."""
    outputs: int = 0
    """Values of the answer to one example."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """About what a network of another size has; the fields are those of Model."""

    parameters: int
    multiply_adds: int
    kept: int
    recomputed: int
    largest: int
    kept_bytes: int = 0
    outputs: int = 0
    unfolded: int = 0
    usual: int = 0
    large: int = 0
    copied: int = 0
    passed: int = 0
    more_in_half: int = 0
    recomputed_more_in_half: int = 0
    table_parameters: int = 0
    looked_up: int = 0
    """Values of the rows of tables that an example meets."""


def vocabulary_of(parameters: int) -> int:
    """The usual number of tokens that a language model of this size tells apart: that of GPT-2, and from a billion weights on
    that of Llama 3; those of profiles/models lie between 32,000 and 262,208."""
    return 50_257 if parameters < 1_000_000_000 else 128_256


@lru_cache(maxsize=500)
def estimated(stated: Stated, model: Model | None = None) -> Estimate | None:
    """About the computation and kept values of a network of a stated size that cannot be counted; None where unknown.

    Transformers follow from their tokens, convolutional networks on pictures and films from the residual network of that size,
    U-Nets and diffusion models from the first that were published, made wider or narrower. Where columns hold identities, nearly
    all weights are in tables. Others are scaled from `model`, the network of the plan as it was counted: operations with the
    weights, kept values with their root, as when the width grows.
    """
    if stated.network == "ffn" and stated.identities and stated.inputs is not None:
        return _recommender(stated)
    by_type = {"transformer": _transformer, "cnn": _convolutional, "unet": _u_net, "diffusion": _diffusion}
    about = by_type[stated.network](stated) if stated.network in by_type else None
    return about if about is not None or model is None else _scaled(model, stated.parameters)


def tokens_of(stated: Stated) -> int | None:
    """The steps that a transformer sees of an example, None where they are not known.

    Pictures and films are cut into patches, films in tubes of two frames. A wave is shortened 320 times (wav2vec 2.0, Baevski
    et al. 2020), a spectrogram twice. Of texts and series each step is one.
    """
    match stated.modality:
        case "image":
            return None if stated.inputs is None else _patches(stated.inputs)
        case "video":
            if stated.inputs is None or stated.steps is None:
                return None
            return max(1, stated.steps // _TUBE) * _patches(stated.inputs)
        case "audio" if stated.steps is not None:
            return max(1, stated.steps // (_shortening() if _is_wave(stated) else _FRAMES_A_TOKEN))
        case _:
            return stated.steps


def _patches(values: int) -> int:
    side = _side(values)
    return max(1, side // (_PATCH if values > _LARGE_PICTURE else _PATCH // 4)) ** 2


def _side(values: int) -> int:
    """Pixels along a picture of so many values, if it is square."""
    return nearest_picture(values).side


def _shortening() -> int:
    return math.prod(SpeechEncoder(width=1, layers=0, heads=1, inner=1).strides)


def _is_wave(stated: Stated) -> bool:
    """True for samples, False for a spectrogram, of which every step has many values."""
    return stated.modality == "audio" and stated.inputs in (1, 2)


def _transformer(stated: Stated) -> Estimate | None:
    """A transformer uses each weight once a step, and every step looks at every other.

    Its width h follows from 12 h^2 weights a layer (Kaplan et al. 2020, section 2.1) and the depth that networks of this kind
    have; see _KEPT_A_VALUE for what its layers keep.
    """
    tokens = tokens_of(stated)
    if tokens is None:
        return None
    width, layers = _width_and_layers(stated)
    values, kept = tokens * width, _KEPT_A_VALUE * tokens * width * layers
    products = float(stated.parameters * tokens)
    if stated.modality == "audio" and stated.translates:
        layers /= 2
        kept = _KEPT_A_VALUE * width * layers * (tokens + 1.5 * _TOKENS_WRITTEN)
        products = stated.parameters * (_READS * tokens + (1 - _READS) * _TOKENS_WRITTEN)
    pairs = 2 * tokens * values * layers
    front = _front(stated.steps or 0) if _is_wave(stated) else None
    return Estimate(
        stated.parameters,
        max(1, round(products + pairs + (front.multiply_adds if front else 0))),
        max(1, round(kept + (front.kept if front else 0))),
        max(1, round(min(kept, values * (layers + _KEPT_A_VALUE)) + (front.kept if front else 0))),
        max(1, round(5 * values), front.largest if front else 0),
        0,
        stated.outputs,
        front.unfolded if front else 0,
        round(values),
        passed=round(values),
        more_in_half=round(_MORE_IN_HALF * values * layers),
        recomputed_more_in_half=round(values * (layers + _MORE_IN_HALF)),
    )


def _width_and_layers(stated: Stated) -> tuple[float, float]:
    """Language models have a layer for every 96 units of width; those that look and listen 12 at first, then one for every 43,
    as ViT, VideoMAE and wav2vec 2.0 in their sizes base and large."""
    if stated.modality not in ("image", "video", "audio"):
        width = (8 * stated.parameters) ** (1 / 3)
        return width, max(2.0, width / 96)
    if stated.parameters < 100_000_000:
        return (stated.parameters / 144) ** 0.5, 12.0
    width = (43 / 12 * stated.parameters) ** (1 / 3)
    return width, width / 43


@lru_cache(maxsize=100)
def _front(samples: int) -> Model:
    """The convolutions of wav2vec 2.0 over a wave, without the transformer after them."""
    return _counted(SpeechEncoder(width=1, layers=0, heads=1, inner=1, place_groups=1), (max(samples, 400),))


def _convolutional(stated: Stated) -> Estimate | None:
    """The residual network of so many weights; of films the one of 18 layers in three dimensions, made wider."""
    values, frames = stated.inputs, 0
    if values is None or stated.modality not in ("image", "video"):
        return None
    shape = nearest_picture(values)
    if stated.modality == "video":
        if stated.steps is None:
            return None
        frames = stated.steps
        blocks, bottleneck = _RESIDUAL[0][1:]
    elif values > _LARGE_PICTURE:
        blocks, bottleneck = next((blocks, narrow) for most, blocks, narrow in _RESIDUAL if stated.parameters <= most)
    else:
        return None

    def network(width: int) -> ResNet:
        return ResNet(blocks=blocks, bottleneck=bottleneck, width=width, classes=max(1, stated.outputs), frames=frames)

    example = (shape.colors, frames, *shape.size) if frames else (shape.colors, *shape.size)
    wide = network(_width(stated.parameters, _counted(network(64), example).parameters))
    return _scaled(_counted(wide, example), stated.parameters)


def _u_net(stated: Stated) -> Estimate | None:
    if stated.modality != "image" or stated.inputs is None or stated.inputs <= _LARGE_PICTURE:
        return None
    side, halved = _side(stated.inputs), 2 ** (_U_STAGES - 1)
    colors = 1 if side**2 == stated.inputs else 3

    def network(width: int) -> UNet:
        return UNet(
            widths=tuple(width * 2**stage for stage in range(_U_STAGES)),
            blocks=(2,) * _U_STAGES,
            pooled=True,
            channels=colors,
            classes=max(1, stated.outputs),
            sides=(side // halved * halved,) * 2,
        )

    wide = network(_width(stated.parameters, _counted(network(64), (colors, halved, halved)).parameters))
    return _scaled(_counted(wide, wide.input), stated.parameters)


def _diffusion(stated: Stated) -> Estimate | None:
    """The model of Ho et al. 2020 for small pictures, made wider and deeper; large ones compute on latents."""
    if stated.modality != "image" or stated.inputs is None:
        return None
    spec = Description("diffusion", "image", stated.inputs, stated.inputs, _FIRST_DIFFUSION, normalization="group_norm")
    if why_not(spec) is not None:
        return None
    area = _LATENT_AREA if stated.parameters >= _ON_LATENTS else 1
    return _scaled(built(spec), stated.parameters, 1 / area, growth=0.9)


def _recommender(stated: Stated) -> Estimate | None:
    """DLRM of MLPerf, or from fewer than a billion weights that for a week of clicks, with as many rows as make up the weights.

    Of its columns one third are numbers, as in Criteo's clicks (Naumov et al. 2019).
    """
    columns = stated.inputs or 1
    numbers = max(1, columns // 3)
    identities = max(1, columns - numbers)
    tables = min(identities, _MOST_TABLES)
    width, bottom, top = _RECOMMENDERS[stated.parameters >= _LARGE_TABLES]
    rows = max(1, stated.parameters // (tables * width))
    network = Recommender(
        tables=(rows,) * tables,
        width=width,
        bottom=bottom,
        top=top,
        looked=(math.ceil(identities / tables),) * tables,
        numbers=numbers,
    )
    model = _counted(network, network.input)
    stored = sum(layer.parameters for layer in model.layers if layer.kind == "table")
    dense = min(model.parameters - stored, stated.parameters)
    return replace(
        _scaled(model, model.parameters),
        parameters=stated.parameters,
        table_parameters=stated.parameters - dense,
        looked_up=identities * width,
    )


def _width(parameters: int, usual: int) -> int:
    """Channels of the first stage; 64 of them make up as many weights as are usual."""
    return max(4, round(64 * math.sqrt(parameters / usual)))


def _scaled(model: Model, parameters: int, places: float = 1, growth: float = 0.5) -> Estimate:
    """The network, made wider until it has so many weights, on so many times as many places.

    Args:
        growth: kept values grow with this power of the weights, by 0.5 where only the width does.
    """
    factor = parameters / model.parameters
    wider = places * factor**0.5
    kept = max(1, round(model.kept * places * factor**growth))
    return Estimate(
        parameters,
        max(1, round(model.multiply_adds * factor * places)),
        kept,
        min(kept, max(1, round(model.recomputed * wider))),
        max(1, round(model.largest * wider)),
        round(model.kept_bytes * wider),
        round(model.outputs * min(1, places)),
        round(model.unfolded * wider),
        round(model.usual * wider),
        passed=round(model.passed * wider),
        more_in_half=round(model.more_in_half * places * factor**growth),
        recomputed_more_in_half=round(model.recomputed_more_in_half * wider),
    )


def _counted(network: Family, shape: tuple[int, ...]) -> Model:
    return counted(network, "", Source.PUBLISHED, shape)
