"""The network that somebody names, found and counted, and the facts that follow from it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from advisor.agent.settling.known_model import NOTE, OF_MODEL, answers_of, code_for, counted_for, model_facts
from advisor.agent.settling.network import with_scaled
from advisor.agent.settling.workloads import MODEL, NONE
from advisor.errors import Complain, InputError, Problem, input_error
from advisor.facts.fact_base import FactBase, Known, Source
from advisor.knowledge.model import Knowledge
from advisor.models import model as models
from advisor.models.code import Code
from advisor.models.model import Model
from advisor.models.named import TITLE, Naming, named_model, naming
from advisor.models.types import type_of
from advisor.wording import shorten

_SHAPE = "--input"
_MOST_AXES = 6
_LARGEST = 10**9
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
_READS = {
    "text": "texts",
    "image": "pictures",
    "audio": "sounds",
    "video": "films",
    "time_series": "series",
    "tabular": "tables",
}


def shape_text(shape: str | int | Sequence[object] | None) -> str | None:
    """`3x224x224` for (3, 224, 224), and with commas between several shapes; texts as they are."""
    if shape is None or isinstance(shape, str):
        return shape
    if isinstance(shape, int):
        return str(shape)
    if any(isinstance(part, Sequence) for part in shape):
        return ",".join(str(shape_text(part)) for part in shape)  # type: ignore[arg-type]
    return "x".join(map(str, shape))


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


def model_of(
    name: str,
    shapes: Sequence[tuple[int, ...]] = (),
    python: Path | None = None,
    seconds: float | None = None,
    complain: Complain | None = None,
) -> Model:
    """The network that somebody names on the command line: the code of FILE.py:FACTORY is run, in a process of its own.

    Args:
        shapes: of its inputs, for one example; its usual ones where there are none.
        python: the interpreter in which the code works.
        seconds: that the code may take, where they are bounded by the time of a whole run.
        complain: is told once where it takes long.

    Raises InputError: there is none, it cannot be counted, or it does not take the shapes.
    """
    if not naming(name).builds:
        if python is not None:
            what = "no code is run for this model"
            raise input_error("There is nothing to run", what, where="--python", remedy="Leave --python out.")
        return named_model(name, shapes[0] if shapes else None)
    from advisor.models.tracing.asking import SECONDS, built_model  # 20 ms: processes, only where one is needed

    return built_model(name, shapes, python, SECONDS if seconds is None else min(seconds, SECONDS), complain)


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
        model = counted_for(name, facts)
    return code_for(model)


def with_model(knowledge: Knowledge, facts: FactBase, model: Model | None = None) -> FactBase:
    """The facts with those of the network that is named in them, beneath everything that was stated.

    Args:
        model: that network, where it was found already; otherwise it is looked up, as far as no code must be run for it.

    Raises InputError: there is no such network, or its size was stated as another.
    """
    named = facts.known(MODEL)
    name = None if named is None else str(named.value).strip()
    note = "" if name is None else f"{NOTE}{shorten(name)}"
    facts = _without_others(facts, note)
    if name in (None, NONE):
        return facts
    if model is None:
        if naming(name).builds:
            if facts.known("network.widths") is not None:
                return facts
            raise _unrun(name)
        model = counted_for(name, facts)
    if named is not None and naming(name) is Naming.PUBLISHED and name != model.name:  # as the list spells it
        facts = facts.without(MODEL, named.source).with_values({MODEL: model.name}, named.source, note=named.note)
        note = f"{NOTE}{model.name}"
    if naming(name) is Naming.LIBRARY:  # its library puts a new last layer in place of the published one
        model = model.answering(answers_of(facts))
    source = Source.PUBLISHED if model.source is models.Source.PUBLISHED else Source.INSPECTED
    stated = facts.known("network.parameters")
    if stated is not None and stated.source is Source.ASKED and stated.value != model.parameters:
        if stated.value not in _sizes(model):
            what = f"{shorten(name)} has {model.parameters:,} weights, not {stated.value:,}"
            raise InputError(
                "These answers exclude each other",
                [Problem(f"{MODEL} and network.parameters", what, "State one of them.")],
            )
        facts = facts.without("network.parameters", Source.ASKED)
    modality = _modality(model)
    if modality is not None:
        facts = facts.with_values({"data.modality": modality}, Source.PUBLISHED, note=note)
    if _is_of_pictures(model):
        facts = facts.with_values({"data.inputs": math.prod(model.input)}, Source.INSPECTED, note=note)
    if model.source is models.Source.PUBLISHED and model_facts(model)["network.has_weights"]:  # that is why it is named
        facts = facts.with_values({"project.pretrained_allowed": True}, Source.PUBLISHED, note=note)
    facts = facts.with_values(knowledge.vocabulary.declared(model_facts(model)), source, note=note)
    return with_scaled(knowledge, facts, model, note)


def _sizes(model: Model) -> tuple[int, ...]:
    """Its weights with the published last layer, where it has another for the task."""
    return (named_model(model.name).parameters,) if model.source is models.Source.PUBLISHED else ()


def _modality(model: Model) -> str | None:
    """The kind of data that the network is made for, where that is known of it."""
    from advisor.models.published import published_model  # 60 ms, only where a network is named

    known = published_model(model.name) if model.source is models.Source.PUBLISHED else None
    if known is not None and known.field in _MODALITIES:
        return _MODALITIES[known.field]
    if model.family in ("decoder", "encoder", "encoder_decoder"):
        return "text"
    return "image" if _is_of_pictures(model) else None


def _is_of_pictures(model: Model) -> bool:
    """True for a network of somebody's own that takes (channels, height, width)."""
    return model.source is models.Source.YOURS and len(model.input) == 3 and type_of(model) in ("cnn", "unet")


