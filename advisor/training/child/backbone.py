"""Features of pictures and texts: what a frozen network makes of them that others trained, before its last layer.

A linear model that learns from them is the simplest use of what such a network has learned (Donahue et al. 2014, DeCAF,
arXiv:1310.1531; Kornblith, Shlens and Le 2019, arXiv:1805.08974; of texts Reimers and Gurevych 2019, Sentence-BERT,
arXiv:1908.10084). They depend on no answer, so those of all examples are found once, for all folds and the held-out ones.
"""

from __future__ import annotations

import hashlib
import json
import math
import pickle
import time
import zipfile
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol

import numpy
import torch
from torch import nn

from advisor.models.tracing.building import without_operators
from advisor.training.child.fitted import FittingError, Numbers, TooSlowError
from advisor.training.child.threads import chosen
from advisor.training.ladder.backbones import MOST_BYTES, Backbone, cache, reads_texts

AT_ONCE = 16
"""Examples in a batch."""
TIMED = 4
"""Examples by which the time is known that all will take."""
_SETTINGS = (".json", ".txt", ".model")
_PARTS = ("Transformer", "Pooling", "Normalize")
"""Of networks for texts; those of ENCODERS have no others, and some others name code in their settings."""
_BROKEN = (
    ImportError, OSError, ValueError, LookupError, TypeError, AttributeError, RuntimeError, EOFError, zipfile.BadZipFile,
    pickle.UnpicklingError,
)  # fmt: skip
"""Errors of weights that were cut off or are others'. torch has a class of pickle for its refusal of anything but weights."""


class Frozen(Protocol):
    """A network with its trained weights and without its last layer."""

    name: str
    told: Backbone
    """Its name, and the weights that it has."""

    def features(self, examples: Any) -> Numbers:
        """Float32 (n, features). Raises FittingError, ValueError or RuntimeError where it cannot take these examples."""
        ...


def frozen(name: str, path: Path | None) -> Frozen:
    """Load a network from this computer, its weights as weights only. Raises FittingError where that cannot be done.

    Args:
        name: of `backbones`.
        path: the file of its weights, one of those named there; None where it is not here.
    """
    if path is None:
        raise FittingError(f"The weights of {name} are no longer in {cache(name)}.")
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ValueError("the file is larger than that of any of these networks")
        weights = path.read_bytes()
        seen = hashlib.sha256(weights)
        for file in _also(path.parent) if reads_texts(name) else ():
            seen.update(f"{file.relative_to(path.parent).as_posix()}\n".encode() + file.read_bytes())
        told = Backbone(name, path.name, seen.hexdigest())
        return OfTexts(told, path.parent) if reads_texts(name) else OfPictures(told, weights)
    except _BROKEN as error:
        reason = (str(error) or type(error).__name__).splitlines()[0][:120]
        raise FittingError(f"The weights of {name} in {path} cannot be used: {reason}") from error


def _also(folder: Path) -> list[Path]:
    """The files beside the weights that decide what a network makes of a text: settings and words."""
    return sorted(file for file in folder.rglob("*") if file.suffix in _SETTINGS and file.is_file())


class OfPictures:
    """A network of torchvision."""

    def __init__(self, told: Backbone, weights: bytes) -> None:
        self.name, self.told = told.name, told
        self._network, self._as_trained = _loaded(told.name, told.file, weights)

    def features(self, examples: Numbers) -> Numbers:
        """Float32 (n, features) of pictures (n, colours, side, side) between 0 and 1, which are brought to the size, the
        colours and the scale that the network was trained with.

        Raises FittingError where they have other than one or three colours.
        """
        given = torch.tensor(numpy.nan_to_num(examples), dtype=torch.float32)
        if given.shape[1] not in (1, 3):
            raise FittingError(
                f"{self.name} takes pictures with one or three colours, and these have {given.shape[1]}."
            )
        given = given.expand(-1, 3, -1, -1)
        with torch.inference_mode():
            found: Numbers = self._network(self._as_trained(given).to(memory_format=torch.channels_last)).numpy()
        return found


