"""Counts that do not depend on chance: networks that draw lots, or look at their numbers, run other parts at each pass."""

from __future__ import annotations

import pickle
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from advisor.models.model import Layer
from advisor.models.tracing.operations import tensors
from advisor.models.tracing.trace import BATCHES, Inputs, Network, Pass, layers_of, prepared, run

_LEAST_DRAWS = 6
_MOST_DRAWS = 48
"""Passes that draw otherwise, of a network whose passes differ."""
_NOTHING_NEW = 8
"""After so many that took no more of any part than those before, no more are drawn, if all parts were at work."""


@dataclass(frozen=True)
class Count:
    """All that is known of a network that was run."""

    layers: list[Layer]
    backward: int | None
    uncounted: tuple[str, ...]
    remarks: tuple[str, ...]


def count_module(build: Callable[[], nn.Module], inputs: Inputs, *, contents: bool = False) -> Count:
    """The parts of a network, as `traced` finds them, with all of them at work where it is left to chance which are.

    Raises whatever the module raises.
    """
    _seed(0, _generators(None))
    with prepared(build, inputs, contents=contents) as network:
        passes = _passes(network, inputs, contents=contents)
        layers = layers_of(network, passes)
        remarks = [_told(network, passes)] if len(passes) > 1 else []
        remarks += _without_gradient(network, passes)
        frozen = any(layer.frozen for layer in layers)
        return Count(layers, _backward(passes) if frozen else None, _uncounted(passes), tuple(remarks))


def _passes(network: Network, inputs: Inputs, *, contents: bool) -> list[tuple[Pass, Pass]]:
    """One pair of passes; several that differ, the last with all parts at work, where the first was left to chance."""
    generators = _generators(network.module)
    before = _states(generators, contents)
    passes = [_drawn(0, network, inputs, generators)]
    drew = contents or _states(generators, contents) != before
    at_work = _with_all_at_work(network, inputs, generators)
    if not drew and (at_work is None or _work(at_work[0]) == _work(passes[0][0])):
        return passes
    best, last_new = layers_of(network, passes), 0
    for seed in range(1, _MOST_DRAWS):
        with suppress(_OtherwiseError):
            passes.append(_drawn(seed, network, inputs if not contents else _any_numbers(inputs), generators))
        if (now := layers_of(network, passes)) != best:
            best, last_new = now, seed
        if seed >= _LEAST_DRAWS and seed - last_new >= _NOTHING_NEW and not _never_at_work(network, passes):
            break
        if seed >= _LEAST_DRAWS and all(_same_pair(pair, passes[0]) for pair in passes):
            return passes[:1]
    return passes if at_work is None else [*passes, at_work]


def _drawn(seed: int, network: Network, inputs: Inputs, generators: list[Any]) -> tuple[Pass, Pass]:
    """A pair of passes that draws the same lots whenever it is run."""
    pair = []
    for batch in BATCHES:
        given = inputs(batch)
        _seed(seed, generators)
        try:
            pair.append(run(network.module, given))
        except Exception as error:  # somebody else's code raises anything
            if not seed:
                raise
            raise _OtherwiseError from error
    return pair[0], pair[1]


class _OtherwiseError(Exception):
    """It does not compute with other lots or numbers than the first."""


def _any_numbers(inputs: Inputs) -> Inputs:
    """The same inputs, with numbers that are drawn in place of zeros."""

    def drawn(batch: int) -> Any:
        given = inputs(batch)
        for tensor in tensors(given):
            if tensor.dtype.is_floating_point:
                tensor.normal_()
        return given

    return drawn


def _with_all_at_work(network: Network, inputs: Inputs, generators: list[Any]) -> tuple[Pass, Pass] | None:
    """Passes in which nothing is left out, as when the network answers, while dropout and normalisation are as in training.

    None for a network that computes only in training.
    """
    try:
        with _answering(network.module):
            return _drawn(0, network, inputs, generators)
    except Exception:  # somebody else's code raises anything
        return None


@contextmanager
def _answering(module: nn.Module) -> Iterator[None]:
    own = [part for part in module.modules() if not type(part).__module__.startswith("torch.nn.")]
    before = [part.training for part in own]
    for part in own:
        part.training = False
    try:
        yield
    finally:
        for part, training in zip(own, before, strict=True):
            part.training = training


def _same(one: Pass, other: Pass) -> bool:
    return one.counts == other.counts


