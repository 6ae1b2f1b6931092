"""Builds a network by name."""

from __future__ import annotations

from collections.abc import Callable

from torch import nn

from advisor.networks.autoencoder import build_autoencoder, build_vae
from advisor.networks.benchmark.alexnet import AlexNet
from advisor.networks.benchmark.resnet import ResNet50
from advisor.networks.boltzmann import build_dbn, build_rbm
from advisor.networks.cnn import build_cnn
from advisor.networks.deconvolutional import Deconvolutional
from advisor.networks.diffusion import build_diffusion
from advisor.networks.ffn import FeedForward
from advisor.networks.gan import build_gan
from advisor.networks.gnn import MessagePassing
from advisor.networks.recurrent import Recurrent
from advisor.networks.recursive import Recursive
from advisor.networks.spec import NetworkSpec, check
from advisor.networks.transformer import Transformer
from advisor.networks.unet import UNet

_BUILDERS: dict[str, Callable[[NetworkSpec], nn.Module]] = {
    "ffn": FeedForward,
    "autoencoder": build_autoencoder,
    "cnn": build_cnn,
    "rnn": Recurrent,
    "lstm": Recurrent,
    "transformer": Transformer,
    "vae": build_vae,
    "unet": UNet,
    "alexnet": AlexNet,
    "resnet50": ResNet50,
    "rbm": build_rbm,
    "dbn": build_dbn,
    "gan": build_gan,
    "deconvolutional": Deconvolutional,
    "recursive": Recursive,
    "diffusion": build_diffusion,
    "gnn": MessagePassing,
}


def build(spec: NetworkSpec) -> nn.Module:
    """The network, with initial weights from torch's global generator (see torch.manual_seed).

    Raises:
        UnknownNetworkError: the type cannot be built yet; the message names those that can.
        UnbuildableError: the type can be built, but not from these figures; the message says why.
    """
    check(spec)
    return _BUILDERS[spec.network](spec)
