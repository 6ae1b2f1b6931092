"""Whose memory batches are compared with, and that nothing of ours is left there for the fresh process."""

from __future__ import annotations

import contextlib
import gc
import weakref
from dataclasses import dataclass, replace
from types import SimpleNamespace

import pytest

from advisor.children.errors import CannotRunError
from advisor.probes.child import main as child
from advisor.probes.judging.trial import Equipment
from advisor.probes.probe import Setting
from advisor.probes.protocol import Message, Rechecked, Request
from advisor.probes.settings.batch import BATCH
from advisor.probes.workload import Device, Workload

torch = pytest.importorskip("torch")
from advisor.probes.benches import step  # noqa: E402

TABLE = Workload("ffn", "tabular", 64, 10, (64,), batch_size=16, threads=1)
ON_CARD = replace(TABLE, device=Device.CUDA)


def request_for(workload: Workload) -> Request:
    return Request("batch", workload, 16, (16, 32), 10.0, 10**9, 0, {}, "/")


@dataclass
class RecordingContest:
    """Stands in for the contest, to see what it is given."""

    given: dict[str, object]

    def hold(self) -> None:
        """Nothing is timed."""


@pytest.mark.parametrize(("of_the_card", "expected"), [(None, 10**9), (80 * 10**9, 80 * 10**9)])
def test_batches_are_compared_with_the_memory_of_the_device_that_computes(
    of_the_card: int | None, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []
    bench = SimpleNamespace(prepare=lambda *_: Equipment({}, memory_bytes=of_the_card))
    monkeypatch.setattr(child.importlib, "import_module", lambda _: bench)
    monkeypatch.setattr(child, "Contest", lambda **given: seen.append(given["memory_bytes"]) or RecordingContest(given))
    with contextlib.ExitStack() as closing:
        child.measure(request_for(TABLE), 0.0, lambda message: None, closing)
    assert seen == [expected]


class Looking:
    """Stands in for the fresh process; notes what the old one still holds when it starts."""

    def __init__(self, network: weakref.ref[object]) -> None:
        self._network = network
        self.held: list[bool] = []

    def __call__(self, workload: Workload, setting: Setting, request: Request, seconds: float) -> Message:
        self.held.append(self._network() is not None)
        return Rechecked(setting, torch.cuda.memory_reserved() if torch.cuda.is_available() else 0, "")


def looked_at(workload: Workload, monkeypatch: pytest.MonkeyPatch) -> tuple[Looking, Message]:
    equipment = step.prepare(BATCH, request_for(workload), lambda message: None)
    for trial in equipment.trials.values():
        trial.warm_up(60.0)
    looking = Looking(weakref.ref(trial._step))
    del trial
    monkeypatch.setattr(step, "recheck", looking)
    gc.disable()  # as the child does
    try:
        assert equipment.recheck is not None
        return looking, equipment.recheck(32, 10.0)
    finally:
        gc.enable()


def test_networks_and_batches_are_gone_before_a_setting_runs_again(monkeypatch: pytest.MonkeyPatch) -> None:
    looking, _ = looked_at(TABLE, monkeypatch)
    assert looking.held == [False]


def test_the_main_memory_is_that_of_the_request() -> None:
    assert step.prepare(BATCH, request_for(TABLE), lambda message: None).memory_bytes is None


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a card")
def test_without_a_card_that_is_said() -> None:
    with pytest.raises(CannotRunError, match="advisor doctor"):
        step.prepare(BATCH, request_for(ON_CARD), lambda message: None)


@pytest.mark.gpu
def test_the_card_is_empty_before_a_setting_runs_again(monkeypatch: pytest.MonkeyPatch) -> None:
    free = torch.cuda.mem_get_info()[0]
    memory = step.prepare(BATCH, request_for(ON_CARD), lambda message: None).memory_bytes
    assert memory is not None
    assert 0.5 * free < memory <= torch.cuda.mem_get_info()[1]
    gc.collect()
    looking, said = looked_at(ON_CARD, monkeypatch)
    assert looking.held == [False]
    assert isinstance(said, Rechecked)
    assert said.peak_memory_bytes < 256 * 2**20  # cuBLAS keeps its workspaces: 66 MiB were seen on an H200
