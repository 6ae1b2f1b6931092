"""The lesson that all strategies learn: a network, its loss, examples to learn from and examples that are held out.

The network is the one that trials build, or one that somebody named; the data are read and prepared as trials do. All of it
follows from the seed of the task.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import torch
from torch import Generator, Tensor, nn

from advisor.distributed.learning.described import COMPARED, described, why_incomparable, why_unbuildable
from advisor.distributed.learning.made import ExamplesMade, at_once, made_examples, made_for_named
from advisor.distributed.learning.named import TITLE, Named, Shown, check_rows, check_targets, idle_weights, telling
from advisor.distributed.task import DIGITS, Task
from advisor.errors import input_error
from advisor.networks.builders import Loss, build, loss_function
from advisor.networks.spec import Description
from advisor.plain import decode, encode
from advisor.training.loop.batches import in_order
from advisor.training.loop.initialisation import initialise

_CLASSES = ("cross_entropy", "dice_cross_entropy")
_AT_ONCE = 1024
"""Examples that a network looks at in one piece where nothing is kept for going backwards."""
_RENEWING, _RENEWED_AT_ONCE = 1024, 256
"""Examples by which averages of batch normalisation are computed anew, and those of a batch of them."""
_SEEDS_APART = 1_000_003
Score = Callable[[Tensor, Tensor], Tensor]
INITIAL_WEIGHTS = "he"


@dataclass(frozen=True, slots=True)
class Lesson:
    """A network with everything that it learns from. All tensors count examples along their first axis."""

    description: Description
    """Of the network, with the sizes of the data; of a named one as its plan has it."""
    fresh: Callable[[int], nn.Module]
    """Another such network, with the initial weights of this seed, in training mode."""
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
    score: Score
    """Outputs and targets -> the metric of each example (n,): right or not, or a squared error. Its mean is that of all."""
    how: str
    """A sentence on where the examples are from."""
    at_once: int
    """Examples that the network looks at in one piece where nothing is kept for going backwards."""
    renewing: int
    """Examples by which averages of batch normalisation are computed anew."""

    @property
    def greater_is_better(self) -> bool:
        return self.metric == "accuracy"

    def stream(self, batch: int, seed: int) -> Stream:
        """The batches of this seed."""
        return Stream(len(self.inputs), batch, seed)

    @torch.no_grad()
    def held_out(self, network: nn.Module) -> tuple[float, Tensor]:
        """The mean loss on the held-out examples, and the metric of each (n,), in float64.

        Averages of batch normalisation are computed anew before, from the first examples to learn from: so they belong to the
        weights that are looked at, whatever strategy they came from.
        """
        device = next(network.parameters()).device
        renew_averages(network, self.inputs[: self.renewing].to(device), min(self.at_once, _RENEWED_AT_ONCE))
        network.eval()
        total, scores = 0.0, []
        for inputs, targets in in_order((self.held_inputs, self.held_targets), self.at_once):
            outputs = network(inputs.to(device)).cpu()
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
    weights, and noise. They are made for rows of values, pictures, steps and tokens. Those for a network that somebody named
    are answered by a small network.

    Args:
        dtype: of weights, inputs and numbers to predict.

    Raises InputError where the network cannot be built, learns without targets, from edges or from trees, does not take the
    examples, or the data cannot be read; CannotRunError where somebody's code builds no network.
    """
    return lesson_of(task, prepared(task), dtype)


def prepared(task: Task) -> Prepared:
    """The examples of a task. Raises as `lesson` does."""
    sized = described(task)
    if task.named is None:
        _check(sized)
    if task.data is None:
        return Prepared(sized, _made(task, sized))
    from advisor.distributed.learning.read import read_digits, read_examples  # polars and scikit-learn take two seconds

    if task.data == DIGITS:
        return Prepared(*read_digits(sized, task.seed))
    path, most = Path(task.data), task.most_examples
    if task.named is not None:
        return Prepared(*read_examples(sized, path, task.target, most, task.seed, flat=Named(task).takes_rows))
    found = Prepared(*read_examples(sized, path, task.target, most, task.seed))
    _check(found.description)
    return found


def _made(task: Task, sized: Description) -> ExamplesMade:
    if task.named is None:
        return made_examples(sized, task.most_examples, task.seed)
    named = Named(task, _new_outputs(task, sized))
    return made_for_named(named, named.shown(), task.most_examples, task.seed)


