"""Copies between the main memory and graphics cards."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from advisor.children.errors import CannotRunError, TooLongError
from advisor.probes.child.training_step import usable
from advisor.probes.judging.trial import Equipment, OnProcessor, Tell, Trial
from advisor.probes.probe import Probe, Setting
from advisor.probes.protocol import Note, Request
from advisor.probes.rates import ALL_CARDS, PAGEABLE, PEER_TO_PEER, PINNED, TO_HOST
from advisor.probes.workload import Device

LARGEST_BYTES = 256_000_000
"""Of a buffer: large enough for the full rate of any link."""
MEMORY_SHARE = 0.05
"""Of the main memory for all buffers together, and of the memory of a card for one."""
_FIRST_BYTES = 1_000_000
_FIRST_GROWTH = 16
_MEGABYTE = 1_000_000

Copy = tuple[Tensor, Tensor]
"""To and from: buffers of as many bytes."""


class TransferTrial(OnProcessor):
    """Copies buffers, all of them at the same time. They are made when it is warmed up."""

    def __init__(self, setting: Setting, buffers: Callable[[], Sequence[Copy]]) -> None:
        self.setting = setting
        self.work = 1.0
        self._buffers = buffers
        self._copies: Sequence[Copy] = ()

    def warm_up(self, seconds: float) -> None:
        """Copy a megabyte, then sixteen times as much, up to all.

        Raises CannotRunError where there is no such memory or link, and before a copy that would take longer than this.
        """
        try:
            self._copies = self._buffers()
        except RuntimeError as error:
            raise CannotRunError(f"the memory for it could not be had: {str(error).splitlines()[0]}") from error
        whole = self._copies[0][0].numel()
        size = min(_FIRST_BYTES, whole)
        self._timed(size)  # the first one also starts the driver's side
        while size < whole:
            following = min(size * _FIRST_GROWTH, whole)
            expected = self._timed(size) * following / size
            if expected > seconds:
                raise TooLongError(
                    f"copying {following / _MEGABYTE:,.0f} MB would take about {expected:.1f} s, too long for the time left."
                )
            size = following
        self._timed(whole)
        self.work = float(whole * len(self._copies))

    def step(self) -> None:
        for target, source in self._copies:
            target.copy_(source, non_blocking=True)

    def finish(self) -> None:
        """Wait for both ends of every copy."""
        for device in {tensor.device for pair in self._copies for tensor in pair if tensor.device.type == "cuda"}:
            torch.cuda.synchronize(device)

    def _timed(self, size: int) -> float:
        begun = time.perf_counter()
        for target, source in self._copies:
            target[:size].copy_(source[:size], non_blocking=True)
        self.finish()
        return time.perf_counter() - begun


def prepare(probe: Probe, request: Request, tell: Tell) -> Equipment:
    """The trials of the settings asked for. Raises CannotRunError where torch cannot use a card."""
    usable(Device.CUDA)
    cards = [torch.device("cuda", number) for number in range(torch.cuda.device_count())]
    free = min(torch.cuda.mem_get_info(card)[0] for card in cards)
    size = buffer_bytes(request.memory_bytes, free, len(cards))
    links: dict[Setting, Callable[[], Sequence[Copy]]] = {
        PAGEABLE: lambda: [(_on(cards[0], size), _host(size, pinned=False))],
        PINNED: lambda: [(_on(cards[0], size), _host(size, pinned=True))],
        TO_HOST: lambda: [(_host(size, pinned=True), _on(cards[0], size))],
        PEER_TO_PEER: lambda: [_between(cards, size)],
        ALL_CARDS: lambda: [(_on(card, size), _host(size, pinned=True)) for card in cards],
    }
    tell(
        Note(f"Copied were {size / _MEGABYTE:,.0f} MB at a time, with the card {torch.cuda.get_device_name(cards[0])}.")
    )
    trials: dict[Setting, Trial] = {setting: TransferTrial(setting, links[setting]) for setting in request.settings}
    return Equipment(trials, torch=torch.__version__, threads=torch.get_num_threads())


def buffer_bytes(memory_bytes: int, free_card_bytes: int, cards: int) -> int:
    """256 MB, or less where that is more than 5 % of a card, or all buffers more than 5 % of the main memory.

    In the main memory lie one ordinary buffer, two pinned ones, and one for each card.
    """
    on_host = int(memory_bytes * MEMORY_SHARE) // (3 + cards)
    return max(_FIRST_BYTES, min(LARGEST_BYTES, int(free_card_bytes * MEMORY_SHARE), on_host))


def _host(size: int, *, pinned: bool) -> Tensor:
    """Written once, so that the system has given the memory."""
    return torch.empty(size, dtype=torch.uint8, pin_memory=pinned).fill_(1)


def _on(card: torch.device, size: int) -> Tensor:
    return torch.ones(size, dtype=torch.uint8, device=card)


def _between(cards: Sequence[torch.device], size: int) -> Copy:
    """From the first card to the second. Raises CannotRunError where that goes through the main memory."""
    if len(cards) < 2:
        raise CannotRunError("torch sees one card only.")
    if not torch.cuda.can_device_access_peer(cards[1], cards[0]):
        raise CannotRunError("the first two cards cannot reach each other's memory directly.")
    return _on(cards[1], size), _on(cards[0], size)
