"""The processes of a group, as each of them sees the others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, distributed
from torch.distributed import ProcessGroup
from torch.distributed.distributed_c10d import _get_default_store

from advisor.distributed.launching.pulse import Pulse

_PATIENCE = timedelta(minutes=10)
"""For what is no exchange of training: until data are read, or held-out examples looked at. A launcher of ours sees much sooner
who keeps the others waiting (`launching.watching`)."""


@dataclass(slots=True)
class Team:
    """The workers, 0 to N - 1, and the server behind them where there is one. Made by all of them at once."""

    rank: int
    ranks: int
    workers: int
    timeout: timedelta
    device: torch.device
    pulse: Pulse
    """Tells whether this rank waits for others."""
    folder: Path | None = None
    """A folder of all ranks; None where they may be on several computers."""
    _groups: dict[tuple[int, ...], ProcessGroup | None] = field(default_factory=dict)
    _patient: ProcessGroup | None = None
    """All, for what is no exchange of training."""
    _gathered: int = 0
    """Times that values were gathered."""

    def __post_init__(self) -> None:
        with self._waiting():
            self._patient = distributed.new_group(list(range(self.ranks)), timeout=_PATIENCE, backend="gloo")
        self.group(range(self.workers))

    @property
    def is_server(self) -> bool:
        return self.rank >= self.workers

    @property
    def server(self) -> int:
        return self.workers

    def group(self, ranks: Sequence[int]) -> ProcessGroup | None:
        """The group of these ranks, for exchanges of training. All ranks ask for a new one at once, members or not."""
        key = tuple(ranks)
        if key not in self._groups:
            with self._waiting():
                self._groups[key] = distributed.new_group(list(key), timeout=self.timeout)
        return self._groups[key]

    @property
    def all_workers(self) -> ProcessGroup | None:
        return self.group(range(self.workers))

    def finish(self) -> None:
        """Return when this rank's card, where it has one, has done all that it was told."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def wait_for_all(self) -> None:
        """Return when every rank is here."""
        with self._waiting():
            distributed.all_reduce(torch.zeros(1), group=self._patient)

    def gathered(self, value: Any) -> list[Any]:
        """The values of all ranks, known to each. They go through the store, not over links that may be slow; as JSON, since
        unpickling can run code."""
        self._gathered += 1
        store = _get_default_store()
        store.set(f"{self._gathered}/{self.rank}", json.dumps(value))
        store.set_timeout(_PATIENCE)
        with self._waiting():
            return [json.loads(store.get(f"{self._gathered}/{rank}")) for rank in range(self.ranks)]

    def brought(self, vectors: Sequence[Tensor]) -> list[list[Tensor]]:
        """The vectors of each rank, at the first rank; nothing at others. On one computer they go through files."""
        told = self.gathered([len(one) for one in vectors])
        if self.folder is not None:
            path = self.folder / "vectors"
            torch.save([one.cpu() for one in vectors], f"{path}{self.rank}")
            self.wait_for_all()
            found = (
                [torch.load(f"{path}{rank}", weights_only=True) for rank in range(self.ranks)] if self.rank == 0 else []
            )
            self.wait_for_all()
            return found
        if self.rank > 0:
            for one in vectors:
                distributed.send(one.cpu(), 0, group=self._patient)
            return []
        own = [one.cpu() for one in vectors]
        return [own, *(self._received(rank, told[rank], own[0].dtype) for rank in range(1, self.ranks))]

    def _waiting(self) -> AbstractContextManager[None]:
        return self.pulse.waiting(self.rank)

    def _received(self, rank: int, sizes: Sequence[int], dtype: torch.dtype) -> list[Tensor]:
        found = [torch.zeros(size, dtype=dtype) for size in sizes]
        for one in found:
            distributed.recv(one, rank, group=self._patient)
        return found