class OfTexts:
    """A network of sentence-transformers, with the tokens and the mean or the first vector that it was trained with."""

    def __init__(self, told: Backbone, folder: Path) -> None:
        """
        Args:
            folder: holds the weights, the vocabulary and `modules.json`; no code of it is run.
        """
        self.name, self.told = told.name, told
        for kind, place in _parts(folder):
            known = kind.startswith("sentence_transformers.") and kind.rpartition(".")[2] in _PARTS
            if not known or (kind.endswith(".Transformer") and place):  # whose weights would be others
                raise ValueError(f"modules.json names {kind[:60]} in {place[:20]!r}, which no network known here has")
        with without_operators():
            from sentence_transformers import SentenceTransformer
            from transformers.utils.logging import disable_progress_bar

            disable_progress_bar()  # type: ignore[no-untyped-call]
            try:
                with torch.random.fork_rng(devices=[]):
                    self._network = SentenceTransformer(
                        str(folder),
                        device="cpu",
                        local_files_only=True,
                        trust_remote_code=False,
                        model_kwargs={"use_safetensors": True},
                    )
            except Exception as error:  # three libraries have kinds of their own
                raise ValueError(str(error) or type(error).__name__) from error

    def features(self, examples: Sequence[str]) -> Numbers:
        """Float32 (n, features) of texts, whose ends are left out where they are longer than the network reads."""
        found: Numbers = self._network.encode(list(examples), batch_size=len(examples), show_progress_bar=False)
        return found.astype(numpy.float32)


def _parts(folder: Path) -> list[tuple[str, str]]:
    """The classes of the parts of a network for texts by their names, and the folders of these."""
    parts = json.loads((folder / "modules.json").read_text("utf-8"))
    if not isinstance(parts, list) or not all(isinstance(part, Mapping) for part in parts):
        raise ValueError("modules.json lists no parts of a network")
    return [(str(part.get("type", "")), str(part.get("path", ""))) for part in parts]


def _loaded(name: str, file: str, weights: bytes) -> tuple[nn.Module, Any]:
    """The network, and what brings pictures to what it was trained with."""
    with without_operators():
        from torchvision import models

        declared = {one.url.rpartition("/")[2]: one for one in models.get_model_weights(name)}
        with torch.random.fork_rng(devices=[]):
            network = models.get_model(name)
    network.load_state_dict(torch.load(BytesIO(weights), map_location="cpu", weights_only=True))
    last = [place for place, layer in network.named_modules() if isinstance(layer, nn.Linear)][-1]
    network.set_submodule(last, nn.Identity())
    return network.eval().to(memory_format=torch.channels_last), declared[file].transforms()


class Features:
    """The features of some examples, found batch by batch and kept."""

    def __init__(self, frozen: Frozen, examples: Any, threads: int) -> None:
        """
        Args:
            examples: pictures (n, colours, side, side) between 0 and 1, or texts.
            threads: at most; on a busy machine one may be faster.
        """
        self._frozen, self._examples, self._threads = frozen, examples, threads
        self._found: list[Numbers] = []
        self._done = 0
        self._each: float | None = None
        self.seconds = 0.0
        """All that it has taken."""

    @property
    def backbone(self) -> Backbone:
        return self._frozen.told

    def rest(self) -> float:
        """Seconds that the examples will take which are still to be looked at, by a few of them. Raises FittingError."""
        if self._each is None:
            self._go_on(TIMED, 1)  # the first ones take longer than all others
            took = {threads: self._go_on(TIMED, threads) for threads in sorted({1, self._threads})}
            self._threads = chosen(took)
            self._each = took[self._threads] / TIMED
        return self._each * (len(self._examples) - self._done)

    def of_all(self, until: float = math.inf) -> Numbers:
        """Float32 (n, features).

        Args:
            until: a time of time.monotonic at which it ends.

        Raises TooSlowError where that is before all are there; these stay. FittingError where they cannot be found.
        """
        self.rest()
        while self._done < len(self._examples):
            if time.monotonic() > until:
                raise TooSlowError(f"There was no time to let all examples go through {self._frozen.name}.")
            self._go_on(AT_ONCE, self._threads)
        return numpy.concatenate(self._found)

    def _go_on(self, count: int, threads: int) -> float:
        """The next ones; the seconds that they took."""
        begun, before = time.monotonic(), torch.get_num_threads()
        some = self._examples[self._done : self._done + count]
        torch.set_num_threads(threads)
        try:
            if len(some):
                self._found.append(self._frozen.features(some))
        except (RuntimeError, ValueError, LookupError, TypeError, MemoryError) as error:
            raise FittingError(f"{self._frozen.name} cannot take these examples: {str(error)[:120]}") from error
        finally:
            torch.set_num_threads(before)
        self._done += len(some)
        took = time.monotonic() - begun
        self.seconds += took
        return took