def lesson_of(task: Task, found: Prepared, dtype: torch.dtype = torch.float32) -> Lesson:
    """The lesson with these examples, which belong to the task. Raises as `lesson` does."""
    sized = found.description
    inputs, targets, held_inputs, held_targets = (
        part.to(dtype) if part.is_floating_point() else part for part in found.examples.parts
    )
    metric, score = _metric(sized.loss)
    fresh: Callable[[int], nn.Module]
    if task.named is None:
        fresh, loss = partial(_network, sized, dtype=dtype), loss_function(sized)
        pieces = at_once(max(inputs[0].numel(), _answered(sized, targets)), _AT_ONCE)
    else:
        fresh, shown = _of_named(task, sized, dtype, inputs, targets)
        loss, pieces = shown.loss, max(2, task.batch)
        score = partial(_right, axis=-1 if shown.last else 1) if score is _right else score
    few, how = slice(task.most_held_out), found.examples.how
    if len(held_inputs[few]) < len(held_inputs):
        how = f"{how} To save time, {task.most_held_out:,} of these are looked at."
    return Lesson(
        sized, fresh, fresh(task.seed), loss, inputs, targets, held_inputs[few], held_targets[few], metric, score, how,
        pieces, min(_RENEWING, task.most_held_out or _RENEWING),
    )  # fmt: skip


def _of_named(
    task: Task, sized: Description, dtype: torch.dtype, inputs: Tensor, targets: Tensor
) -> tuple[Callable[[int], nn.Module], Shown]:
    """The way to build the network that somebody named, once it was tried on the examples, and what it can learn."""
    named = Named(replace(task, loss=sized.loss), _new_outputs(task, sized))
    check_rows(named, inputs)
    shown = named.shown()
    if task.data is not None:
        check_targets(named, shown, targets, sized.outputs)
    network, rows = named.built(task.seed).to(dtype), telling(inputs)
    idle = idle_weights(named, network, lambda: shown.loss(network(inputs[rows]), targets[rows]), task.seed)
    return lambda seed: named.built(seed, idle).to(dtype), shown


def _new_outputs(task: Task, sized: Description) -> int | None:
    """Those of the data, or of the plan where it has any."""
    return sized.outputs if task.data is not None or task.outputs > 1 else None


def _answered(sized: Description, targets: Tensor) -> int:
    """The numbers of an answer to one example."""
    return targets[0].numel() * (1 if targets.is_floating_point() else sized.outputs)


def _metric(loss: str) -> tuple[str, Score]:
    if loss in _CLASSES:
        return "accuracy", _right
    return ("accuracy", _right_labels) if loss == "binary_cross_entropy" else ("mse", _squared_error)


def renew_averages(network: nn.Module, inputs: Tensor, size: int) -> None:
    """Compute the running averages of batch normalisation anew, by these examples; without such layers nothing is done.

    Args:
        size: examples of a batch.
    """
    layers = [part for part in network.modules() if isinstance(part, nn.modules.batchnorm._BatchNorm)]
    if not layers:
        return
    usual = [layer.momentum for layer in layers]
    for layer in layers:
        layer.reset_running_stats()
        layer.momentum = None
    network.train()
    with torch.no_grad():
        for (part,) in in_order((inputs,), size):
            network(part)
    for layer, momentum in zip(layers, usual, strict=True):
        layer.momentum = momentum


def _check(network: Description) -> None:
    """Raise InputError where the network cannot be built, or has no targets to be compared with."""
    if (reason := why_unbuildable(network)) is not None:
        raise input_error(TITLE, reason, where="network")
    if (reason := why_incomparable(network)) is not None:
        raise input_error(TITLE, reason, where="network", remedy=COMPARED)


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


def _right(outputs: Tensor, targets: Tensor, axis: int | None = None) -> Tensor:
    same = outputs.argmax(_classes_axis(outputs, targets) if axis is None else axis) == targets
    return same.double().flatten(1).mean(1) if same.dim() > 1 else same.double()


def _right_labels(outputs: Tensor, targets: Tensor) -> Tensor:
    return ((outputs > 0) == (targets > 0.5)).double().flatten(1).mean(1)


def _squared_error(outputs: Tensor, targets: Tensor) -> Tensor:
    return (outputs - targets.view_as(outputs)).square().flatten(1).mean(1)
