"""The network that somebody names: published, described by a configuration, known by its weights, or written in Python."""

from __future__ import annotations

import re
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.errors import did_you_mean, input_error
from advisor.models.model import Model
from advisor.wording import shorten

if TYPE_CHECKING:
    from advisor.models.published import PublishedModel

TITLE = "There is no such model"
CONFIG = "config.json"
"""Describes the network in a folder of Hugging Face."""
_UNREAD = (".pt", ".pth", ".bin", ".ckpt", ".pkl", ".gguf", ".onnx", ".h5")
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
    if (other := Path(name).suffix) in _UNREAD:
        what = f"files that end in {other} are not read: loading them can run code, or they are no list of weights"
        raise input_error(
            TITLE, what, where=shorten(name, 200), remedy="Name a .safetensors file, or the config.json beside it."
        )
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


def named_model(
    name: str, input: tuple[int, ...] | None = None, outputs: int | None = None, *, processor: bool = False
) -> Model:
    """A network that is counted without building it, for an example of this shape or of its usual one.

    Args:
        outputs: those of a new last layer, where its library puts one in place of the published one.
        processor: count what it keeps on a processor, where that is known of each layer; see Tape.

    Raises InputError: no model has the name, a file is not what it should be, or examples of this shape cannot be counted.
    ValueError for a naming that builds.
    """
    from advisor.models.huggingface import network_of  # 25 ms: all families, only where a network is named
    from advisor.models.weights import weights_model

    match naming(name):
        case Naming.CONFIGURATION:
            return network_of(Path(name), input, processor=processor)
        case Naming.WEIGHTS:
            return weights_model(Path(name))
        case Naming.PUBLISHED:
            return _published(name, input, outputs, processor=processor)
        case other:
            raise ValueError(f"{other.value} is counted by building it")


def _titled(title: str) -> PublishedModel | None:
    """The published model with this title, as lists and reports show it."""
    from advisor.models.published import published_models

    return next((one for one in published_models().values() if one.title.casefold() == title), None)


def _published(name: str, input: tuple[int, ...] | None, outputs: int | None, *, processor: bool) -> Model:
    from advisor.models.huggingface import network_of
    from advisor.models.published import published_model, published_models

    found = published_model(name.strip().casefold()) or _titled(name.strip().casefold())
    if found is None and (Path(name) / CONFIG).is_file():
        return network_of(Path(name) / CONFIG, input, processor=processor)
    if found is None:
        asked, models = name.strip().casefold(), published_models()
        like = [known for known in models if len(asked) > 2 and asked in known][:5]
        near = did_you_mean(asked, models) or (f"Did you mean {' or '.join(like)}?" if like else "")
        remedy = f"{near} `advisor models list` names them; a config.json of Hugging Face is read too.".strip()
        raise input_error(TITLE, "no published model has this name", where=shorten(name, 200), remedy=remedy)
    if isinstance(found.network, Model) and input not in (None, found.network.input):
        shape = "x".join(map(str, found.network.input))
        what = f"{found.name} was counted for its usual example, {shape}, alone"
        raise input_error("Another size cannot be counted", what, where="--input", remedy="Leave it out.")
    return found.model(input, outputs, processor=processor)
