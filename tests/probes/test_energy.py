from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.children.errors import CannotRunError
from advisor.machine.host import Tree
from advisor.probes.benches import energy
from advisor.probes.benches.energy import Meter, ProcessorCounter, card_counter, counter_for
from advisor.probes.protocol import Message, Request
from advisor.probes.runner import run
from advisor.probes.settings.precision import ENERGY, no_counter, zones
from advisor.probes.workload import Device, Workload

DIGITS = Workload("cnn", "image", 64, 10, (8, 16), batch_size=16, threads=1)
BF16 = {"machine.cpu.features": {"avx512_bf16"}}
POWERCAP = "sys/class/powercap"
RANGE = 1_000_000
"""Microjoules, after which the made-up counters begin again."""

ZONES = {
    "intel-rapl:0": "package-0",
    "intel-rapl:0:0": "core",
    "intel-rapl:0:1": "dram",
    "intel-rapl:1": "package-1",
    "intel-rapl:2": "psys",
    "intel-rapl-mmio:0": "package-0",
}
"""As a server with two sockets lays them out; the figures are made up."""


def write(root: Path, folder: str, microjoules: int) -> None:
    (root / POWERCAP / folder / "energy_uj").write_text(f"{microjoules}\n")


@pytest.fixture
def server(tmp_path: Path) -> Path:
    for folder, name in ZONES.items():
        place = tmp_path / POWERCAP / folder
        place.mkdir(parents=True)
        (place / "name").write_text(f"{name}\n")
        (place / "max_energy_range_uj").write_text(f"{RANGE}\n")
        write(tmp_path, folder, 500_000)
    return tmp_path


def test_packages_and_memory_are_counted_and_nothing_twice(server: Path) -> None:
    counted = ("intel-rapl:0", "intel-rapl:0:1", "intel-rapl:1")  # package-0, dram, package-1
    assert zones(Tree(server)) == {f"/{POWERCAP}/{folder}/energy_uj": 1.0 for folder in counted}
    assert no_counter(Tree(server)) is None


def test_joules_of_all_zones_add_up(server: Path) -> None:
    tree = Tree(server)
    counter = ProcessorCounter(tree)
    write(server, "intel-rapl:0", 600_000)
    write(server, "intel-rapl:0:1", 501_000)
    write(server, "intel-rapl:2", 999_000)
    assert counter() == pytest.approx(0.101)
    write(server, "intel-rapl:1", 700_000)
    assert counter() == pytest.approx(0.301)


def test_a_counter_that_begins_again_at_0_goes_on(server: Path) -> None:
    tree = Tree(server)
    counter = ProcessorCounter(tree)
    write(server, "intel-rapl:0", 900_000)
    assert counter() == pytest.approx(0.4)
    write(server, "intel-rapl:0", 100_000)
    assert counter() == pytest.approx(0.6)


def test_a_counter_that_is_closed_in_the_middle_is_an_error(server: Path) -> None:
    tree = Tree(server)
    counter = ProcessorCounter(tree)
    (server / POWERCAP / "intel-rapl:1" / "energy_uj").unlink()
    with pytest.raises(CannotRunError, match="intel-rapl:1/energy_uj cannot be read any more"):
        counter()


def test_a_machine_without_counter_is_told_so(tmp_path: Path) -> None:
    assert "shows no energy counter" in str(no_counter(Tree(tmp_path)))
    with pytest.raises(CannotRunError, match="shows no energy counter"):
        counter_for(Device.CPU, Tree(tmp_path))


def test_a_counter_for_root_alone_is_told_with_the_remedy(server: Path) -> None:
    """A folder stands in for a file of mode 0400, which root could read after all."""
    place = server / POWERCAP / "intel-rapl:0" / "energy_uj"
    place.unlink()
    place.mkdir()
    reason = str(no_counter(Tree(server)))
    assert "cannot be read (/sys/class/powercap/intel-rapl:0/energy_uj)" in reason
    assert "sudo chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj" in reason


