"""A network that somebody named, as strategies train it: built as probes build it, and tried on the examples that it is to learn.

It is given all its arguments in one tensor, and answers with one, so that it is trained as any other network.
"""

from __future__ import annotations

import contextlib
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy
import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from advisor.children.errors import CannotRunError
from advisor.distributed.task import Task
from advisor.errors import InputError, input_error
from advisor.models.code import Argument, Library
from advisor.models.tracing.building import told
from advisor.networks.builders import Loss
from advisor.probes.child import lesson as probed
from advisor.probes.workload import Workload
from advisor.wording import shorten

TITLE = "Strategies cannot be compared on this network"
_FEW, _TEXTS = 2, 512
"""Examples that show the shape of an answer, and texts that show how many tokens there are."""
_PICTURE = 3
"""Axes of a picture: colours, height and width."""
_LONGEST_REASON = 400
_SEEDS = 2**32


@dataclass(frozen=True, slots=True)
class Shown:
    """The targets that a named network can learn, as its answer to a few examples shows."""

    loss: Loss
    places: tuple[int, ...]
    """The shape of the target of one example."""
    classes: int | None
    """At each place; None where targets are numbers."""
    of_labels: bool
    """True where targets are 0 or 1 in each place."""
    last: bool
    """True where classes stand on the last axis of an answer, else on the second one."""
    tokens: tuple[int, ...]
    """Different tokens that each argument knows, about; 1 for numbers of any kind."""


class Named:
    """A network that somebody named, built as often as it is needed.

    Args:
        task: one that names a network.
        outputs: those that it is to have, where its library can give it a new last layer; None leaves it as it is published.
    """

    def __init__(self, task: Task, outputs: int | None = None) -> None:
        assert task.named is not None  # noqa: S101 - this is for such a task
        code = task.named.code
        self.name = task.named.describe()
        self.arguments: tuple[Argument, ...] = code.arguments if code is not None else ()
        self._outputs = outputs if code is not None and code.library is Library.TIMM else None
        self._workload = Workload(
            task.network, task.modality, task.inputs, outputs or task.outputs, loss=task.loss, named=task.named
        )

    @property
    def takes_rows(self) -> bool:
        """True where an example is a row of numbers."""
        return len(self.arguments) == 1 and len(self.arguments[0].shape) == 1 and not self.arguments[0].tokens

    def built(self, seed: int, idle: frozenset[str] = frozenset()) -> nn.Module:
        """The network with the weights of this seed, in training mode. The chance of others is as before afterwards.

        Args:
            idle: the weights that no loss depends on, which are not learned.

        Raises CannotRunError where it cannot be built.
        """
        network = self._drawn(seed)
        for name, weights in network.named_parameters():
            weights.requires_grad_(name not in idle and weights.requires_grad)
        network.register_forward_pre_hook(lambda _, given: self._given(given[0]))
        network.register_forward_hook(lambda _, __, answer: probed._answer_of(answer))
        return network

    def shown(self) -> Shown:
        """The targets that it can learn. Raises CannotRunError where its answer leaves nothing to compare."""
        with _chance(0):
            network = self._drawn(0)
            lesson = probed.lesson_of(self._workload, network)
            of_tokens = any(one.tokens for one in self.arguments)
            inputs, targets = lesson.batch(_TEXTS if of_tokens else _FEW, Generator().manual_seed(0))
            with torch.no_grad():
                answer = probed._answer_of(network(*(one[:_FEW] for one in inputs)))
        places = tuple(targets.shape[1:])
        classes = None if targets.is_floating_point() else answer[0].numel() // math.prod(places)
        last = self.arguments[0].tokens and answer.dim() == _PICTURE
        tokens = [
            int(one.max()) + 1 if argument.tokens else 1 for one, argument in zip(inputs, self.arguments, strict=True)
        ]
        of_labels = self._workload.loss == "binary_cross_entropy"
        return Shown(lesson.loss, places, classes, of_labels, last, tuple(tokens))

    def _drawn(self, seed: int) -> nn.Module:
        with _chance(seed):
            network = probed.network_of(self._workload)
            if self._outputs is not None and hasattr(network, "reset_classifier"):
                getattr(network, "reset_classifier")(self._outputs)  # noqa: B009 - a function of timm's networks
        return network

    def _given(self, inputs: Tensor) -> tuple[Tensor, ...]:
        """The arguments, of examples that are packed or not."""
        if len(self.arguments) == 1:
            return (_as_taken(inputs, self.arguments[0]),)
        parts = torch.split(inputs, [math.prod(one.shape) for one in self.arguments], 1)
        return tuple(
            (part.long() if one.tokens else part).view(len(inputs), *one.shape)
            for part, one in zip(parts, self.arguments, strict=True)
        )


