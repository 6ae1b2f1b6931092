"""The network that somebody names: published, described by a configuration, known by its weights, or written in Python."""

from __future__ import annotations

import re
from enum import Enum
from pathlib import Path

from advisor.errors import did_you_mean, input_error
from advisor.models.huggingface import network_of
from advisor.models.model import Model
from advisor.models.published import published_models
from advisor.models.weights import weights_model
from advisor.wording import shorten

TITLE = "There is no such model"
_INDEX = ".safetensors.index.json"
_WRITTEN = re.compile(r"(?P<file>.+\.py):(?P<factory>[A-Za-z_]\w*(\.[A-Za-z_]\w*)*)")


class Naming(Enum):
    """The ways in which a network can be named."""

    PUBLISHED = "a name of `advisor models list`"
    CONFIGURATION = "a config.json of Hugging Face"
    WEIGHTS = "a file of weights"
    LIBRARY = "timm:NAME"
    CODE = "FILE.py:FACTORY"

    @property
    def builds(self) -> bool:
        """It is counted by building it, in a process of its own."""
        return self in (Naming.LIBRARY, Naming.CODE)


def naming(name: str) -> Naming:
    """The way in which a network is named. Raises InputError for a file without a function."""
    if _WRITTEN.fullmatch(name):
        return Naming.CODE
    if name.endswith(".py"):
        what = "it names a file, but no function in it that returns the network"
        raise input_error(TITLE, what, where=shorten(name, 200), remedy=f"Write {shorten(name, 100)}:FUNCTION.")
    if name.startswith("timm:"):
        return Naming.LIBRARY
    if name.endswith((".safetensors", _INDEX)):
        return Naming.WEIGHTS
    return Naming.CONFIGURATION if name.endswith(".json") else Naming.PUBLISHED


def written(name: str) -> tuple[Path, str]:
    """The file and the function of FILE.py:FACTORY."""
    found = _WRITTEN.fullmatch(name)
    assert found is not None  # noqa: S101 - its naming was asked for
    return Path(found["file"]), found["factory"]


def named_model(name: str, input: tuple[int, ...] | None = None) -> Model:
    """A network that is counted without building it, for an example of this shape or of its usual one.

    One of no family here was counted for its usual example alone, so it is that of another.

    Raises InputError: no model has the name, or a file is not what it should be. ValueError for a naming that builds.
    """
    match naming(name):
        case Naming.CONFIGURATION:
            return network_of(Path(name), input)
        case Naming.WEIGHTS:
            return weights_model(Path(name))
        case Naming.PUBLISHED:
            return _published(name, input)
        case other:
            raise ValueError(f"{other.value} is counted by building it")


def _published(name: str, input: tuple[int, ...] | None) -> Model:
    models = published_models()
    found = models.get(name.strip().casefold())
    if found is None:
        near = did_you_mean(name.strip().casefold(), models)
        remedy = f"{near} `advisor models list` names them; a config.json of Hugging Face is read too.".strip()
        raise input_error(TITLE, "no published model has this name", where=shorten(name, 200), remedy=remedy)
    return found.network if isinstance(found.network, Model) else found.model(input)