def unlike_task(facts: FactBase, model: Model | None) -> Problem | None:
    """The complaint about a network for other data, or one of somebody's own with other outputs than the task has."""
    known = facts.known(MODEL)
    if model is None and known is not None and str(known.value).strip() != NONE and not naming(str(known.value)).builds:
        model = counted_for(str(known.value).strip(), facts)
    if model is None:
        return None
    has, made_for = facts.known("data.modality"), _modality(model)
    if has is not None and made_for is not None and (has.value == "text") != (made_for == "text"):
        what = f"{shorten(model.name, 200)} is made for {_READS[made_for]}, and data.modality says {has.value}"
        return Problem("", what, "Name a network for such data: `advisor models list`.")
    kind, wanted = (None if known is None else known.value for known in map(facts.known, ("task.kind", "task.outputs")))
    if model.source is not models.Source.YOURS or model.answer is None or not isinstance(wanted, int):
        return None
    gives = model.answer[0] if kind == "segment" and model.answer else math.prod(model.answer)
    if kind not in ("classify", "segment", "regress") or gives == wanted:
        return None
    what = f"{shorten(model.name, 200)} has {_counted(gives, 'output')}, and task.outputs says {wanted}"
    if kind == "regress" or gives < wanted:
        return Problem("", what, "Training needs one for each: change the last layer, or state task.outputs as it is.")
    return Problem("", what, "The others learn to be never right; where that is not meant, change the last layer.")


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def is_of_model(known: Known) -> bool:
    """True for what was found of a network that somebody named, and for its name."""
    return known.note.startswith(NOTE)


def _without_others(facts: FactBase, note: str) -> FactBase:
    """The facts without what was found of other networks."""
    for name in ("data.modality", "data.inputs", "project.pretrained_allowed", *OF_MODEL):
        known = facts.known(name)
        while known is not None and known.note.startswith(NOTE) and known.note != note:
            facts = facts.without(name, known.source)
            known = facts.known(name)
    return facts


def _unrun(name: str) -> InputError:
    what = f"{shorten(name)} is code, which runs only where somebody names it on the command line"
    return input_error(TITLE, what, where=MODEL, remedy="Name it with --model.")
