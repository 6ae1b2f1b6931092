"""The facts that a network gives which somebody has published, described or written, and the code that builds it."""

from __future__ import annotations

import math
from functools import cache

from advisor.errors import InputError
from advisor.facts.fact_base import FactBase
from advisor.facts.vocabulary import Value
from advisor.models.code import Code
from advisor.models.model import Model, Source
from advisor.models.named import named_model, naming
from advisor.models.style import OTHER, activation_of, normalization_of
from advisor.models.types import type_of
from advisor.wording import shorten

NOTE = "model "
"""Begins the note of every fact that was found of a network."""
_COLOURS = 3
_LATENTS = 8
"""Latents of pictures have so many times smaller sides (Rombach et al. 2022, and all that take latents since)."""
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")
_COUNTS = {
    "network.parameters": "parameters",
    "network.active_parameters": "active",
    "network.multiply_adds": "multiply_adds",
    "network.kept_values": "kept",
    "network.kept_bytes": "kept_bytes",
    "network.more_in_half": "more_in_half",
    "network.recomputed_more_in_half": "recomputed_more_in_half",
    "network.recomputed_values": "recomputed",
    "network.largest_values": "largest",
    "network.unfolded_values": "unfolded",
    "network.layer_values": "usual",
    "network.passed_values": "passed",
    "network.large_parameters": "large",
    "network.copied_parameters": "copied",
    "network.output_values": "outputs",
}
"""Facts, and the figures of a model that they are."""
_OF_LAYERS = (
    "network.passed_values",
    "network.recomputed_more_in_half",
    "network.recomputed_values",
    "network.largest_values",
    "network.unfolded_values",
    "network.layer_values",
    "network.large_parameters",
    "network.copied_parameters",
    "network.output_values",
)
"""Known where each layer is, and not parts of many layers added up."""
_OF_AREA = tuple(
    name
    for name in _COUNTS
    if name
    not in (
        "network.parameters",
        "network.active_parameters",
        "network.large_parameters",
        "network.copied_parameters",
        "network.output_values",
    )
)
"""Those that grow with the area of a picture."""
OF_MODEL = (
    *_COUNTS,
    "network.trained_parameters",
    "network.backward_multiply_adds",
    "network.uncounted_operations",
    "network.family",
    "network.has_weights",
    "network.own_normalization",
    "network.own_activation",
    "network.other_normalization",
    "network.other_activation",
    "network.fingerprint",
    "network.torch",
    "network.widths",
    *(f"network.width.{place}" for place in _PLACES),
)
"""The facts that a network gives."""
_ANSWERED = ("classify", "regress", "segment")
_DRAWN = ("written",)
"""Families whose weights are drawn when the network is built."""


def model_facts(model: Model) -> dict[str, Value]:
    """By the names of facts; what is not known of it is left out."""
    known = [name for name in _COUNTS if model.whole or name not in _OF_LAYERS]
    if model.family == "weights":
        known = ["network.parameters", "network.active_parameters"]
    if model.uncounted or not model.multiply_adds:
        known = [name for name in known if name != "network.multiply_adds"]
    found: dict[str, Value] = {name: getattr(model, _COUNTS[name]) for name in known}
    found |= _trained(model) | _style(model)
    found["network.uncounted_operations"] = len(model.uncounted) or int("network.multiply_adds" not in known)
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


def _trained(model: Model) -> dict[str, Value]:
    """The weights that are trained, where others are frozen."""
    if model.trained == model.parameters:
        return {}
    found: dict[str, Value] = {"network.trained_parameters": model.trained}
    if not model.uncounted:
        upper = 2 * model.multiply_adds
        found["network.backward_multiply_adds"] = upper if model.backward is None else min(model.backward, upper)
    return found


