"""The weights that training starts from, by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Generator, Tensor, nn
from torch.nn.modules.conv import _ConvNd, _ConvTransposeNd

SURVEY_DEVIATION = 0.1
"""The survey's "low weights of about 0.1" (Wünsche 2018, III.A), read as a standard deviation."""

_RECTIFIERS = ("relu", "leaky_relu", "gelu", "swish")


def initialise(
    module: nn.Module,
    name: str,
    activation: str = "relu",
    *,
    deviation: float = SURVEY_DEVIATION,
    also: type[nn.Module] | tuple[()] = (),
    seed: int = 0,
) -> None:
    """Give the linear, convolutional, recurrent and attention layers new weights, and biases of zero.

    A module that is `also` given some has a `weight` of (units, inputs), like a linear layer.

    With m inputs to a unit and n units that an input goes to, weights are normal with mean zero and the variance

    - he: 2/m before rectifiers, which halve the square of a signal, else 1/m (He et al. 2015, arXiv:1502.01852, 2.2)
    - glorot: 2/(m + n) (Glorot and Bengio 2010, equation 12)
    - lecun: 1/m (LeCun et al. 1998, Efficient BackProp, section 4.6)
    - small_normal: the square of `deviation`, whatever the layer

    or `orthogonal`: they turn a signal without stretching it, but for the factor sqrt(2) before rectifiers (Saxe,
    McClelland and Ganguli 2014, arXiv:1312.6120). Each gate of a recurrent layer counts as a layer of its own; the
    forget gate of an LSTM starts open, with a bias of 1 (Jozefowicz, Zaremba and Sutskever 2015, section 3.2).

    Embeddings and normalisations stay as they are, and with `as_built` everything does. The same seed gives the same
    weights on every device.
    """
    if name == "as_built":
        return
    generator = Generator().manual_seed(seed)
    for matrix in _matrices(module, activation, also):
        start = torch.empty(matrix.weight.shape)
        if name == "orthogonal":
            nn.init.orthogonal_(start, math.sqrt(matrix.gain), generator=generator)
        else:
            spread = deviation if name == "small_normal" else math.sqrt(_VARIANCES[name](matrix))
            start.normal_(0, spread, generator=generator)
        with torch.no_grad():
            matrix.weight.copy_(start)
    _reset_biases(module)


@dataclass(frozen=True, slots=True)
class _Matrix:
    """The weights of one layer, or of one gate of it."""

    weight: Tensor
    inputs: float
    """Inputs that reach one unit."""
    units: float
    """Units that one input reaches."""
    gain: float
    """The factor on the square of the signal, by which the modules after the layer divide it."""


_Variance: TypeAlias = Callable[[_Matrix], float]
_VARIANCES: dict[str, _Variance] = {
    "he": lambda matrix: matrix.gain / matrix.inputs,
    "glorot": lambda matrix: 2 / (matrix.inputs + matrix.units),
    "lecun": lambda matrix: 1 / matrix.inputs,
}


def _matrices(module: nn.Module, activation: str, also: type[nn.Module] | tuple[()]) -> Iterator[_Matrix]:
    gain = _gain(activation)
    for layer in module.modules():
        match layer:
            case nn.Linear():
                yield _Matrix(layer.weight, layer.in_features, layer.out_features, gain)
            case _ConvNd():
                yield _filters(layer, gain)
            case nn.RNNBase():
                yield from _gates(layer)
            case nn.MultiheadAttention(in_proj_weight=Tensor() as weight):  # queries, keys and values
                width = layer.embed_dim
                yield from (_Matrix(part, width, width, 1.0) for part in weight.chunk(3))
            case nn.Module(weight=Tensor() as weight) if isinstance(layer, also):
                yield _Matrix(weight, weight.shape[1], weight.shape[0], gain)
            case _:
                pass


def _gain(activation: str) -> float:
    return 2.0 if activation in _RECTIFIERS else 1.0


def _filters(layer: _ConvNd, gain: float) -> _Matrix:
    """A convolution's unit sees the whole filter; a transposed one's only the part that its stride leaves to a place."""
    places = math.prod(layer.kernel_size)
    inputs, units = (channels // layer.groups * places for channels in (layer.in_channels, layer.out_channels))
    if isinstance(layer, _ConvTransposeNd):
        return _Matrix(layer.weight, inputs / math.prod(layer.stride), units, gain)
    return _Matrix(layer.weight, inputs, units / math.prod(layer.stride), gain)


def _gates(layer: nn.RNNBase) -> Iterator[_Matrix]:
    gain = _gain(str(getattr(layer, "nonlinearity", "tanh")))
    for name, weights in layer.named_parameters():
        if weights.dim() == 2:
            number = weights.shape[0] // layer.hidden_size if name.startswith(("weight_ih", "weight_hh")) else 1
            for gate in weights.chunk(number):
                yield _Matrix(gate, gate.shape[1], gate.shape[0], gain)


@torch.no_grad()
def _reset_biases(module: nn.Module) -> None:
    for layer in module.modules():
        if isinstance(layer, nn.Linear | _ConvNd) and layer.bias is not None:
            layer.bias.zero_()
        elif isinstance(layer, nn.MultiheadAttention) and layer.in_proj_bias is not None:
            layer.in_proj_bias.zero_()
        elif isinstance(layer, nn.RNNBase):
            _reset_recurrent_biases(layer)


def _reset_recurrent_biases(layer: nn.RNNBase) -> None:
    for name, bias in layer.named_parameters():
        if bias.dim() == 1:
            bias.zero_()
            if isinstance(layer, nn.LSTM) and name.startswith("bias_ih"):
                bias[layer.hidden_size : 2 * layer.hidden_size] = 1.0  # input, forget, cell, output
