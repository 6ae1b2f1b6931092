"""The network of a plan in a few words and numbers, all of them the plan's own: its layers, its size, memory and time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from advisor.agent.settling.workloads import means_nothing, model_name
from advisor.inference.plan import ComputedFigure, Plan
from advisor.knowledge.model import Knowledge
from advisor.networks.description import nearest_picture
from advisor.report.numbers import about_words, number_words
from advisor.report.slowness import slowness
from advisor.tui.labels import advice_label, value_label

UNKNOWN = "?"
_GIVES_BACK = ("generate", "reconstruct")
_STEPS = ("time_series", "audio", "video")


@dataclass(frozen=True, slots=True)
class Layer:
    """One box of the drawing: `size` is the number of its values, None where it is not known."""

    label: str
    size: int | None


@dataclass(frozen=True, slots=True)
class Sketch:
    """The layers from the example to the answer; `kind` and `facts` tell the rest, the most telling first."""

    layers: tuple[Layer, ...]
    kind: str
    facts: tuple[str, ...]

    @property
    def drawn(self) -> bool:
        """True where there is more to draw than that nothing is known."""
        return any(layer.label != UNKNOWN for layer in self.layers)


def has_network(plan: Plan) -> bool:
    """True if the plan is a network, rather than trees or nothing yet."""
    named = model_name(plan) is not None
    return plan.value("network.type") is not None and (named or not means_nothing(plan, "network.hidden_units"))


def sketch(knowledge: Knowledge, plan: Plan) -> Sketch:
    kind = plan.recommendations["network.type"]
    model = plan.value("network.model") if "network.model" in plan.recommendations else None
    named = "" if model in (None, "none") else value_label(knowledge, "network.model", model)
    hidden = plan.value("network.hidden_units")
    name = named or (advice_label(knowledge, kind) if kind.value is not None else UNKNOWN)
    if named or not isinstance(hidden, list | tuple):
        inner: tuple[Layer, ...] = (Layer(name, None),)
    else:
        inner = tuple(Layer(f"{units:,}", units) for units in hidden)
    return Sketch((_example(plan), *inner, _answer(plan)), name, tuple(_facts(knowledge, plan)))


def _whole(plan: Plan, name: str) -> int | None:
    known = plan.facts.get(name)
    return known.value if known is not None and isinstance(known.value, int) else None


def _said(plan: Plan, name: str) -> Any:
    known = plan.facts.get(name)
    return None if known is None else known.value


def _example(plan: Plan) -> Layer:
    """`48×48×3` for a picture, `24×5` for a series, `512 tokens`, `9 columns`."""
    modality, values = _said(plan, "data.modality"), _whole(plan, "data.inputs")
    steps = _whole(plan, "data.sequence_length")
    if modality == "text":
        return Layer(UNKNOWN if steps is None else f"{steps:,} tokens", steps)
    if values is None:
        return Layer(UNKNOWN, None)
    if modality == "image":
        shape = nearest_picture(values)
        return Layer("×".join(map(str, (shape.side, shape.side, shape.colors))), values)
    if modality in _STEPS and steps is not None:
        return Layer(f"{steps:,}×{values:,}", steps * values)
    return Layer(f"{values:,}", values)


def _answer(plan: Plan) -> Layer:
    outputs = _whole(plan, "task.outputs")
    if outputs is None and _said(plan, "task.kind") in _GIVES_BACK:
        return _example(plan)
    return Layer(UNKNOWN if outputs is None else f"{outputs:,}", outputs)


def _facts(knowledge: Knowledge, plan: Plan) -> Iterator[str]:
    """Weights, memory and time, each as far as the plan's figures have it."""
    figures = {figure.name: figure for figure in plan.figures if figure.value is not None}
    if (size := figures.get("network.size")) is not None:
        yield f"{short(_value(size))} weights"
    fitting = plan.recommendations.get("memory.strategy")
    if (needs := figures.get("memory.training")) is not None:
        if fitting is not None and fitting.value is not None:
            yield _fitting(knowledge, fitting.value)
        yield f"{number_words(_value(needs), 'bytes')} to train"
    if (step := figures.get("time.step")) is not None:
        yield f"{number_words(_value(step), 's')} a step"
    if (epoch := figures.get("time.epoch")) is not None:
        yield f"{number_words(_value(epoch), 's')} an epoch"
    if (shortest := figures.get("time.shortest")) is not None and (longest := figures.get("time.longest")) is not None:
        slow = " (slow)" if slowness(plan) else ""
        yield f"{about_words(_value(shortest))} to {about_words(_value(longest))} in all{slow}"


def _value(figure: ComputedFigure) -> float:
    assert figure.value is not None  # noqa: S101 - figures without a value are left out
    return figure.value


def _fitting(knowledge: Knowledge, strategy: str) -> str:
    if strategy == "fits":
        return "fits memory"
    if strategy == "does_not_fit":
        return "does not fit memory"
    return f"fits with {value_label(knowledge, 'memory.strategy', strategy)}"


def short(number: float) -> str:
    """Three digits: `950`, `18.4 k`, `1.15 M`, `7.24 G`."""
    if number < 1000:
        return f"{number:.3g}"
    power = min(int(math.log10(number)) // 3, 5)
    return f"{number / 1000**power:.3g} {' kMGTP'[power]}"