def _same_pair(one: tuple[Pass, Pass], other: tuple[Pass, Pass]) -> bool:
    return _same(one[0], other[0]) and _same(one[1], other[1])


def _told(network: Network, passes: list[tuple[Pass, Pass]]) -> str:
    totals = [sum(_work(more).values()) // BATCHES[1] for _, more in passes]
    least, most = min(totals), max(totals)
    span = f"{least:,} to {most:,}" if least < most else f"{most:,}"
    idle = _never_at_work(network, passes)
    rest = f" but {idle:,} that computed in none of them" if idle else ""
    return (
        "Chance, or the numbers of an example, decides which parts compute. "
        f"{len(passes)} passes took {span} multiply-adds each; the count has every part at work{rest}."
    )


def _without_gradient(network: Network, passes: list[tuple[Pass, Pass]]) -> Iterator[str]:
    """A sentence on parameters that are not frozen, and that learn from nothing that the network gives in any pass."""
    ways = [one.reached for pair in passes for one in pair]
    reached = frozenset[str]().union(*(way for way in ways if way is not None))
    silent = {
        name: one.numel()
        for name, one in network.module.named_parameters()
        if one.requires_grad and name not in reached
    }
    if silent and None not in ways:
        yield (
            f"No gradient reaches {sum(silent.values()):,} parameters, such as {next(iter(silent))}, from its output: they are "
            "unused, or behind no_grad or detach. They count as trained; if they are not, freeze them (requires_grad_(False))."
        )


def _never_at_work(network: Network, passes: list[tuple[Pass, Pass]]) -> int:
    """Parts with weights of their own that computed in no pass."""
    met = {name for pair in passes for one in pair for name in one.counts}
    return sum(1 for name, (parameters, _) in network.own.items() if parameters and name not in met)


def _work(one: Pass) -> dict[str, int]:
    """Multiply-adds of each part that was at work."""
    return {name: count.multiply_adds for name, count in one.counts.items()}


def _backward(passes: list[tuple[Pass, Pass]]) -> int | None:
    """The most of any pair of passes; None where one has no way back."""
    found = [
        more.backward - few.backward for few, more in passes if few.backward is not None and more.backward is not None
    ]
    return max(0, *found) if len(found) == len(passes) else None


def _uncounted(passes: list[tuple[Pass, Pass]]) -> tuple[str, ...]:
    """The names of operations without a formula whose work grows with the batch."""
    met: Counter[str] = Counter()
    for few, more in passes:
        met.update({name: count for (name, _), count in (more.uncounted - few.uncounted).items()})
    return tuple(sorted(met))


def _generators(module: nn.Module | None) -> list[Any]:
    """The sources of chance that belong to a network, or stand beside its classes."""
    parts = [] if module is None else list(module.modules())
    places = {type(part).__module__ for part in parts}
    holders = [vars(part) for part in parts]
    holders += [vars(sys.modules[place]) for place in places if place in sys.modules and not place.startswith("torch.")]
    found = {id(value): value for holder in holders for value in holder.values() if _is_generator(value)}
    return list(found.values())


def _is_generator(value: Any) -> bool:
    if isinstance(value, random.Random | torch.Generator):
        return True
    numpy = sys.modules.get("numpy.random")
    return numpy is not None and isinstance(value, numpy.RandomState | numpy.Generator)


def _seed(seed: int, generators: list[Any]) -> None:
    random.seed(seed)
    torch.manual_seed(seed)
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        numpy.seed(seed)
    for one in generators:
        if isinstance(one, torch.Generator):
            one.manual_seed(seed)
        elif hasattr(one, "bit_generator"):
            one.bit_generator.state = type(one.bit_generator)(seed).state
        else:
            one.seed(seed)


def _states(generators: list[Any], contents: bool) -> list[bytes]:
    """Differ where a lot was drawn on which the way of a pass can depend: on numbers without contents none can."""
    states: list[Any] = [random.getstate()]
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        states.append(numpy.get_state())
    if contents:
        states.append(torch.get_rng_state().tolist())
    for one in generators:
        if isinstance(one, torch.Generator):
            states.append(one.get_state().tolist() if contents else None)
        elif hasattr(one, "bit_generator"):
            states.append(one.bit_generator.state)
        else:
            states.append(one.getstate() if hasattr(one, "getstate") else one.get_state())
    return [pickle.dumps(state) for state in states]