def packed(parts: list[Tensor]) -> Tensor:
    """All arguments of the examples as one tensor: as it is where there is one, else a row of numbers for each example."""
    return parts[0] if len(parts) == 1 else torch.cat([part.flatten(1) for part in parts], 1)


def check_targets(named: Named, shown: Shown, targets: Tensor, outputs: int) -> None:
    """Raise InputError where the answers of the network are none to what the examples ask for.

    Args:
        targets: as in advisor.distributed.learning.lesson.Lesson.
        outputs: classes, or numbers to predict.
    """
    places, classes = tuple(targets.shape[1:]), None if targets.is_floating_point() else outputs
    enough = classes is None or (shown.classes or 0) >= classes
    if places != shown.places or (classes is None) != (shown.classes is None) or not enough:
        gives, asked = _said(shown.places, shown.classes), _said(places, classes)
        what = f"{named.name} answers an example with {gives}; the data have {asked}"
        raise input_error(TITLE, what, remedy="Name a network that answers so, or leave out --data.")


def check_rows(named: Named, inputs: Tensor) -> None:
    """Raise InputError where rows of numbers have more or fewer than the network takes."""
    if named.takes_rows and inputs[0].numel() != math.prod(named.arguments[0].shape):
        what = (
            f"{named.name} takes {named.arguments[0].shape[0]:,} numbers for an example, and the data give "
            f"{inputs[0].numel():,}: a column of categories becomes one for each"
        )
        raise input_error(TITLE, what, remedy="Let the network take so many, or leave out --data.")


def idle_weights(named: Named, network: nn.Module, loss: Callable[[], Tensor], seed: int) -> frozenset[str]:
    """The names of weights that a loss does not depend on, by a trial with a network of this seed, which is spoilt by it.

    Raises InputError where the network does not take the examples, or the same seed gives other weights each time.
    """
    again = named.built(seed)
    if any(
        not torch.equal(one, other.to(one.dtype))
        for one, other in zip(network.parameters(), again.parameters(), strict=True)
    ):
        what = f"{named.name} begins with other weights each time that it is built, so workers could not begin alike"
        raise input_error(TITLE, what, remedy="Let torch's own generator draw them, as its layers do.")
    del again
    try:
        with _chance(seed):
            loss().backward()  # type: ignore[no-untyped-call]
    except (CannotRunError, InputError, MemoryError):
        raise
    except Exception as error:  # somebody else's code raises anything
        what = f"{named.name} does not learn from these examples: {shorten(told(error), _LONGEST_REASON)}"
        raise input_error(TITLE, what, remedy="Name data whose shape it takes, or leave out --data.") from error
    return frozenset(name for name, weights in network.named_parameters() if weights.grad is None)


def telling(inputs: Tensor) -> Tensor:
    """The places (n,) of a few examples on which a network is tried: of texts also that with the largest token."""
    few = torch.arange(min(len(inputs), _FEW))
    return few if inputs.is_floating_point() else torch.cat([few, inputs.flatten(1).amax(1).argmax()[None]])


def _said(places: tuple[int, ...], classes: int | None) -> str:
    """The shape of a target in words."""
    size = "x".join(map(str, places))
    if classes is None:
        return f"{size or 'one'} numbers" if size != "1" else "one number"
    return f"one of {classes:,} classes" + (f" at each of {size} places" if size else "")


def _as_taken(inputs: Tensor, argument: Argument) -> Tensor:
    """Pictures in the size and colours that the network takes, texts cut to its length; all else as it is."""
    if argument.tokens:
        return inputs[:, : argument.shape[0]] if inputs.dim() == 2 and len(argument.shape) == 1 else inputs
    if inputs.dim() != _PICTURE + 1 or len(argument.shape) != _PICTURE or inputs.shape[1:] == argument.shape:
        return inputs
    colours, *sides = argument.shape
    grey = inputs.expand(-1, colours, -1, -1) if inputs.shape[1] == 1 else inputs
    if list(grey.shape[2:]) == sides:
        return grey
    return functional.interpolate(grey, size=tuple(sides), mode="bilinear", align_corners=False)


@contextlib.contextmanager
def _chance(seed: int) -> Iterator[None]:
    """The generators of torch, NumPy and Python begin with this seed, and are as before afterwards."""
    of_python, of_numpy = random.getstate(), numpy.random.get_state()
    random.seed(seed)
    numpy.random.seed(seed % _SEEDS)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            yield
    finally:
        random.setstate(of_python)
        numpy.random.set_state(of_numpy)
