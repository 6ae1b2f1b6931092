"""The parts of a training step besides its optimiser: a network, made-up examples for it, and the loss of its answers.

Of a type of network that is built here, the plan says all that. Of a network that somebody named, the examples have the shapes
of its arguments, and targets and loss follow from its answer to two of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from advisor.children.errors import CannotRunError
from advisor.models.code import Argument, Library
from advisor.models.tracing.building import RefusedError, builder, told
from advisor.networks import builders
from advisor.networks.examples import example_batch
from advisor.networks.parts.supervised import dice_loss, quantile_loss
from advisor.probes.workload import NamedNetwork, Workload
from advisor.wording import shorten

Inputs: TypeAlias = tuple[Tensor, ...]
_FEW = 2
"""Examples that show the shape of an answer; one would be too few for batch normalisation."""
_LONGEST_REASON = 400


@dataclass(frozen=True, slots=True)
class Lesson:
    """A network, with the examples that it learns from."""

    network: nn.Module
    batch: Callable[[int, Generator], tuple[Inputs, Tensor]]
    """So many examples: what the network takes, and targets, which are the input itself where it learns from that alone."""
    loss: Callable[[Any, Tensor], Tensor]


def network_of(workload: Workload) -> nn.Module:
    """The network with weights that are drawn by torch's generator, on torch's default device.

    Raises UnbuildableError, and CannotRunError where somebody else's code builds none.
    """
    if workload.named is None:
        return builders.build(workload)
    code = workload.named.code
    if code is None:
        raise CannotRunError(
            f"{workload.named.name} is code, which runs only where somebody names it on the command line."
        )
    try:
        network: nn.Module = builder(code)[0]()
    except RefusedError as error:
        raise CannotRunError(f"{workload.named.name} cannot be built: {error}.") from error
    except Exception as error:  # somebody else's code raises anything
        if _of_the_machine(error):
            raise
        raise CannotRunError(f"{workload.named.name} cannot be built: {_said(error)}") from error
    return network.train()


def weights_of(workload: Workload) -> list[int]:
    """The sizes of its tensors of weights: of a network that is built here without making them. Raises as `network_of` does."""
    if workload.named is not None:
        return [weights.numel() for weights in network_of(workload).parameters()]
    with torch.device("meta"):
        return [weights.numel() for weights in builders.build(workload).parameters()]


def lesson_of(workload: Workload, network: nn.Module) -> Lesson:
    """Examples and loss for this network. Raises CannotRunError where its answer leaves nothing to compare."""
    if workload.named is not None:
        return _named_lesson(workload, workload.named, network)

    def batch(size: int, generator: Generator) -> tuple[Inputs, Tensor]:
        inputs, targets = example_batch(workload, size, generator)
        return (inputs,), targets

    return Lesson(network, batch, builders.loss_function(workload))


def _named_lesson(workload: Workload, named: NamedNetwork, network: nn.Module) -> Lesson:
    arguments = named.code.arguments if named.code is not None else ()
    place = next(network.parameters(), torch.empty(0)).device
    few = [_example(one, _FEW, 1, Generator()).to(place) for one in arguments]
    rows, answer = _tried(named, network, few)
    goal = _goal(workload, named, answer, tokens=arguments[0].tokens)

    def batch(size: int, generator: Generator) -> tuple[Inputs, Tensor]:
        inputs = tuple(_example(one, size, most, generator) for one, most in zip(arguments, rows, strict=True))
        return inputs, goal.targets(size, generator)

    return Lesson(network, batch, lambda answer, targets: goal.loss(_answer_of(answer), targets))


def _example(argument: Argument, size: int, rows: int, generator: Generator) -> Tensor:
    shape = (size, *argument.shape)
    return (
        torch.randint(max(1, rows), shape, generator=generator)
        if argument.tokens
        else torch.rand(shape, generator=generator)
    )


def _tried(named: NamedNetwork, network: nn.Module, few: list[Tensor]) -> tuple[list[int], Tensor]:
    """The rows of the table that each argument chooses from, 1 where it reaches none as it is; and the answer."""
    rows = [1] * len(few)

    def see(table: nn.Module, given: tuple[Any, ...]) -> None:
        for place, values in enumerate(few):
            if given and isinstance(given[0], Tensor) and given[0].data_ptr() == values.data_ptr():
                rows[place] = max(rows[place], int(getattr(table, "num_embeddings", 1)))

    watched = [part.register_forward_pre_hook(see) for part in network.modules() if isinstance(part, nn.Embedding)]
    try:
        with torch.no_grad():
            answer = _answer_of(network(*few))
    except CannotRunError:
        raise
    except Exception as error:  # somebody else's code raises anything
        if _of_the_machine(error):
            raise
        raise CannotRunError(
            f"{named.describe()} did not take {_FEW} examples of {_shapes(few)}: {_said(error)}"
        ) from error
    finally:
        for one in watched:
            one.remove()
    if answer.dim() == 0 or answer.shape[0] != _FEW:
        raise CannotRunError(
            f"{named.describe()} answered {_FEW} examples with values of the shape {_shape(answer)}; the first axis must be "
            "that of the examples."
        )
    return rows, answer


def _answer_of(answer: Any) -> Tensor:
    """The tensor that is compared: the answer itself, its `logits`, or the first number of a structure."""
    named = getattr(answer, "logits", None)
    for found in (named, *_tensors(answer)):
        if isinstance(found, Tensor) and found.is_floating_point():
            return found
    raise CannotRunError(
        f"its answer is {type(answer).__name__}, in which there are no numbers to compare with a target."
    )


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _tensors(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _tensors(one)


@dataclass(frozen=True, slots=True)
class _Goal:
    targets: Callable[[int, Generator], Tensor]
    loss: Callable[[Tensor, Tensor], Tensor]


def _goal(workload: Workload, named: NamedNetwork, answer: Tensor, *, tokens: bool) -> _Goal:
    """By the plan's loss, and the shape of the answer to a few examples.

    Classes stand on the last axis of a text's answer (examples, tokens, classes), else on the second one.
    """
    shape = tuple(answer.shape[1:])
    _check_outputs(workload, named, shape)
    loss = workload.loss
    if loss in ("cross_entropy", "dice_cross_entropy"):
        if not shape:
            raise CannotRunError(
                f"{named.describe()} answers an example with one number, and {loss} compares classes: state task.kind, or "
                "training.loss."
            )
        last = len(shape) == 2 and tokens
        classes, places = (shape[-1], shape[:-1]) if last else (shape[0], shape[1:])

        def compared(given: Tensor, targets: Tensor) -> Tensor:
            scores = given.movedim(-1, 1) if last else given
            found = functional.cross_entropy(scores, targets)
            return found + dice_loss(scores, targets) if loss == "dice_cross_entropy" else found

        return _Goal(lambda size, drawn: torch.randint(classes, (size, *places), generator=drawn), compared)
    if loss == "binary_cross_entropy":
        return _Goal(
            lambda size, drawn: torch.randint(2, (size, *shape), generator=drawn).float(),
            functional.binary_cross_entropy_with_logits,
        )
    return _Goal(lambda size, drawn: torch.rand(size, *shape, generator=drawn), _DISTANCES[loss])


_DISTANCES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "mse": functional.mse_loss,
    "noise_prediction": functional.mse_loss,
    "mae": functional.l1_loss,
    "huber": functional.huber_loss,
    "quantile": quantile_loss,
}


def _check_outputs(workload: Workload, named: NamedNetwork, shape: tuple[int, ...]) -> None:
    """Somebody's own network must answer what the plan wants; that of a library is timed as it is published."""
    own = named.code is not None and named.code.library is Library.FILE
    if own and workload.outputs > 1 and shape and workload.outputs not in shape:
        raise CannotRunError(
            f"{named.describe()} answers an example with values of the shape {'x'.join(map(str, shape))}, and the plan has "
            f"{workload.outputs} outputs (task.outputs)."
        )


def _of_the_machine(error: Exception) -> bool:
    """True where memory or a card is to blame, and not the code."""
    said = str(error)
    return isinstance(error, torch.OutOfMemoryError) or any(one in said for one in ("allocate memory", "CUDA", "cuDNN"))


def _shapes(tensors: list[Tensor]) -> str:
    return ", ".join("x".join(map(str, values.shape[1:])) for values in tensors)


def _shape(values: Tensor) -> str:
    return "x".join(map(str, values.shape)) or "a single number"


def _said(error: Exception) -> str:
    return shorten(told(error), _LONGEST_REASON)
