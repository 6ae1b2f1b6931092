"""The kinds of networks that are counted from their sizes, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from advisor.models.families.conformer import Conformer
from advisor.models.families.diffusion import DiffusionTransformer, DiffusionUNet
from advisor.models.families.joint_diffusion import JointDiffusionTransformer
from advisor.models.families.pictures import ConvNeXt, ResNet, VisionTransformer
from advisor.models.families.recommenders import Recommender
from advisor.models.families.segmentation import EncoderUNet, UNet
from advisor.models.families.series import PatchForecaster
from advisor.models.families.speech import SpectrogramTransformer, SpeechEncoder, SpeechWriter
from advisor.models.families.state_space import StateSpace
from advisor.models.families.transformers import Decoder, Encoder, EncoderDecoder
from advisor.models.families.vision_language import VisionLanguage
from advisor.models.tape import Tape


class Family(Protocol):
    """A network given by its sizes."""

    @property
    def input(self) -> tuple[int, ...]:
        """The usual shape of an example."""

    @property
    def hidden_units(self) -> tuple[int, ...]:
        """Its widths: see Model.hidden_units."""

    def count(self, tape: Tape, input: tuple[int, ...]) -> None:
        """Run an example of this shape over the tape."""


FAMILIES: Mapping[str, type[Family]] = MappingProxyType(
    {
        "decoder": Decoder,
        "encoder": Encoder,
        "encoder_decoder": EncoderDecoder,
        "state_space": StateSpace,
        "speech_encoder": SpeechEncoder,
        "speech_writer": SpeechWriter,
        "spectrogram_transformer": SpectrogramTransformer,
        "conformer": Conformer,
        "patch_forecaster": PatchForecaster,
        "resnet": ResNet,
        "convnext": ConvNeXt,
        "vision_transformer": VisionTransformer,
        "vision_language": VisionLanguage,
        "unet": UNet,
        "encoder_unet": EncoderUNet,
        "recommender": Recommender,
        "diffusion_unet": DiffusionUNet,
        "diffusion_transformer": DiffusionTransformer,
        "joint_diffusion_transformer": JointDiffusionTransformer,
    }
)
