"""Published networks by name: profiles/models/FIELD.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from advisor import safe_yaml
from advisor.errors import InputError, input_error
from advisor.models.code import Argument, Code, Library
from advisor.models.families.reading import read_family
from advisor.models.families.registry import FAMILIES, Family
from advisor.models.families.segmentation import filled_up
from advisor.models.model import Layer, Model, Source
from advisor.models.tape import Tape
from advisor.reading import Reader
from advisor.resources import profiles_folder

_KEYS = ("title", "kind", "sizes", "counted", "tasks", "loaded", "licence", "source", "date", "built", "note")
_COUNTED_KEYS = ("family", "input", "normalization", "activation", "layers")
_SMP = "smp"
"""Short for segmentation_models_pytorch."""
_LAST_LAYER_BY_LIBRARY = (Library.TIMM, _SMP)
_STYLE = ("normalization", "activation")
_COUNTS = ("parameters", "multiply_adds", "kept", "kept_bytes", "moved")


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """A network that others have published, before it is counted."""

    name: str
    title: str
    field: str
    """The file that it stands in: pictures, text, speech, ..."""
    tasks: tuple[str, ...]
    """Uses, in words."""
    network: Family | Model
    """Its sizes, or, where it is of no family here, what was counted by building it."""
    loaded: str
    licence: str
    origin: str
    date: str
    built: str
    """The library with which it can be built: timm:NAME, transformers:CLASS or smp:ENCODER; empty where none can."""
    note: str = ""

    def model(
        self, input: tuple[int, ...] | None = None, outputs: int | None = None, *, processor: bool = False
    ) -> Model:
        """It, counted for an example of this shape, or of its usual one.

        Args:
            outputs: those of a new last layer, where its library puts one in place of the published one.
            processor: count what it keeps on a processor, where it is of a family; see Tape.

        Raises ValueError for another shape than the usual one, where the network is of no family here.
        """
        if isinstance(self.network, Model):
            if input not in (None, self.network.input):
                raise ValueError(f"{self.name} was counted for inputs of {self.network.input} only")
            return self.network.answering(outputs if self.loaded.startswith(Library.TIMM) else None)
        shape = input or self.network.input
        told = {"origin": self.origin, "date": self.date, "licence": self.licence, "loaded": self.loaded}
        network = self.network
        if outputs is not None and self.loaded.startswith(_LAST_LAYER_BY_LIBRARY) and hasattr(network, "classes"):
            network = replace(network, classes=outputs)  # type: ignore[type-var]
        return counted(network, self.name, Source.PUBLISHED, shape, processor=processor, **told)

    def code(self, input: tuple[int, ...]) -> Code | None:
        """The code that builds it, with weights that are drawn, for examples of this shape; None where none is known."""
        return _code(self.built, self.network, input)


def counted(
    network: Family,
    name: str,
    source: Source,
    input: tuple[int, ...] | None = None,
    *,
    processor: bool = False,
    **told: Any,
) -> Model:
    """A network of a family, counted for an example of this shape, or of its usual one; `told` are fields of Model.

    What it keeps is what it keeps on a graphics card, or on a processor; see Tape.

    Raises InputError: the shape has more axes or fewer than the network takes.
    """
    tape = Tape(processor=processor)
    shape = input or network.input
    if len(shape) != len(network.input):
        usual, said = ("x".join(map(str, one)) for one in (network.input, shape))
        remedy = f"State the same axes in the same order as {usual}."
        raise input_error("There is no such input", f"{name} takes such as {usual}, not {said}", remedy=remedy)
    network.count(tape, shape)
    kind = next(kind for kind, one in FAMILIES.items() if type(network) is one)
    return Model(name, kind, source, shape, tuple(tape.layers), hidden_units=network.hidden_units, **told)


def _code(how: str, network: Family | Model, input: tuple[int, ...]) -> Code | None:
    from advisor.models.transformers_config import transformers_code  # only where one is built

    library, _, called = how.partition(":")
    if library == Library.TIMM:
        return Code(Library.TIMM, called, (Argument(input),))
    if library == _SMP:
        channels, *sides = input
        return Code(Library.SMP, called, (Argument((channels, *map(filled_up, sides))),))
    if library == Library.TRANSFORMERS and not isinstance(network, Model):
        return transformers_code(called, network, input)
    return None


@cache
def published_models() -> Mapping[str, PublishedModel]:
    """All that ship with the advisor, by name."""
    return load_models(profiles_folder() / "models")


@cache
def published_model(name: str) -> PublishedModel | None:
    """The one of this name, without a look at what the others hold: a third of the time."""
    return load_models(profiles_folder() / "models", name).get(name)


def load_models(folder: Path, only: str | None = None) -> dict[str, PublishedModel]:
    """All of a folder by name, or the only one that is wanted.

    Raises InputError with every problem of every file, each with file and line.
    """
    problems = []
    models: dict[str, PublishedModel] = {}
    for path in sorted(folder.glob("*.yaml")):
        reader = Reader(str(path))
        for model, line in _models(reader, safe_yaml.load_file(path), path.stem, only):
            if model.name in models:
                reader.note(line, f"the name {model.name} belongs to another model already.", "A name stands for one.")
            models[model.name] = model
        problems += reader.problems
    if problems:
        raise InputError("The published models cannot be used", problems)
    return models


def _models(
    reader: Reader, root: safe_yaml.Node | None, field: str, only: str | None
) -> list[tuple[PublishedModel, int]]:
    node = reader.mapping(root, "a file of models", ("sources", "models"))
    if node is None:
        return []
    sources = dict(reader.named_texts(node, "sources", "a file of models"))
    found = []
    for name, inner, line in reader.pairs(node.items.get("models"), "models"):
        if only not in (None, name):
            continue
        entry = reader.mapping(inner, name, _KEYS)
        if entry is not None and (model := _model(reader, entry, name, field, sources)) is not None:
            found.append((model, line))
    return found


def _model(
    reader: Reader, node: safe_yaml.Mapping, name: str, field: str, sources: Mapping[str, str]
) -> PublishedModel | None:
    told = {key: reader.text(node, key, name, required=True) for key in ("title", "licence", "date")}
    origin = sources[reader.choice(node, "source", name, sources)] if sources else ""
    loaded = reader.text(node, "loaded", name)
    network: Family | Model | None
    if "counted" in node.items:
        network = _as_counted(reader, node.items["counted"], name, (origin, told["date"], told["licence"], loaded))
    else:
        kind = reader.choice(node, "kind", name, FAMILIES)
        network = read_family(reader, kind, node.items.get("sizes"), f"{name}: sizes")
    if network is None:
        return None
    return PublishedModel(
        name,
        told["title"],
        field,
        reader.texts(node, "tasks", name),
        network,
        loaded,
        told["licence"],
        origin,
        told["date"],
        reader.text(node, "built", name),
        reader.text(node, "note", name),
    )


def _as_counted(reader: Reader, node: safe_yaml.Node, name: str, told: tuple[str, str, str, str]) -> Model | None:
    """A network of no family here: the counts of its parts, as building it gave them."""
    mapping = reader.mapping(node, f"{name}: counted", _COUNTED_KEYS)
    if mapping is None:
        return None
    family = reader.text(mapping, "family", name, required=True)
    layers = []
    for part, inner, line in reader.pairs(mapping.items.get("layers"), f"{name}: layers"):
        texts = reader.texts(mapping.items["layers"], part, name)  # type: ignore[arg-type]
        if len(texts) != len(_COUNTS) + 1 or not all(text.isdecimal() for text in texts[1:]):
            what = f"{name}: {part} must be a list of its kind, {', '.join(_COUNTS)}."
            reader.note(line or inner.line, what)
            continue
        counts = dict(zip(_COUNTS, map(int, texts[1:]), strict=True))
        layers.append(Layer(part, texts[0], (), active=counts["parameters"], **counts))
    shape = tuple(int(text) for text in reader.texts(mapping, "input", name) if text.isdecimal())
    normalization, activation = (reader.text(mapping, key, name, required=True) for key in _STYLE)
    origin, date, licence, loaded = told
    return Model(
        name,
        family,
        Source.PUBLISHED,
        shape,
        tuple(layers),
        origin,
        date,
        licence,
        loaded,
        told_normalization=normalization,
        told_activation=activation,
    )