def _style(model: Model) -> dict[str, Value]:
    """Its normalisation and activation, or that plans have no name for it, or that it cannot be known."""
    found: dict[str, Value] = {}
    told = {
        "normalization": model.told_normalization or normalization_of(model.layers),
        "activation": model.told_activation or activation_of(model.layers),
    }
    for what, name in told.items():
        known = name != OTHER and model.family != "weights"
        found[f"network.own_{what}" if known else f"network.other_{what}"] = name if known else True
    return found


def scaled_facts(model: Model, facts: FactBase) -> dict[str, Value]:
    """Facts on what the network computes and keeps of pictures as large as those of the data, where it could be counted for its
    usual ones alone: it grows with their area, as convolutions and windows of attention do. Empty for all others.
    """
    from advisor.models.families.registry import FAMILIES  # 20 ms, only where a network is named

    values, usual = _number(facts, "data.inputs"), math.prod(model.input)
    pictures = len(model.input) == _COLOURS and model.input[0] == _COLOURS
    if not pictures or values is None or model.source is not Source.PUBLISHED or model.family in FAMILIES:
        return {}
    if values % _COLOURS and math.isqrt(values) ** 2 == values:  # grey pictures are given in three equal colours
        values *= _COLOURS
    if values == usual:
        return {}
    return {
        name: round(value * values / usual)
        for name, value in model_facts(model).items()
        if name in _OF_AREA and isinstance(value, int)
    }


def counted_for(name: str, facts: FactBase, *, processor: bool = False) -> Model:
    """The network of this name, which no code must be run for, counted for examples as the facts say.

    What it keeps is what it keeps on a graphics card, or on a processor; see Tape.

    Raises InputError: there is none, or it takes no such examples.
    """
    return _counted(name, _example(name, facts), answers_of(facts), processor=processor)


def counted_at_all(name: str, facts: FactBase, *, processor: bool = False) -> Model:
    """The same, or counted for its usual example where it takes none as the facts say: they are scaled or cut to it."""
    try:
        return counted_for(name, facts, processor=processor)
    except InputError:
        return _counted(name, None, answers_of(facts), processor=processor)


def kept_on_processor(name: str, facts: FactBase) -> dict[str, Value]:
    """The facts on what the network of this name keeps that are others on a processor than on a graphics card.

    Empty for a network that is known on one kind of device alone, or that code must be run for.
    """
    if naming(name).builds:
        return {}
    there, on_card = (model_facts(counted_at_all(name, facts, processor=processor)) for processor in (True, False))
    return {fact: value for fact, value in there.items() if fact in _OF_AREA and value != on_card.get(fact)}


def code_for(model: Model) -> Code | str:
    """The code that builds a network, with weights that are drawn, or the reason why there is none."""
    from advisor.models.published import published_model

    if model.code is not None:
        return model.code
    published = published_model(model.name) if model.source is Source.PUBLISHED else None
    mend = "Code of your own that builds it can be named: --model FILE.py:FUNCTION --input SHAPE."
    if published is None:
        return f"{shorten(model.name)} tells the sizes of a network, and no code that builds it. {mend}"
    return published.code(model.input) or f"The probes cannot build {model.name} yet. {mend}"


@cache
def _counted(name: str, input: tuple[int, ...] | None, outputs: int | None = None, *, processor: bool = False) -> Model:
    return named_model(name, input, outputs, processor=processor)


def answers_of(facts: FactBase) -> int | None:
    """Classes or numbers that the task has, for which pictures, or their pixels, get a new last layer."""
    kind = facts.known("task.kind")
    return _number(facts, "task.outputs") if kind is not None and kind.value in _ANSWERED else None


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


def usual_length(name: str) -> int | None:
    """The tokens of a text for which a network is counted where nobody said how long texts are; None for any that reads none."""
    if naming(name).builds:
        return None
    usual = _counted(name, None)
    return usual.input[0] if usual.layers and usual.layers[0].kind == "embedding" else None


def _number(facts: FactBase, name: str) -> int | None:
    known = facts.known(name)
    return known.value if known is not None and isinstance(known.value, int) else None