def test_energy_needs_two_number_formats_and_a_counter() -> None:
    assert "no instructions for bf16" in str(ENERGY.why_not(DIGITS, {"machine.cpu.features": {"avx2"}}))
    on_card = replace(DIGITS, device=Device.CUDA)
    assert "units for formats below 32 bits" in str(ENERGY.why_not(on_card, {"machine.gpu.compute_capability": 6.1}))
    assert ENERGY.why_not(on_card, {"machine.gpu.compute_capability": 8.0}) is None
    assert ENERGY.settings(DIGITS, BF16, "fp32") == ("fp32", "bf16")


def test_the_plan_names_the_number_format_to_beat() -> None:
    assert ENERGY.before({"training.precision": "bf16"}, DIGITS, BF16) == "bf16"
    assert ENERGY.before({}, DIGITS, BF16) == "fp32"


class Clock:
    """Time that passes only in sleep."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_the_meter_waits_until_the_counter_has_moved() -> None:
    clock = Clock()
    readings = iter([1.0, 1.0, 1.0, 1.5, 2.0])
    meter = Meter(lambda: next(readings), clock, clock.sleep)
    assert meter() == 1.5
    assert clock.now > 0
    assert meter() == 2.0


def test_a_counter_that_stands_still_is_none() -> None:
    clock = Clock()
    meter = Meter(lambda: 1.0, clock, clock.sleep)
    with pytest.raises(CannotRunError, match="stands still"):
        meter()


class MadeUpDriver:
    """Stands in for the module pynvml: a counter of millijoules, or a card that refuses."""

    class NVMLError(Exception):
        pass

    def __init__(self, millijoules: Iterator[int]) -> None:
        self._millijoules = millijoules

    def nvmlInit(self) -> None:  # noqa: N802
        """Nothing to do."""

    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> str:  # noqa: N802
        return uuid

    def nvmlDeviceGetTotalEnergyConsumption(self, card: str) -> int:  # noqa: N802
        for millijoules in self._millijoules:
            return millijoules
        raise self.NVMLError("Not Supported")


def test_a_card_counts_in_millijoules() -> None:
    joules = card_counter(MadeUpDriver(iter([0, 1500])), "GPU-made-up")
    assert joules() == 1.5


def test_a_card_that_does_not_tell_its_energy_is_told_so() -> None:
    with pytest.raises(CannotRunError, match=r"does not tell its energy \(Not Supported\)"):
        card_counter(MadeUpDriver(iter([])), "GPU-made-up")


def test_a_card_that_stops_telling_is_told_so() -> None:
    joules = card_counter(MadeUpDriver(iter([0])), "GPU-made-up")
    with pytest.raises(CannotRunError, match=r"does not tell its energy \(Not Supported\)"):
        joules()


def test_joules_are_measured_instead_of_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A made-up counter that goes up by 3 at every reading."""
    readings = iter(range(0, 3000, 3))
    monkeypatch.setattr(energy, "counter_for", lambda device, tree: lambda: float(next(readings)))
    request = Request("energy", DIGITS, "fp32", ("fp32", "bf16"), 60.0, 10**9, 0, {}, "")
    told: list[Message] = []
    equipment = energy.prepare(ENERGY, request, told.append)
    assert equipment.meter is not None
    assert equipment.meter() - equipment.meter() == -3.0
    assert set(equipment.trials) == {"fp32", "bf16"}
    assert {trial.work for trial in equipment.trials.values()} == {16.0}
    assert "The whole processor was metered" in str(told)


@pytest.mark.skipif(no_counter(Tree(Path("/"))) is None, reason="this machine has a counter")
def test_without_a_counter_the_probe_fails_with_the_reason() -> None:
    outcome = run(ENERGY, DIGITS, before="fp32", settings=["fp32", "bf16"], budget_seconds=60)
    assert "energy counter" in str(outcome.failure)
    assert outcome.facts() == {}


@pytest.mark.gpu
def test_the_energy_of_a_card_is_counted() -> None:
    torch = pytest.importorskip("torch")
    capability = float(".".join(map(str, torch.cuda.get_device_capability())))
    workload = Workload("transformer", "text", 1000, 2, (256, 1024), 64, batch_size=256, device=Device.CUDA)
    facts = {"machine.gpu.compute_capability": capability}
    outcome = run(ENERGY, workload, before="fp32", settings=["fp32", "bf16"], facts=facts, budget_seconds=60)
    assert outcome.failure is None
    assert outcome.n > 0
