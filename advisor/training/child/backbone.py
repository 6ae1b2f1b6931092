"""Features of pictures: the values before the last layer of a frozen network that others trained.

A linear model that learns from them is the simplest use of what such a network has learned (Donahue et al. 2014, DeCAF,
arXiv:1310.1531; Kornblith, Shlens and Le 2019, arXiv:1805.08974). They depend on no answer, so those of all pictures are
found once, for all folds and the held-out examples.
"""

from __future__ import annotations

import hashlib
import math
import pickle
import time
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy
import torch
from torch import nn

from advisor.models.tracing.building import without_operators
from advisor.training.child.fitted import FittingError, Numbers, TooSlowError
from advisor.training.child.threads import chosen
from advisor.training.ladder.backbones import MOST_BYTES, Backbone, cache

AT_ONCE = 16
"""Pictures in a batch."""
TIMED = 4
"""Pictures by which the time is known that all will take."""
_BROKEN = (
    ImportError, OSError, ValueError, LookupError, TypeError, AttributeError, RuntimeError, EOFError, zipfile.BadZipFile,
    pickle.UnpicklingError,
)  # fmt: skip
"""Errors of weights that were cut off or are others'. torch has a class of pickle for its refusal of anything but weights."""


class Frozen:
    """A network of torchvision with its trained weights and without its last layer."""

    def __init__(self, name: str, path: Path | None) -> None:
        """Load it from this computer, its weights as weights only. Raises FittingError where that cannot be done.

        Args:
            name: of `backbones.FILES`.
            path: the file of its weights, one of those named there; None where it is not here.
        """
        if path is None:
            raise FittingError(f"The weights of {name} are no longer in {cache()}.")
        self.name = name
        try:
            if path.stat().st_size > MOST_BYTES:
                raise ValueError("the file is larger than that of any of these networks")
            weights = path.read_bytes()
            self.told = Backbone(name, path.name, hashlib.sha256(weights).hexdigest())
            """Its name, and the weights that it has."""
            self._network, self._as_trained = _loaded(name, path.name, weights)
        except _BROKEN as error:
            reason = (str(error) or type(error).__name__).splitlines()[0][:120]
            raise FittingError(f"The weights of {name} in {path} cannot be used: {reason}") from error

    def features(self, pictures: Numbers) -> Numbers:
        """Float32 (n, features) of pictures (n, colours, side, side) between 0 and 1, which are brought to the size, the
        colours and the scale that the network was trained with.

        Raises FittingError where they have other than one or three colours.
        """
        given = torch.tensor(numpy.nan_to_num(pictures), dtype=torch.float32)
        if given.shape[1] not in (1, 3):
            raise FittingError(
                f"{self.name} takes pictures with one or three colours, and these have {given.shape[1]}."
            )
        given = given.expand(-1, 3, -1, -1)
        with torch.inference_mode():
            found: Numbers = self._network(self._as_trained(given).to(memory_format=torch.channels_last)).numpy()
        return found


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
    """The features of some pictures, found batch by batch and kept."""

    def __init__(self, frozen: Frozen, pictures: Numbers, threads: int) -> None:
        """
        Args:
            pictures: (n, colours, side, side), between 0 and 1.
            threads: at most; on a busy machine one may be faster.
        """
        self._frozen, self._pictures, self._threads = frozen, pictures, threads
        self._found: list[Numbers] = []
        self._done = 0
        self._each: float | None = None
        self.seconds = 0.0
        """All that it has taken."""

    @property
    def backbone(self) -> Backbone:
        return self._frozen.told

    def rest(self) -> float:
        """Seconds that the pictures will take which are still to be looked at, by a few of them. Raises FittingError."""
        if self._each is None:
            self._go_on(TIMED, 1)  # the first ones take longer than all others
            took = {threads: self._go_on(TIMED, threads) for threads in sorted({1, self._threads})}
            self._threads = chosen(took)
            self._each = took[self._threads] / TIMED
        return self._each * (len(self._pictures) - self._done)

    def of_all(self, until: float = math.inf) -> Numbers:
        """Float32 (n, features).

        Args:
            until: a time of time.monotonic at which it ends.

        Raises TooSlowError where that is before all are there; these stay. FittingError where they cannot be found.
        """
        self.rest()
        while self._done < len(self._pictures):
            if time.monotonic() > until:
                raise TooSlowError(f"There was no time to let all pictures go through {self._frozen.name}.")
            self._go_on(AT_ONCE, self._threads)
        return numpy.concatenate(self._found)

    def _go_on(self, count: int, threads: int) -> float:
        """The next ones; the seconds that they took."""
        begun, before = time.monotonic(), torch.get_num_threads()
        some = self._pictures[self._done : self._done + count]
        torch.set_num_threads(threads)
        try:
            if len(some):
                self._found.append(self._frozen.features(some))
        except (RuntimeError, ValueError) as error:
            raise FittingError(f"{self._frozen.name} cannot take these pictures: {str(error)[:120]}") from error
        finally:
            torch.set_num_threads(before)
        self._done += len(some)
        took = time.monotonic() - begun
        self.seconds += took
        return took
