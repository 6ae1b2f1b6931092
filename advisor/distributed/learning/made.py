"""Examples that are made where nobody names data: inputs of a few hidden causes, answered by a teacher of the same kind.

Inputs vary along a few directions, as real ones do, so that something can be learned from some thousand examples. The teacher
is a network as the one that learns, of other weights; noise keeps the best possible answer below perfect.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Generator, Tensor
from torch.nn import functional

from advisor.distributed.learning.named import Named, Shown, packed
from advisor.models.code import Argument
from advisor.networks.builders import build
from advisor.networks.description import Layout
from advisor.networks.spec import Description, example_shape, layout, predicts_tokens
from advisor.training.loop.batches import in_order
from advisor.training.loop.initialisation import initialise

MOST_MADE = 10_000
MOST_BYTES = 100_000_000
"""Of inputs: every worker holds all of them."""
FEWEST_MADE = 200
HELD_OUT = 0.2
CAUSES = 8
"""Independent numbers behind each example."""
NOISE_OF_INPUTS, NOISE_OF_TARGETS = 0.3, 0.2
"""Deviations, where inputs and answers have 1."""
_AT_ONCE, _NUMBERS_AT_ONCE = 512, 4_000_000
"""Examples, or numbers of them, that a network looks at in one piece where nothing is kept for going backwards."""
_FEWEST_AT_ONCE = 32
_TEACHERS_SEED = 7_919
"""Added to the seed: the teacher must not be the learner's initial network."""
_FEWEST_LARGE = 40
"""Of examples that take much memory each."""
_LARGEST_SIDE = 64
"""Of pictures that are made for a named network, which are enlarged when it takes them."""
_MOST_CLASSES, _MOST_TOKENS, _THOUGHTS = 10, 1_000, 16
"""Of answers, and of texts, that are made for a named network; and numbers between causes and answers."""


@dataclass(frozen=True, slots=True)
class ExamplesMade:
    """Inputs and targets to learn from, then those held out."""

    parts: tuple[Tensor, Tensor, Tensor, Tensor]
    how: str
    """A sentence on where they are from."""


