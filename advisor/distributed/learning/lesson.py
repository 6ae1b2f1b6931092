"""The lesson that all strategies learn: a network, its loss, examples to learn from and examples that are held out.

The network is the one that trials build, the data are read and prepared as trials do. All of it follows from the seed of the
task.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Generator, Tensor, nn

from advisor.distributed.learning.made import ExamplesMade, made_examples
from advisor.distributed.task import DIGITS, Task
from advisor.errors import input_error
from advisor.networks.builders import Loss, build, loss_function
from advisor.networks.description import Layout, UnbuildableError
from advisor.networks.family import Answer
from advisor.networks.registry import family
from advisor.networks.spec import Description, check, layout, reconstructs
from advisor.plain import decode, encode
from advisor.training.loop.batches import in_order
from advisor.training.loop.initialisation import initialise

_TITLE = "Strategies cannot be compared on this network"
_CLASSES = ("cross_entropy", "dice_cross_entropy")
_AT_ONCE = 1024
"""Examples that a network looks at in one piece where nothing is kept for going backwards."""
_SEEDS_APART = 1_000_003
_LAYOUTS = (Layout.FLAT, Layout.PICTURE, Layout.STEPS, Layout.TOKENS)
INITIAL_WEIGHTS = "he"


@dataclass(frozen=True, slots=True)
class Lesson:
    """A network with everything that it learns from. All tensors count examples along their first axis."""

    description: Description
    """Of the network; its sizes are those of the data."""
    network: nn.Module
    """With the initial weights of the seed of the task, in training mode."""
    loss: Loss
    """Outputs and targets -> the mean loss, one number."""
    inputs: Tensor
    """See advisor.networks.description.Layout."""
    targets: Tensor
    """Numbers of classes (n,), (n, steps) or (n, side, side); or numbers (n, outputs), of data with mean 0 and deviation 1."""
    held_inputs: Tensor
    held_targets: Tensor
    metric: str
    """accuracy, or mse, in the units of the targets."""
    score: Callable[[Tensor, Tensor], Tensor]
    """Outputs and targets -> the metric of each example (n,): right or not, or a squared error. Its mean is that of all."""
    how: str
    """A sentence on where the examples are from."""

    @property
    def greater_is_better(self) -> bool:
        return self.metric == "accuracy"

    def fresh(self, seed: int) -> nn.Module:
        """Another such network, with the initial weights of this seed, in training mode."""
        return _network(self.description, seed, next(self.network.parameters()).dtype)

    def stream(self, batch: int, seed: int) -> Stream:
        """The batches of this seed."""
        return Stream(len(self.inputs), batch, seed)

    @torch.no_grad()
    def held_out(self, network: nn.Module) -> tuple[float, Tensor]:
        """The mean loss on the held-out examples, and the metric of each (n,), in float64.

        Averages of batch normalisation are computed anew before, from the first examples to learn from: so they belong to the
        weights that are looked at, whatever strategy they came from.
        """
        renew_averages(network, self.inputs)
        network.eval()
        total, scores = 0.0, []
        for inputs, targets in in_order((self.held_inputs, self.held_targets), _AT_ONCE):
            outputs = network(inputs)
            total += float(self.loss(outputs, targets)) * len(targets)
            scores.append(self.score(outputs, targets).double())
        network.train()
        return total / len(self.held_inputs), torch.cat(scores)


class Stream:
    """The one order of batches that all strategies share: worker w of N takes batch k*N + w for its k-th gradient.

    Every epoch is a new order of all examples, cut into whole batches; the few that are left over are left out, others each time.

    Args:
        examples: to learn from.
        batch: examples of a batch; all of them where there are fewer.
    """

    def __init__(self, examples: int, batch: int, seed: int) -> None:
        self.batch = min(examples, batch)
        self._examples, self._seed = examples, seed
        self._an_epoch = examples // self.batch
        self._epochs: dict[int, Tensor] = {}

    def rows(self, number: int) -> Tensor:
        """The places (batch,) of the examples of this batch, counted from 0."""
        epoch, place = divmod(number, self._an_epoch)
        if epoch not in self._epochs:
            drawn = Generator().manual_seed((self._seed * _SEEDS_APART + epoch) % 2**63)
            if len(self._epochs) > 1:  # slow and fast workers are seldom further apart
                self._epochs.pop(min(self._epochs))
            self._epochs[epoch] = torch.randperm(self._examples, generator=drawn)
        return self._epochs[epoch][place * self.batch : (place + 1) * self.batch]


@dataclass(frozen=True, slots=True)
class Prepared:
    """Examples in numbers, and the network that fits them."""

    description: Description
    examples: ExamplesMade

    def save(self, path: Path) -> None:
        """For `load`, by another process of this computer."""
        told = {"description": encode(self.description), "how": self.examples.how}
        torch.save({"parts": list(self.examples.parts), "told": json.dumps(told)}, path)

    @classmethod
    def load(cls, path: Path) -> Prepared:
        """The same as `save` was given; processes that load it share the memory of the examples."""
        found = torch.load(path, weights_only=True, mmap=True)
        told = json.loads(found["told"])
        parts = tuple(found["parts"])
        return cls(decode(Description, told["description"], "description"), ExamplesMade(parts, told["how"]))


def lesson(task: Task, dtype: torch.dtype = torch.float32) -> Lesson:
    """The lesson of a task.

    Without data, examples are made: inputs that vary along a few directions, answered by a network of the same kind with other
    weights, and noise. They are made for rows of values, pictures, steps and tokens.

    Args:
        dtype: of weights, inputs and numbers to predict.

    Raises InputError where the network cannot be built, learns without targets, from edges or from trees, or the data cannot be
    read.
    """
    return lesson_of(task, prepared(task), dtype)


def prepared(task: Task) -> Prepared:
    """The examples of a task. Raises as `lesson` does."""
    described = _described(task)
    _check(described)
    if task.data is None:
        return Prepared(described, made_examples(described, task.most_examples, task.seed))
    from advisor.distributed.learning.read import read_digits, read_examples  # polars and scikit-learn take two seconds

    if task.data == DIGITS:
        found = Prepared(*read_digits(described, task.seed))
    else:
        found = Prepared(*read_examples(described, Path(task.data), task.target, task.most_examples, task.seed))
    _check(found.description)
    return found


def lesson_of(task: Task, found: Prepared, dtype: torch.dtype = torch.float32) -> Lesson:
    """The lesson with these examples, which belong to the task."""
    described, (metric, score) = found.description, _metric(found.description.loss)
    inputs, targets, held_inputs, held_targets = (
        part.to(dtype) if part.is_floating_point() else part for part in found.examples.parts
    )
    return Lesson(
        described, _network(described, task.seed, dtype), loss_function(described), inputs, targets, held_inputs, held_targets,
        metric, score, found.examples.how,
    )  # fmt: skip


def _metric(loss: str) -> tuple[str, Callable[[Tensor, Tensor], Tensor]]:
    if loss in _CLASSES:
        return "accuracy", _right
    return ("accuracy", _right_labels) if loss == "binary_cross_entropy" else ("mse", _squared_error)


def renew_averages(network: nn.Module, inputs: Tensor) -> None:
    """Compute the running averages of batch normalisation anew, by the first examples; without such layers nothing is done."""
    layers = [part for part in network.modules() if isinstance(part, nn.modules.batchnorm._BatchNorm)]
    if not layers:
        return
    usual = [layer.momentum for layer in layers]
    for layer in layers:
        layer.reset_running_stats()
        layer.momentum = None
    network.train()
    with torch.no_grad():
        for (part,) in in_order((inputs[:_AT_ONCE],), _AT_ONCE // 4):
            network(part)
    for layer, momentum in zip(layers, usual, strict=True):
        layer.momentum = momentum


def _described(task: Task) -> Description:
    return Description(
        network=task.network,
        modality=task.modality,
        inputs=task.inputs,
        outputs=task.outputs,
        hidden_units=tuple(task.hidden_units),
        sequence_length=task.sequence_length,
        loss=task.loss,
        activation=task.activation,
        normalization=task.normalization,
        dropout=task.dropout,
    )


def _check(described: Description) -> None:
    """Raise InputError where the network cannot be built, or has no targets to be compared with."""
    try:
        check(described)
        shape, answer = layout(described), family(described.network).answer
    except UnbuildableError as error:
        raise input_error(_TITLE, str(error), where="network") from error
    if reconstructs(described) or shape not in _LAYOUTS or answer is Answer.PICTURE:
        raise input_error(
            _TITLE,
            f"a {described.network} with the loss {described.loss} gives no class and no number for an example of {_of(shape)}",
            where="network",
            remedy="Strategies are compared on a supervised network of rows, pictures, steps or tokens: ffn, cnn, rnn, lstm, "
            "transformer, unet.",
        )


def _of(shape: Layout) -> str:
    return {Layout.TREE: "a tree", Layout.GRAPH: "a graph"}.get(shape, "its data")


def _network(described: Description, seed: int, dtype: torch.dtype) -> nn.Module:
    """As trials build it. The global generator is as before afterwards."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = build(described)
    initialise(network, INITIAL_WEIGHTS, described.activation, seed=seed)
    return network.to(dtype).train()


def _classes_axis(outputs: Tensor, targets: Tensor) -> int:
    """Logits are (n, classes), (n, classes, side, side), or (n, steps, tokens) where every token is predicted."""
    return -1 if outputs.dim() == 3 and targets.dim() == 2 else 1


def _right(outputs: Tensor, targets: Tensor) -> Tensor:
    same = outputs.argmax(_classes_axis(outputs, targets)) == targets
    return same.double().flatten(1).mean(1) if same.dim() > 1 else same.double()


def _right_labels(outputs: Tensor, targets: Tensor) -> Tensor:
    return ((outputs > 0) == (targets > 0.5)).double().flatten(1).mean(1)


def _squared_error(outputs: Tensor, targets: Tensor) -> Tensor:
    return (outputs - targets.view_as(outputs)).square().flatten(1).mean(1)
