"""The size of an example of the plan, and the usual size where the plan does not know it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from advisor.inference.plan import Plan
from advisor.networks.description import picture
from advisor.starter.blueprint import Layout, Shape

LAYOUT_OF = {
    "tabular": Layout.TABLE,
    "image": Layout.PICTURE,
    "audio": Layout.SOUND,
    "video": Layout.SERIES,
    "text": Layout.TOKENS,
    "time_series": Layout.SERIES,
    "graph": Layout.GRAPH,
    "tree": Layout.TREE,
}
USUAL_VALUES = {
    Layout.TABLE: 16,
    Layout.PICTURE: 784,
    Layout.SERIES: 1,
    Layout.SOUND: 1,
    Layout.TOKENS: 20_000,
    Layout.TREE: 1000,
    Layout.GRAPH: 64,
}
USUAL_STEPS = {Layout.SERIES: 32, Layout.SOUND: 4000, Layout.TOKENS: 128, Layout.TREE: 15}
CODE_WIDTH = 64
"""Numbers that stand for an example, where it is to be represented by some."""
MOST_STEPS = 100_000
MOST_MADE_UP_VALUES = 10_000_000
"""In all made-up examples together, so that they are there at once."""


@dataclass(frozen=True, slots=True)
class Sizes:
    shape: Shape
    outputs: int
    examples: int
    guessed: tuple[str, ...]
    """Names of the facts that the plan does not know."""


def sizes_of(plan: Plan, layout: Layout) -> Sizes:
    guessed: list[str] = []

    def known(fact: str, usual: int) -> int:
        found = plan.facts.get(fact)
        if found is None or not isinstance(found.value, int):
            guessed.append(fact)
            return usual
        return found.value

    values = known("data.inputs", USUAL_VALUES[layout])
    steps = min(known("data.sequence_length", USUAL_STEPS[layout]), MOST_STEPS) if layout in USUAL_STEPS else 1
    shape = _shape(layout, values, steps)
    outputs = known("task.outputs", 2) if "task.outputs" in plan.facts or _kind(plan) in _WITH_CLASSES else 1
    outputs = CODE_WIDTH if _kind(plan) == "represent" and "task.outputs" not in plan.facts else outputs
    size = shape.steps * shape.channels * shape.height * shape.width
    size *= 1 if layout in (Layout.TOKENS, Layout.TREE) else shape.values
    return Sizes(shape, outputs, max(32, min(512, MOST_MADE_UP_VALUES // size)), tuple(guessed))


_WITH_CLASSES = ("classify", "segment")


def _kind(plan: Plan) -> object:
    known = plan.facts.get("task.kind")
    return None if known is None else known.value


def _shape(layout: Layout, values: int, steps: int) -> Shape:
    if layout is not Layout.PICTURE:
        return Shape(values, steps)
    square = picture(values)
    if square is not None:
        return Shape(1, channels=square.colours, height=square.side, width=square.side)
    side = max(1, math.isqrt(values // 3))
    return Shape(1, channels=3, height=side, width=side)