def at_once(numbers: int, most: int) -> int:
    """The examples of so many numbers each that a network looks at in one piece."""
    return max(_FEWEST_AT_ONCE, min(most, _NUMBERS_AT_ONCE // max(1, numbers)))


def made_examples(described: Description, most: int, seed: int) -> ExamplesMade:
    """Examples for a network whose layout is of rows, pictures, steps or tokens; at most so many, a fifth of them held out."""
    chance = Generator().manual_seed(seed + _TEACHERS_SEED)
    shape = example_shape(described)
    number = max(FEWEST_MADE, min(most, MOST_MADE, MOST_BYTES // (4 * math.prod(shape))))
    if predicts_tokens(described):
        inputs, targets = _texts_to_continue(described, number, chance)
    else:
        inputs = _inputs(described, number, shape, chance)
        targets = _targets(described, _answers(described, inputs, seed + _TEACHERS_SEED), chance)
    held = round(HELD_OUT * number)
    how = f"{number:,} examples were made from the seed {seed}; {held:,} of them are held out."
    return ExamplesMade((inputs[held:], targets[held:], inputs[:held], targets[:held]), how)


def made_for_named(named: Named, shown: Shown, most: int, seed: int) -> ExamplesMade:
    """Examples for a network that somebody named. Their answers follow from the same causes as the inputs, by a small network.

    A network as large as itself would be a slow teacher, and of more classes than these a few thousand examples teach nothing.
    """
    chance = Generator().manual_seed(seed + _TEACHERS_SEED)
    shapes = [_made_shape(one) for one in named.arguments]
    kinds = 1 if shown.classes is None else min(shown.classes, _MOST_CLASSES)
    values = max(sum(map(math.prod, shapes)), kinds * math.prod(shown.places))
    number = max(_FEWEST_LARGE, min(most, MOST_MADE, MOST_BYTES // (4 * values)))
    causes = torch.randn(number, CAUSES, generator=chance)
    inputs = packed([
        _texts(min(known, _MOST_TOKENS), causes, math.prod(shape), chance).view(number, *shape)
        if argument.tokens else _caused(causes, shape, chance)
        for argument, shape, known in zip(named.arguments, shapes, shown.tokens, strict=True)
    ])  # fmt: skip
    answers = _thought(causes, (kinds, *shown.places), chance)
    if shown.classes is not None:
        targets = answers.argmax(1)
    else:
        targets = (answers[:, 0] > 0).float() if shown.of_labels else answers[:, 0].contiguous()
    held = round(HELD_OUT * number)
    how = f"{number:,} examples for {named.name} were made from the seed {seed}; {held:,} of them are held out."
    return ExamplesMade((inputs[held:], targets[held:], inputs[:held], targets[:held]), how)


def _made_shape(argument: Argument) -> tuple[int, ...]:
    """Of one example of an argument; a large picture is made small."""
    if len(argument.shape) != 3 or argument.tokens:
        return argument.shape
    colours, height, width = argument.shape
    return colours, min(height, _LARGEST_SIDE), min(width, _LARGEST_SIDE)


def _caused(causes: Tensor, shape: tuple[int, ...], chance: Generator) -> Tensor:
    """(n, ...): what varies with the causes, and noise."""
    match len(shape):
        case 3:
            directions = _smooth_pictures(shape, chance)
        case 2:
            directions = _smooth_steps(shape, chance)
        case _:
            directions = torch.randn(CAUSES, *shape, generator=chance)
    inputs = (causes @ directions.flatten(1) / math.sqrt(CAUSES)).view(len(causes), *shape)
    return inputs + NOISE_OF_INPUTS * torch.randn(inputs.shape, generator=chance)


def _thought(causes: Tensor, shape: tuple[int, ...], chance: Generator) -> Tensor:
    """(n, ...): answers that follow from the causes, each with mean 0 and deviation 1 over the examples, and noise."""
    inner = torch.randn(CAUSES, _THOUGHTS, generator=chance)
    outer = torch.randn(_THOUGHTS, math.prod(shape), generator=chance)
    answers = (causes @ inner / math.sqrt(CAUSES)).tanh() @ outer
    answers = (answers - answers.mean(0)) / answers.std(0).clamp(min=1e-6)
    return (answers + NOISE_OF_TARGETS * torch.randn(answers.shape, generator=chance)).view(len(causes), *shape)


def _inputs(described: Description, number: int, shape: tuple[int, ...], chance: Generator) -> Tensor:
    causes = torch.randn(number, CAUSES, generator=chance)
    match layout(described):
        case Layout.TOKENS:
            return _texts(described.inputs, causes, shape[0], chance)
        case _:
            return _caused(causes, shape, chance)


def _smooth_pictures(shape: tuple[int, ...], chance: Generator) -> Tensor:
    """(causes, colours, side, side): a coarse pattern for each cause."""
    coarse = torch.randn(CAUSES, shape[0], 4, 4, generator=chance)
    return functional.interpolate(coarse, size=shape[1:], mode="bilinear", align_corners=False)


def _smooth_steps(shape: tuple[int, ...], chance: Generator) -> Tensor:
    """(causes, steps, values): for each cause a curve of each value over the steps."""
    coarse = torch.randn(CAUSES, shape[1], max(2, min(shape[0], 6)), generator=chance)
    curves = functional.interpolate(coarse, size=shape[0], mode="linear", align_corners=True)
    return curves.transpose(1, 2).contiguous()


def _texts(tokens: int, causes: Tensor, steps: int, chance: Generator) -> Tensor:
    """(n, steps) of tokens from 1: each cause makes some more frequent. Token 0, which fills up short texts, is left out."""
    leanings = 2 * torch.randn(CAUSES, max(1, tokens - 1), generator=chance) / math.sqrt(CAUSES)
    drawn = [
        torch.multinomial((part @ leanings).softmax(1), steps, replacement=True, generator=chance)
        for (part,) in in_order((causes,), _AT_ONCE)
    ]
    return torch.cat(drawn) + (1 if tokens > 1 else 0)


def _texts_to_continue(described: Description, number: int, chance: Generator) -> tuple[Tensor, Tensor]:
    """Texts and the same a token later: each token is followed by one of a few, or by any."""
    tokens, steps = described.inputs, described.sequence_length or 1
    following = torch.randint(tokens, (tokens, 3), generator=chance)
    texts = torch.randint(tokens, (number, steps + 1), generator=chance)
    chosen = torch.randint(3, (number, steps), generator=chance)
    by_chance = torch.rand(number, steps, generator=chance) < NOISE_OF_TARGETS
    for step in range(steps):
        likely = following[texts[:, step], chosen[:, step]]
        texts[:, step + 1] = torch.where(by_chance[:, step], texts[:, step + 1], likely)
    return texts[:, :-1].contiguous(), texts[:, 1:].contiguous()


@torch.no_grad()
def _answers(described: Description, inputs: Tensor, seed: int) -> Tensor:
    """The teacher's outputs (n, outputs, ...), each with mean 0 and deviation 1 over the examples."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        teacher = build(described)
    initialise(teacher, "he", described.activation, seed=seed)
    teacher.train()  # so that batch normalisation follows the examples
    for part in teacher.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
    answers = torch.cat([teacher(part) for (part,) in in_order((inputs,), at_once(inputs[0].numel(), _AT_ONCE))])
    others = [axis for axis in range(answers.dim()) if axis != 1]
    mean, deviation = answers.mean(others, keepdim=True), answers.std(others, keepdim=True)
    return (answers - mean) / deviation.clamp(min=1e-6)


def _targets(described: Description, answers: Tensor, chance: Generator) -> Tensor:
    noisy = answers + NOISE_OF_TARGETS * torch.randn(answers.shape, generator=chance)
    match described.loss:
        case "cross_entropy" | "dice_cross_entropy":
            return noisy.argmax(1)
        case "binary_cross_entropy":
            return (noisy > 0).float()
        case _:
            return noisy
