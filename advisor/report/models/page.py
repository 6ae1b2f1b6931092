"""A network's size, operations and layers for the terminal and as JSON; the published ones in a list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from advisor.models.model import Layer, Model
from advisor.models.published import PublishedModel
from advisor.report.page import Look, Page, Style
from advisor.wording import join_names, shorten

_SCALES = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
_ROUNDS_UP = 0.9995
"""Of a scale: three digits of what is more would be a thousand of the one below."""


def large(value: int) -> str:
    """`25.6 million`, `8.03 billion`; smaller numbers whole."""
    for size, name in _SCALES:
        if value >= _ROUNDS_UP * size:
            return f"{value / size:.3g} {name}"
    return f"{value:,}"


def short(value: int) -> str:
    """`25.6 M`, `8.03 B`."""
    for size, name in _SCALES:
        if value >= _ROUNDS_UP * size:
            return f"{value / size:.3g} {name[0].upper()}"
    return f"{value:,}"


def shape_words(shape: tuple[int, ...]) -> str:
    """`3 x 224 x 224`, `2,048`."""
    return " x ".join(f"{size:,}" for size in shape)


def models_page(models: Sequence[tuple[PublishedModel, Model]], look: Look) -> str:
    """One line a model, by field; M, B and T are millions, billions and trillions."""
    page = Page(look)
    width = max((len(model.name) for _, model in models), default=0)
    page.verbatim(f"{'':<{width}}  weights  multiply-adds")
    for field, group in groupby(models, key=lambda pair: pair[0].field):
        page.heading(field.upper())
        for published, model in group:
            line = f"{model.name:<{width}}  {short(model.parameters):>7}  {short(model.multiply_adds):>13}  "
            page.verbatim(f"{line}{shorten(published.title, look.columns - len(line))}")
    page.apart(
        f"{len(models)} models; multiply-adds are those of one forward pass of a usual example. `advisor models show NAME` "
        "has parts, sources and licences."
    )
    return page.text()


def model_page(model: Model, look: Look, published: PublishedModel | None = None) -> str:
    """Its size, and what its parts take."""
    page = Page(look)
    page.add((published.title if published else model.name, Style.HEADING), f" ({model.name})" if published else "")
    if published and published.note:
        page.add(published.note)
    page.blank()
    page.add("Parameters: ", (large(model.parameters), Style.STRONG), _active(model), first="- ")
    if model.trained < model.parameters:
        page.add("Trained: ", (large(model.trained), Style.STRONG), ", the others are frozen", first="- ")
    if model.uncounted:
        page.add("Multiply-adds: ", ("not known", Style.STRONG), f", {_no_formula(model)}", first="- ")
    elif model.multiply_adds:
        page.add("Multiply-adds of an example: ", (large(model.multiply_adds), Style.STRONG), _back(model), first="- ")
    elif _only_weights(model):
        page.add("Multiply-adds: not known, since only the weights are at hand", first="- ")
    else:
        page.add(
            "Multiply-adds: not known, since it has no products of matrices and no convolutions, which alone are counted",
            first="- ",
        )
    if not _only_weights(model):
        kept = f"{large(model.kept)} values"
        page.add("Kept of an example for the backward pass: ", (kept, Style.STRONG), _besides(model), first="- ")
        page.add(f"Example: of shape {shape_words(model.input)}", first="- ")
    for remark in model.remarks:
        page.add(remark, first="- ")
    if model.licence:
        page.add(f"Weights: {model.loaded or 'not published'}, licence {model.licence}", first="- ")
    if model.origin:
        page.add(f"Source: {model.origin}{f', looked up {model.date}' if model.date else ''}", first="- ")
    page.heading("PARTS")
    for part in parts(model.layers):
        counted = (
            "" if _only_weights(model) else f", {large(part.multiply_adds)} multiply-adds, {large(part.kept)} kept"
        )
        page.add(f"{large(part.parameters)} parameters{counted}", first=[(f"{part.name}: ", Style.STRONG)])
    page.apart("--format json has every layer with its shape.")
    return page.text()


def _only_weights(model: Model) -> bool:
    """True where nothing but the weights is at hand: what their network computes and keeps is not known."""
    return model.family == "weights"


def _active(model: Model) -> str:
    if model.active == model.parameters:
        return ""
    who = "an example" if any(layer.kind == "table" for layer in model.layers) else "a token"
    return f", of which {who} meets {large(model.active)}"


def _no_formula(model: Model) -> str:
    """The operations that stand in the way of a count, and what was counted beside them."""
    names, rest = join_names(model.uncounted), large(model.multiply_adds)
    what = f"since there is no formula for the operation{'s' if len(model.uncounted) > 1 else ''} {names}"
    return f"{what}; all others take {rest}" if model.multiply_adds else what


def _back(model: Model) -> str:
    if model.backward is None:
        return ""
    return f" forward and {large(model.backward)} backward, which leaves out what frozen weights do not need"


def _besides(model: Model) -> str:
    return f" and {large(model.kept_bytes)} bytes of masks, positions and sums" if model.kept_bytes else ""


def parts(layers: Iterable[Layer]) -> list[Layer]:
    """Layers with the same first name, or first two where the first is a stack of numbered ones, added up."""
    found: dict[str, Layer] = {}
    for layer in layers:
        name = layer.name.split(".", 1)[0]
        old = found.get(name)
        if old is None:
            found[name] = replace(layer, name=name)
            continue
        sums = {key: getattr(old, key) + getattr(layer, key) for key in _ADDED}
        found[name] = replace(old, shape=layer.shape, **sums)
    return list(found.values())


_ADDED = ("parameters", "active", "frozen", "multiply_adds", "kept", "kept_bytes", "moved")


def model_json(model: Model, published: PublishedModel | None = None) -> dict[str, Any]:
    """The model as `advisor/model/1`; what is not known is None."""
    known = not _only_weights(model)
    return {
        "schema": "advisor/model/1",
        "name": model.name,
        "title": published.title if published else model.name,
        "family": model.family,
        "parameters": model.parameters,
        "active_parameters": model.active,
        "trained_parameters": model.trained,
        "multiply_adds_per_example": None if model.uncounted or not model.multiply_adds else model.multiply_adds,
        "backward_multiply_adds_per_example": model.backward,
        "operations_without_formula": list(model.uncounted),
        "remarks": list(model.remarks),
        "kept_values_per_example": model.kept if known else None,
        "kept_bytes_per_example": model.kept_bytes if known else None,
        "input": list(model.input),
        "layers": [layer_json(layer, known=known) for layer in model.layers],
        "source": model.source.value,
        "origin": model.origin,
        "date": model.date,
        "licence": model.licence,
        "loaded": model.loaded,
        "tasks": list(published.tasks) if published else [],
    }


def layer_json(layer: Layer, *, known: bool = True) -> dict[str, Any]:
    """The layer; None for what it computes, keeps and moves where that is not known."""
    return {
        "name": layer.name,
        "kind": layer.kind,
        "shape": list(layer.shape),
        "parameters": layer.parameters,
        "frozen_parameters": layer.frozen,
        "multiply_adds": layer.multiply_adds if known else None,
        "kept_values": layer.kept if known else None,
        "kept_bytes": layer.kept_bytes if known else None,
        "moved_values": layer.moved if known else None,
    }
