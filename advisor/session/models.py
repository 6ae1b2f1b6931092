"""The network that somebody names, found and counted, and the facts that follow from it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from advisor.errors import InputError, Problem, input_error
from advisor.facts.fact_base import FactBase, Known, Source
from advisor.facts.vocabulary import Value
from advisor.knowledge.model import Knowledge
from advisor.models import model as models
from advisor.models.code import Code
from advisor.models.model import Model
from advisor.models.named import TITLE, named_model, naming
from advisor.models.types import type_of
from advisor.wording import shorten

MODEL = "network.model"
NONE = "none"
"""Says that no published network is wanted."""
_SHAPE = "--input"
_MOST_AXES = 6
_LARGEST = 10**9
_COLOURS = 3
_LATENTS = 8
"""Latents of pictures have so many times smaller sides (Rombach et al. 2022, and all that take latents since)."""
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")
_NOTE = "model "
"""Begins the note of every fact that was found of a network."""
_COUNTS = {
    "network.parameters": "parameters",
    "network.active_parameters": "active",
    "network.multiply_adds": "multiply_adds",
    "network.kept_values": "kept",
    "network.kept_bytes": "kept_bytes",
    "network.recomputed_values": "recomputed",
    "network.largest_values": "largest",
    "network.unfolded_values": "unfolded",
    "network.output_values": "outputs",
}
"""Facts, and the figures of a model that they are."""
_OF_LAYERS = ("network.recomputed_values", "network.largest_values", "network.unfolded_values", "network.output_values")
"""Known where each layer is, and not parts of many layers added up."""
_DRAWN = ("written",)
"""Families whose weights are drawn when the network is built."""
_MODALITIES = {
    "pictures": "image",
    "scenes": "image",
    "diffusion": "image",
    "speech": "audio",
    "video": "video",
    "series": "time_series",
    "recommendation": "tabular",
}
"""By the field of a published network; those of texts are known by their families."""
_FOUND = (
    "data.modality",
    *_COUNTS,
    "network.family",
    "network.has_weights",
    "network.fingerprint",
    "network.torch",
    "network.widths",
    *(f"network.width.{place}" for place in _PLACES),
)


def shapes_of(text: str | None) -> tuple[tuple[int, ...], ...]:
    """`3x224x224`, or several with commas between them, as shapes of a network's arguments. Raises InputError."""
    if text is None:
        return ()
    shapes = []
    for part in text.replace(" ", "").split(","):
        sizes = part.lower().replace("×", "x").split("x")
        if len(sizes) > _MOST_AXES or not all(_is_size(size) for size in sizes):
            what = f"{shorten(part)!r} is no shape"
            remedy = "Write the sizes of one example with x between them: 3x224x224. Commas separate several inputs."
            raise input_error("There is no such input", what, where=_SHAPE, remedy=remedy)
        shapes.append(tuple(map(int, sizes)))
    return tuple(shapes)


