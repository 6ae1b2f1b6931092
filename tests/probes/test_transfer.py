"""Copies within the main memory for the trial itself; what needs a card is marked `gpu`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
import torch

from advisor.children.errors import CannotRunError
from advisor.probes.benches.transfer import Copy, TransferTrial, buffer_bytes
from advisor.probes.rates import ALL_CARDS, PAGEABLE, PEER_TO_PEER, PINNED, TO_HOST, TRANSFER
from advisor.probes.runner import run

ONE_CARD = {"machine.gpu.count": 1, "machine.gpu.backend": "cuda"}
GIGABYTE = 10**9


def buffers(size: int, number: int = 1) -> Callable[[], Sequence[Copy]]:
    def make() -> Sequence[Copy]:
        return [(torch.zeros(size, dtype=torch.uint8), torch.ones(size, dtype=torch.uint8)) for _ in range(number)]

    return make


def test_one_card_is_tried_both_ways_and_several_also_among_themselves() -> None:
    assert TRANSFER.why_not(None, ONE_CARD) is None
    assert TRANSFER.settings(None, ONE_CARD, PAGEABLE) == (PAGEABLE, PINNED, TO_HOST)
    several = TRANSFER.settings(None, ONE_CARD | {"machine.gpu.count": 4}, PAGEABLE)
    assert set(several) == {PAGEABLE, PINNED, TO_HOST, PEER_TO_PEER, ALL_CARDS}
    assert set(TRANSFER.gauges.values()) == set(several)


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({}, "not known"),
        ({"machine.gpu.count": 0, "machine.gpu.backend": "none"}, "no graphics card"),
        ({"machine.gpu.count": 1, "machine.gpu.backend": "mps"}, "no graphics card"),
        (ONE_CARD | {"machine.gpu.usable_by_torch": False}, "advisor doctor"),
    ],
)
def test_without_a_card_it_does_not_apply(facts: dict[str, object], reason: str) -> None:
    assert reason in str(TRANSFER.why_not(None, facts))


def test_ordinary_memory_is_compared_with_pinned() -> None:
    assert TRANSFER.before({}, None, ONE_CARD) == PAGEABLE
    assert TRANSFER.rival({PAGEABLE: 2.0, PINNED: 1.5, TO_HOST: 1.0}, PAGEABLE) == PINNED
    assert TRANSFER.rival({PAGEABLE: 2.0, TO_HOST: 1.0}, PAGEABLE) == TO_HOST


def test_buffers_are_large_but_take_little_of_either_memory() -> None:
    assert buffer_bytes(100 * GIGABYTE, 100 * GIGABYTE, cards=1) == 256_000_000
    assert buffer_bytes(100 * GIGABYTE, 2 * GIGABYTE, cards=1) == 100_000_000
    assert buffer_bytes(8 * GIGABYTE, 100 * GIGABYTE, cards=1) == 100_000_000
    assert buffer_bytes(8 * GIGABYTE, 100 * GIGABYTE, cards=5) == 50_000_000


def test_a_trial_copies_everything_and_counts_its_bytes() -> None:
    made: list[Copy] = []

    def make() -> Sequence[Copy]:
        made.extend(buffers(3_000_000, number=2)())
        return made

    trial = TransferTrial(ALL_CARDS, make)
    trial.warm_up(60.0)
    assert trial.work == 6_000_000
    for target, _ in made:
        target.zero_()
    trial.step()
    trial.finish()
    assert all(bool((target == 1).all()) for target, _ in made)
    assert trial.peak_memory_bytes() > 0


def test_a_copy_for_which_there_is_no_time_is_not_begun() -> None:
    with pytest.raises(CannotRunError, match=r"copying 3 MB would take about .* s, too long"):
        TransferTrial(PINNED, buffers(3_000_000)).warm_up(0.0)


def test_memory_that_cannot_be_had_is_a_reason() -> None:
    def refuse() -> Sequence[Copy]:
        raise RuntimeError("CUDA error: out of memory\nand more")

    with pytest.raises(CannotRunError, match=r"could not be had: CUDA error: out of memory$"):
        TransferTrial(PINNED, refuse).warm_up(60.0)


@pytest.mark.skipif(torch.cuda.is_available(), reason="torch can use a card here")
def test_a_child_in_which_torch_has_no_card_says_so() -> None:
    outcome = run(TRANSFER, None, before=PAGEABLE, facts=ONE_CARD, budget_seconds=30)
    assert "advisor doctor" in str(outcome.failure)
    assert outcome.facts() == {}


@pytest.mark.gpu
def test_a_card_is_reached_at_a_rate_in_every_way() -> None:
    facts = ONE_CARD | {"machine.gpu.count": torch.cuda.device_count()}
    outcome = run(TRANSFER, None, before=PAGEABLE, facts=facts, budget_seconds=60)
    assert outcome.failure is None
    assert outcome.rival == PINNED
    assert outcome.applies.keys() == {"torch", "python"}
    rates = outcome.facts()
    for way in ("host_to_device", "pageable", "device_to_host"):
        assert 1e8 < float(rates[f"probe.link.{way}_bytes_per_second"]) < 1e12
