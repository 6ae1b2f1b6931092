"""How large a network is and how much it computes, counted layer by layer without building it. No torch here."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from advisor.networks.benchmark.counting import count_alexnet, count_resnet50
from advisor.networks.sizes import (
    EMBEDDING_WIDTH,
    GIBBS_STEPS,
    NOISE_WIDTH,
    PICTURE_CODE_WIDTH,
    TIME_WIDTH,
    halvings,
    layers_for,
    patch_size,
)
from advisor.networks.spec import (
    Layout,
    NetworkSpec,
    check,
    encoder_widths,
    flat_values,
    foretells_tokens,
    hidden_units,
    layout,
    picture_of,
)


@dataclass(slots=True)
class Counts:
    """`parameters` of the whole network; `macs` (multiply-add operations) of one example's forward pass, products of
    matrices and convolutions only; `kept` values of one example that wait for the backward pass.

    The example of a gnn is a node. What a network computes to learn counts as well: a gan's judge looks at a real example
    and twice at a produced one, a Boltzmann machine goes to its hidden units and back.

    Dense and convolutional layers keep what they put out before and after the activation (knowledge base, MM3); a layer of
    a transformer 17 values for each step and unit (Korthikanti et al. 2022, section 4.1: 34 bytes at 16 bits); of an LSTM
    the four gates, cell and output, twice, since fused kernels copy them.
    """

    parameters: int = 0
    macs: int = 0
    kept: int = 0

    def dense(self, widths: tuple[int, ...], places: int = 1) -> None:
        """Linear layers, applied at so many places of one example."""
        for before, after in pairwise(widths):
            self.convolution(before, after, 1, places)

    def convolution(self, before: int, after: int, taps: int, places: int) -> None:
        """`taps` weights look at each of `places` places of the result: 9 for a 3x3 kernel."""
        self.parameters += before * after * taps + after
        self.macs += before * after * taps * places
        self.kept += 2 * after * places

    def widening(self, before: int, after: int, taps: int, places: int, growth: int) -> None:
        """A transposed convolution of `places` places into `growth` times as many."""
        self.parameters += before * after * taps + after
        self.macs += before * after * taps * places
        self.kept += 2 * after * places * growth

    def recurrent(self, before: int, units: int, steps: int, gates: int) -> None:
        self.parameters += gates * (before * units + units * units + 2 * units)
        self.macs += gates * (before * units + units * units) * steps
        self.kept += (12 if gates == 4 else 2) * units * steps

    def spreading(self, values: int, channels: tuple[int, ...], side: int) -> None:
        """`layers.doubling`: from values to a picture so many dots wide."""
        doubled = halvings(side, len(channels) - 1)[::-1]
        places = (side // 2 ** sum(doubled)) ** 2
        self.dense((values, channels[0] * places))
        for (before, after), double in zip(pairwise(channels), doubled, strict=True):
            if double:
                self.widening(before, after, 16, places, 4)
                places *= 4
            else:
                self.convolution(before, after, 9, places)

    def boltzmann(self, visible: int, hidden: int) -> None:
        """A machine that learns by contrastive divergence."""
        self.parameters += visible * hidden + visible + hidden
        self.macs += (2 * GIBBS_STEPS + 1) * visible * hidden
        self.kept += 2 * (visible + hidden)

    def repeated(self, other: Counts, times: int) -> None:
        """Another network that each example passes so many times."""
        self.parameters += other.parameters
        self.macs += times * other.macs
        self.kept += times * other.kept

    def attention(self, width: int, feed_forward: int, steps: int) -> None:
        """One encoder layer: four projections, two products over all pairs of steps, two dense layers, two norms."""
        self.parameters += 4 * (width * width + width) + 2 * width * feed_forward + feed_forward + width + 4 * width
        self.macs += steps * (4 * width * width + 2 * width * feed_forward) + 2 * steps * steps * width
        self.kept += 17 * width * steps


def counts(spec: NetworkSpec) -> Counts:
    """Raises UnbuildableError where the network cannot be built."""
    check(spec)
    found = Counts()
    units = hidden_units(spec)
    match spec.network:
        case "ffn":
            found.dense((flat_values(spec), *units, spec.outputs))
        case "cnn":
            _cnn(found, spec, units)
        case "rnn" | "lstm":
            _recurrent(found, spec, units)
        case "transformer":
            _transformer(found, spec, units)
        case "unet":
            _unet(found, spec, units, spec.outputs)
        case "alexnet":
            count_alexnet(found, spec)
        case "resnet50":
            count_resnet50(found, spec)
        case "rbm" | "dbn":
            _boltzmann(found, spec, units)
        case "gan":
            _gan(found, spec, units)
        case "deconvolutional":
            shape = picture_of(spec)
            values = spec.inputs if layout(spec) is Layout.PICTURE else flat_values(spec)
            found.spreading(values, (*units, shape.colours), shape.side)
        case "recursive":
            _recursive(found, spec, units)
        case "diffusion":
            _diffusion(found, spec, units)
        case "gnn":
            for before, after in pairwise((spec.inputs, *units)):
                found.dense((2 * before, after))
            found.dense((units[-1], spec.outputs))
        case _:
            _autoencoder(found, spec, units)
    return found


def estimated(network: str, parameters: int, steps: int | None, counted: Counts | None) -> Counts | None:
    """About what a network of a stated size computes and keeps, where it cannot be counted; None where that is unknown too.

    A transformer uses each weight once a step; its width h follows from 12 h^2 weights a layer and h / 96 layers (Kaplan et
    al. 2020, sections 2.1 and 3.1). Others are scaled from the network that was counted: operations with the weights, kept
    values with their root, as when the width grows.
    """
    if network == "transformer" and steps is not None:
        width = (8 * parameters) ** (1 / 3)
        return Counts(parameters, parameters * steps, max(1, round(17 * steps * width * max(2.0, width / 96))))
    if counted is None:
        return None
    factor = parameters / counted.parameters
    return Counts(parameters, max(1, round(counted.macs * factor)), max(1, round(counted.kept * factor**0.5)))


def backbone(inputs: int) -> Counts:
    """The pretrained convolutional network that plans start from, ResNet-18, on pictures of so many values.

    11.7 million weights and 1.8e9 multiply-adds for 224 x 224 dots in three colours (He et al. 2016, table 1); its
    convolutions put out 2.5 million values there, kept before and after normalisation and activation.
    """
    share = inputs / (3 * 224 * 224)
    return Counts(11_690_000, round(1.8e9 * share), round(5e6 * share))


def _cnn(found: Counts, spec: NetworkSpec, units: tuple[int, ...]) -> None:
    if layout(spec) is Layout.PICTURE:
        shape = picture_of(spec)
        side = shape.side
        for before, after in pairwise((shape.colours, *units)):
            found.convolution(before, after, 9, side * side)
            found.convolution(after, after, 9, side * side)
            side = max(1, side // 2)
    else:
        tokens = layout(spec) is Layout.TOKENS
        steps = spec.sequence_length or 1
        found.parameters += spec.inputs * EMBEDDING_WIDTH if tokens else 0
        for before, after in pairwise((EMBEDDING_WIDTH if tokens else spec.inputs, *units)):
            found.convolution(before, after, 3, steps)
            steps = max(1, steps // 2)
    found.dense((units[-1], spec.outputs))


def _recurrent(found: Counts, spec: NetworkSpec, units: tuple[int, ...]) -> None:
    tokens = layout(spec) is Layout.TOKENS
    steps = spec.sequence_length or 1
    found.parameters += spec.inputs * units[0] if tokens else 0
    for before, after in pairwise((units[0] if tokens else spec.inputs, *units)):
        found.recurrent(before, after, steps, 4 if spec.network == "lstm" else 1)
    found.dense((units[-1], spec.outputs), steps if foretells_tokens(spec) else 1)


def _transformer(found: Counts, spec: NetworkSpec, units: tuple[int, ...]) -> None:
    width, *rest = units
    steps = spec.sequence_length or 1
    if layout(spec) is Layout.PICTURE:
        shape = picture_of(spec)
        size = patch_size(shape.side)
        steps = (shape.side // size) ** 2
        found.convolution(shape.colours, width, size * size, steps)
    elif layout(spec) is Layout.TOKENS:
        found.parameters += spec.inputs * width
    else:
        found.dense((spec.inputs, width), steps)
    found.parameters += steps * width + 2 * width  # positions and the last norm
    for _ in range(layers_for(width)):
        found.attention(width, rest[0] if rest else 4 * width, steps)
    found.dense((width, spec.outputs), steps if foretells_tokens(spec) else 1)


def _unet(found: Counts, spec: NetworkSpec, units: tuple[int, ...], outputs: int) -> None:
    shape = picture_of(spec)
    dots = shape.side**2
    for number, (before, after) in enumerate(pairwise((shape.colours, *units))):
        here = dots // 4**number
        found.convolution(before, after, 9, here)
        found.convolution(after, after, 9, here)
    for number, (below, after) in reversed(list(enumerate(pairwise(units[::-1])))):
        here = dots // 4 ** (len(units) - 2 - number)
        found.widening(below, after, 4, here // 4, 4)
        found.convolution(2 * after, after, 9, here)
        found.convolution(after, after, 9, here)
    found.convolution(units[0], outputs, 1, dots)


def _boltzmann(found: Counts, spec: NetworkSpec, units: tuple[int, ...]) -> None:
    widths = (flat_values(spec), *units)
    if spec.loss != "contrastive_divergence":
        found.dense((*widths, spec.outputs))
        found.parameters += sum(widths[:-1])  # visible biases, for pretraining
        return
    for below, above in pairwise(widths):
        found.boltzmann(below, above)
    found.macs += sum(below * above for below, above in pairwise(widths[:-1]))  # up to the next machine


def _gan(found: Counts, spec: NetworkSpec, units: tuple[int, ...]) -> None:
    judge = Counts()
    if layout(spec) is Layout.FLAT:
        values = flat_values(spec)
        judge.dense((values, *units, 1))
        found.dense((NOISE_WIDTH, *units[::-1], values))
    else:
        shape = picture_of(spec)
        side = shape.side
        for (before, after), half in zip(pairwise((shape.colours, *units)), halvings(side, len(units)), strict=True):
            side //= 2 if half else 1
            judge.convolution(before, after, 16 if half else 9, side**2)
        judge.dense((units[-1] * side**2, 1))
        found.spreading(NOISE_WIDTH, (*units[::-1], shape.colours), shape.side)
    found.repeated(judge, 3)


def _recursive(found: Counts, spec: NetworkSpec, units: tuple[int, ...]) -> None:
    width, *rest = units
    nodes = spec.sequence_length or 1
    found.parameters += spec.inputs * width
    found.kept += 2 * nodes * width
    found.dense((2 * width, *rest, width), (nodes - 1) // 2)
    found.dense((width, spec.outputs))


def _diffusion(found: Counts, spec: NetworkSpec, units: tuple[int, ...]) -> None:
    found.dense((TIME_WIDTH, TIME_WIDTH))
    if layout(spec) is Layout.FLAT:
        found.dense((flat_values(spec), *units, flat_values(spec)))
    else:
        _unet(found, spec, units, picture_of(spec).colours)
        units += units[-2::-1]  # the stages of the way up
    for width in units:
        found.dense((TIME_WIDTH, width))


def _autoencoder(found: Counts, spec: NetworkSpec, units: tuple[int, ...]) -> None:
    variational = spec.network == "vae"
    if layout(spec) is Layout.FLAT:
        widths = (flat_values(spec), *encoder_widths(units))
        found.dense((*widths[:-1], widths[-1] * (2 if variational else 1)))
        found.dense(widths[::-1])
        return
    shape = picture_of(spec)
    channels = (shape.colours, *units)
    for number, (before, after) in enumerate(pairwise(channels)):
        found.convolution(before, after, 9, shape.side**2 // 4 ** (number + 1))
    for number, (before, after) in enumerate(pairwise(channels[::-1])):
        found.widening(before, after, 16, shape.side**2 // 4 ** (len(units) - number), 4)
    if variational:
        dots = channels[-1] * (shape.side // 2 ** len(units)) ** 2
        found.dense((dots, 2 * PICTURE_CODE_WIDTH))
        found.dense((PICTURE_CODE_WIDTH, dots))