def _is_size(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 11 and 1 <= int(text) <= _LARGEST


def model_of(name: str, shapes: Sequence[tuple[int, ...]] = (), python: Path | None = None) -> Model:
    """The network that somebody names on the command line: the code of FILE.py:FACTORY is run, in a process of its own.

    Args:
        shapes: of its inputs, for one example; its usual ones where there are none.
        python: the interpreter in which the code works.

    Raises InputError: there is none, it cannot be counted, or it does not take the shapes.
    """
    if not naming(name).builds:
        if python is not None:
            what = "no code is run for this model"
            raise input_error("There is nothing to run", what, where="--python", remedy="Leave --python out.")
        return named_model(name, shapes[0] if shapes else None)
    from advisor.models.tracing.asking import built_model  # 20 ms: processes, only where one is needed

    return built_model(name, shapes, python)


def code_of(facts: FactBase, model: Model | None = None) -> Code | str | None:
    """The code of the network that is named in the facts, or the reason why it cannot be built; None where none is named.

    Args:
        model: that network, where it was named on the command line. Code that was not named there is not run.
    """
    known = facts.known(MODEL)
    name = None if known is None else str(known.value).strip()
    if name in (None, NONE):
        return None
    if model is None or (naming(name).builds and model.name != name):
        if naming(name).builds:
            return f"{shorten(name)} is code, which runs only where somebody names it with --model."
        model = _counted(name, _example(name, facts))
    if model.code is not None:
        return model.code
    from advisor.models.published import published_models

    published = published_models().get(model.name) if model.source is models.Source.PUBLISHED else None
    mend = "Code of your own that builds it can be named: --model FILE.py:FUNCTION --input SHAPE."
    if published is None:
        return f"{shorten(name)} tells the sizes of a network, and no code that builds it. {mend}"
    return published.code(model.input) or f"The probes cannot build {model.name} yet. {mend}"


def with_model(knowledge: Knowledge, facts: FactBase, model: Model | None = None) -> FactBase:
    """The facts with those of the network that is named in them, beneath everything that was stated.

    Args:
        model: that network, where it was found already; otherwise it is looked up, as far as no code must be run for it.

    Raises InputError: there is no such network, or its size was stated as another.
    """
    named = facts.known(MODEL)
    name = None if named is None else str(named.value).strip()
    note = "" if name is None else f"{_NOTE}{shorten(name)}"
    facts = _without_others(facts, note)
    if name in (None, NONE):
        return facts
    if model is None:
        if naming(name).builds:
            if facts.known("network.widths") is not None:
                return facts
            raise _unrun(name)
        model = _counted(name, _example(name, facts))
    source = Source.PUBLISHED if model.source is models.Source.PUBLISHED else Source.INSPECTED
    stated = facts.known("network.parameters")
    if stated is not None and stated.source is Source.ASKED and stated.value != model.parameters:
        what = f"{shorten(name)} has {model.parameters:,} weights, not {stated.value:,}"
        raise InputError(
            "These answers exclude each other",
            [Problem(f"{MODEL} and network.parameters", what, "State one of them.")],
        )
    modality = _modality(model)
    if modality is not None:
        facts = facts.with_values({"data.modality": modality}, Source.PUBLISHED, note=note)
    return facts.with_values(knowledge.vocabulary.declared(model_facts(model)), source, note=note)


def _modality(model: Model) -> str | None:
    """The kind of data that the network is made for, where that is known of it."""
    if model.family in ("decoder", "encoder", "encoder_decoder"):
        return "text"
    from advisor.models.published import published_models  # 60 ms, only where a network is named

    known = published_models().get(model.name) if model.source is models.Source.PUBLISHED else None
    return None if known is None else _MODALITIES.get(known.field)


def is_of_model(known: Known) -> bool:
    """True for what was found of a network that somebody named, and for its name."""
    return known.note.startswith(_NOTE)


def model_facts(model: Model) -> dict[str, Value]:
    """By the names of facts; what is not known of it is left out."""
    known = [name for name in _COUNTS if model.whole or name not in _OF_LAYERS]
    if not model.multiply_adds:  # only its weights are known
        known = ["network.parameters", "network.active_parameters"]
    found: dict[str, Value] = {name: getattr(model, _COUNTS[name]) for name in known}
    found["network.fingerprint"] = model.fingerprint
    if model.code is not None:
        found["network.torch"] = shorten(model.code.torch, 40)
    found["network.has_weights"] = bool(model.loaded) and model.family not in _DRAWN
    kind = type_of(model)
    if kind is not None:
        found["network.family"] = kind
    units = model.hidden_units if len(model.hidden_units) <= len(_PLACES) else ()
    found["network.widths"] = len(units)
    return found | {f"network.width.{place}": width for place, width in zip(_PLACES, units, strict=False)}


@cache
def _counted(name: str, input: tuple[int, ...] | None) -> Model:
    return named_model(name, input)


def _example(name: str, facts: FactBase) -> tuple[int, ...] | None:
    """The shape of an example as the facts say; None where only the usual one can be counted, or it is as good a guess."""
    from advisor.models.families.registry import FAMILIES  # 20 ms, only where a network is named

    usual = _counted(name, None)
    if usual.family not in FAMILIES:
        return None
    match usual.input:
        case (_,) if usual.layers[0].kind == "embedding":
            steps = _number(facts, "data.sequence_length")
            return None if steps is None else (steps,)
        case (channels, _, _):
            shrunk = _LATENTS if type_of(usual) == "diffusion" and channels != _COLOURS else 1
            values = _number(facts, "data.inputs") or 0
            for planes in (_COLOURS, 1):  # grey pictures are given in three equal colours
                side = math.isqrt(values // planes)
                if side >= shrunk and planes * side * side == values:
                    return (channels, side // shrunk, side // shrunk)
    return None


def _number(facts: FactBase, name: str) -> int | None:
    known = facts.known(name)
    return known.value if known is not None and isinstance(known.value, int) else None


def _without_others(facts: FactBase, note: str) -> FactBase:
    """The facts without what was found of other networks."""
    for name in _FOUND:
        known = facts.known(name)
        while known is not None and known.note.startswith(_NOTE) and known.note != note:
            facts = facts.without(name, known.source)
            known = facts.known(name)
    return facts


def _unrun(name: str) -> InputError:
    what = f"{shorten(name)} is code, which runs only where somebody names it on the command line"
    return input_error(TITLE, what, where=MODEL, remedy="Name it with --model.")
