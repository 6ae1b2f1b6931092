"""The layout and the size of an example of the plan, and the usual size where the plan does not know it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from advisor.agent.advised import advised
from advisor.agent.settling.workloads import usual_tokens
from advisor.errors import input_error
from advisor.inference.plan import Plan
from advisor.networks.description import nearest_picture
from advisor.networks.family import Family
from advisor.starter.blueprint import LAYOUT_OF, Layout, Shape
from advisor.starter.named import TITLE as UNFIT
from advisor.starter.named import Library, Named

USUAL_VALUES = {
    Layout.TABLE: 16,
    Layout.PICTURE: 784,
    Layout.SERIES: 1,
    Layout.SOUND: 1,
    Layout.TREE: 1000,
    Layout.GRAPH: 64,
}
USUAL_STEPS = {Layout.SERIES: 32, Layout.SOUND: 4000, Layout.TOKENS: 128, Layout.TREE: 15}
CODE_WIDTH = 64
"""Numbers that stand for an example, where it is to be represented by some."""
MOST_STEPS = 100_000
MOST_MADE_UP_VALUES = 10_000_000
"""In all made-up examples together, so that they are there at once."""


_KIND = {
    Layout.TABLE: "a table",
    Layout.PICTURE: "pictures",
    Layout.SERIES: "a series",
    Layout.SOUND: "sounds",
    Layout.TOKENS: "texts",
    Layout.TREE: "trees",
    Layout.GRAPH: "a graph",
}


@dataclass(frozen=True, slots=True)
class Sizes:
    shape: Shape
    outputs: int
    examples: int
    guessed: tuple[str, ...]
    """Names of the facts that the plan does not know."""


def layout_of(plan: Plan, family: Family, named: Named | None = None) -> Layout:
    """By the data; of graphs other networks see the nodes alone, and trees are texts to them.

    Where the data are not known, a network that somebody named is shown what it takes.
    """
    if named is not None:
        modality = fact_of(plan, "data.modality")
        usual = {3: Layout.PICTURE, 2: Layout.SERIES}.get(len(named.input), Layout.TABLE)
        return usual if modality is None else LAYOUT_OF[str(modality)]
    if family.modality is not None:
        return LAYOUT_OF[family.modality]
    layout = LAYOUT_OF[str(fact_of(plan, "data.modality") or "tabular")]
    return {Layout.GRAPH: Layout.TABLE, Layout.TREE: Layout.TOKENS}.get(layout, layout)


_PUBLISHED_CLASSES = 1000
"""Of ImageNet, which the networks of timm tell apart."""


def sizes_of(plan: Plan, layout: Layout, named: Named | None = None) -> Sizes:
    guessed: list[str] = []
    usual_values = usual_tokens(plan) if layout is Layout.TOKENS else USUAL_VALUES[layout]

    def known(fact: str, usual: int) -> int:
        value = fact_of(plan, fact)
        if not isinstance(value, int):
            guessed.append(fact)
            return usual
        return value

    if named is not None:
        shape = _named_shape(layout, named.input, int(fact_of(plan, "data.inputs") or usual_values))
    else:
        values = known("data.inputs", usual_values)
        steps = min(known("data.sequence_length", USUAL_STEPS[layout]), MOST_STEPS) if layout in USUAL_STEPS else 1
        shape = _shape(layout, values, steps)
    kind, stated = fact_of(plan, "task.kind"), "task.outputs" in plan.facts
    if kind == "represent" and not stated:
        outputs = CODE_WIDTH
    else:
        usual = _PUBLISHED_CLASSES if named is not None and named.library is Library.TIMM else 2
        outputs = known("task.outputs", usual) if stated or kind in ("classify", "segment") else 1
    size = shape.steps * shape.channels * shape.height * shape.width
    size *= 1 if layout in (Layout.TOKENS, Layout.TREE) else shape.values
    return Sizes(shape, outputs, max(32, min(512, MOST_MADE_UP_VALUES // size)), tuple(guessed))


def _named_shape(layout: Layout, input: tuple[int, ...], values: int) -> Shape:
    """The size of an example that a network takes. Raises InputError where data of this layout have another."""
    match layout, input:
        case Layout.PICTURE, (channels, height, width):
            return Shape(1, channels=channels, height=height, width=width)
        case Layout.TABLE, (columns,):
            return Shape(columns)
        case Layout.TOKENS, (steps,):
            return Shape(values, steps)
        case Layout.SERIES | Layout.SOUND, (steps, values):
            return Shape(values, steps)
    shape = "x".join(map(str, input))
    what = f"examples of {_KIND[layout]} have no shape such as {shape}"
    takes = {Layout.PICTURE: "3x224x224", Layout.TABLE: "20", Layout.TOKENS: "128"}.get(layout, "100x3")
    remedy = f"State data.modality as it is, or name a network that takes such as {takes}."
    raise input_error(UNFIT, what, where="--input", remedy=remedy)


def fact_of(plan: Plan, name: str) -> Any:
    known = plan.facts.get(name)
    return None if known is None else known.value


def advice_of(plan: Plan, topic: str) -> Any:
    """The value of a topic, the first where several lead together; None where there is none."""
    return advised(plan, topic) if topic in plan.recommendations else None


def _shape(layout: Layout, values: int, steps: int) -> Shape:
    if layout is not Layout.PICTURE:
        return Shape(values, steps)
    square = nearest_picture(values)
    return Shape(1, channels=square.colors, height=square.side, width=square.side)
