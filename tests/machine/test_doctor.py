"""The doctor: one machine in order, and each finding on a machine that differs from it in that one thing."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import Any

import pytest

from advisor.machine.cards import Gpu, GpuDriver, GpuProcess, GpuState, Throttle
from advisor.machine.doctor.architecture import gpu_usable_by_torch, runs_on
from advisor.machine.doctor.doctor import findings
from advisor.machine.doctor.finding import Environment, Finding, Severity
from advisor.machine.machine import Machine
from advisor.machine.parts import Clocks, Disk, DiskKind, NumaNode
from advisor.machine.torch_view import TorchDevice, TorchView

GIB = 2**30
STATE = GpuState(
    memory_used_bytes=300 * 2**20,
    memory_free_bytes=23 * GIB,
    pcie_generation=1,
    pcie_lanes=16,
    utilisation=0.0,
    throttling=(),
    uncorrected_errors=0,
    processes=(),
)
CARD = Gpu("cuda", "Some Card", 24 * GIB, 8.9, 4, 16, power_limit_watts=300.0, state=STATE)
MACHINE = Machine(
    physical_cores=8,
    logical_cores=16,
    usable_cores=16,
    memory_bytes=64 * GIB,
    memory_available_bytes=50 * GIB,
    gpus=(CARD, CARD),
    system="Linux",
    architecture="x86_64",
    usable_threads=tuple(range(16)),
    gpu_driver=GpuDriver("570.86.15", "12.8"),
    numa_nodes=(NumaNode(0, tuple(range(8)), 32 * GIB), NumaNode(1, tuple(range(8, 16)), 32 * GIB)),
    memory_nodes=(0, 1),
    clocks=Clocks(("performance",), (), "acpi-cpufreq", 3 * 10**9, 10**9, 3 * 10**9, True),
    swap_bytes=8 * GIB,
    swap_used_bytes=0,
)
SEEN = TorchDevice("Some Card", 8.9, 24 * GIB)
TORCH = TorchView(
    version="2.9.0+cu128",
    cuda="12.8",
    architectures=("sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120", "compute_120"),
    gpu_available=True,
    devices=(SEEN, SEEN),
    architecture="x86_64",
    threads=8,
)
DISK = Disk(DiskKind.NVME, "ext4", False, 10**12, 10**11, "/data")
ENVIRONMENT = Environment(
    python="/opt/my python/bin/python",
    state=DISK,
    data=DISK,
    shared_memory=Disk(DiskKind.MEMORY, "tmpfs", False, 32 * GIB, 32 * GIB, "/dev/shm"),  # noqa: S108
)
MAC = Machine(system="Darwin", architecture="arm64", gpus=(Gpu("mps", "Apple M1 Max"),), usable_cores=10)
MAC_TORCH = TorchView(version="2.9.0", architecture="arm64", mps_built=True, mps_available=True, threads=8)


def found(**changed: Any) -> tuple[Finding, ...]:
    """Findings where machine, torch or environment differ; `card` changes the first card, `doing` its state."""
    machine, torch, environment = MACHINE, TORCH, ENVIRONMENT
    card = replace(CARD, **changed.pop("card", {}))
    state = replace(STATE, **changed.pop("doing", {}))
    machine = replace(machine, gpus=(replace(card, state=state), CARD))
    for key, value in changed.items():
        if key == "torch":
            torch = replace(torch, **value)
        elif key == "environment":
            environment = replace(environment, **value)
        else:
            machine = replace(machine, **{key: value})
    return findings(machine, torch, environment)


def only(**changed: Any) -> Finding:
    everything = found(**changed)
    assert len(everything) == 1, everything
    return everything[0]


def test_where_nothing_disagrees_nothing_is_found() -> None:
    assert findings(MACHINE, TORCH, ENVIRONMENT) == ()
    assert findings(MAC, MAC_TORCH, ENVIRONMENT) == ()


def test_what_is_unknown_gives_no_finding() -> None:
    assert findings(Machine(), TorchView(), Environment()) == ()
    bare = replace(MACHINE, gpus=(Gpu("cuda"), Gpu("cuda")), clocks=Clocks(), gpu_driver=None)
    assert findings(bare, TORCH, Environment()) == ()


CPU_BUILD = {"version": "2.9.0+cpu", "cuda": None, "architectures": (), "gpu_available": False, "devices": ()}
NO_GPU = {"gpu_available": False, "devices": (), "gpu_error": "unknown error"}


@pytest.mark.parametrize(
    ("name", "severity", "changed"),
    [
        ("torch.cpu-build", Severity.PROBLEM, {"torch": CPU_BUILD}),
        ("torch.no-gpu", Severity.PROBLEM, {"torch": NO_GPU}),
        ("driver.too-old", Severity.PROBLEM, {"torch": {**NO_GPU, "cuda": "13.0"}}),
        ("torch.fewer-cards", Severity.WARNING, {"torch": {"devices": (SEEN,)}}),
        ("torch.architecture", Severity.PROBLEM, {"torch": {"devices": (replace(SEEN, compute_capability=6.1), SEEN)}}),
        ("torch.translated", Severity.NOTE, {"torch": {"architectures": ("sm_70", "compute_70")}}),
        ("threads.many", Severity.WARNING, {"torch": {"threads": 32}}),
        ("threads.variable", Severity.WARNING, {"environment": {"variables": {"OMP_NUM_THREADS": "all"}}}),
        ("gpu.narrow-link", Severity.WARNING, {"doing": {"pcie_lanes": 4}}),
        ("gpu.slow-link", Severity.WARNING, {"doing": {"utilisation": 0.9}}),
        ("gpu.shared", Severity.WARNING, {"doing": {"processes": (GpuProcess(GIB, 42),)}}),
        ("gpu.shared", Severity.WARNING, {"doing": {"memory_used_bytes": 9 * GIB}}),
        ("gpu.memory-errors", Severity.PROBLEM, {"doing": {"uncorrected_errors": 2}}),
        ("gpu.throttled", Severity.WARNING, {"doing": {"throttling": (Throttle.HARDWARE_THERMAL,)}}),
        ("gpu.throttled", Severity.WARNING, {"doing": {"throttling": (Throttle.POWER_BRAKE,)}}),
        ("gpu.throttled", Severity.NOTE, {"doing": {"throttling": (Throttle.POWER_CAP,)}}),
        ("gpu.throttled", Severity.NOTE, {"doing": {"throttling": (Throttle.SET_BY_USER,)}}),
        ("cpu.power-saving", Severity.WARNING, {"clocks": Clocks(("powersave",), (), "acpi-cpufreq")}),
        ("cpu.power-saving", Severity.WARNING, {"clocks": Clocks(("powersave",), ("power",), "intel_pstate")}),
        ("cpu.no-turbo", Severity.NOTE, {"clocks": Clocks(turbo=False)}),
        ("container.quota", Severity.NOTE, {"quota_cores": 9.5, "usable_cores": 10}),
        ("memory.far", Severity.WARNING, {"memory_nodes": (0,)}),
        ("memory.part", Severity.NOTE, {"memory_nodes": (0,), "usable_threads": tuple(range(8))}),
        ("memory.swapped", Severity.WARNING, {"swap_used_bytes": GIB}),
        ("memory.full", Severity.WARNING, {"memory_available_bytes": 2 * GIB}),
        ("memory.shared", Severity.WARNING, {"environment": {"shared_memory": Disk(total_bytes=64 * 2**20)}}),
        ("state.unwritable", Severity.WARNING, {"environment": {"state_problem": "/state: read-only"}}),
        ("state.full", Severity.WARNING, {"environment": {"state": Disk(None, "ext4", False, 10**12, 0, "/home")}}),
        ("data.full", Severity.WARNING, {"environment": {"data": Disk(None, "ext4", False, 10**12, 10**6, "/d")}}),
        ("state.network", Severity.NOTE, {"environment": {"state": Disk(DiskKind.NETWORK, "nfs4", folder="/home")}}),
        ("data.slow-disk", Severity.WARNING, {"environment": {"data": Disk(DiskKind.NETWORK, "nfs4", folder="/d")}}),
        ("data.slow-disk", Severity.WARNING, {"environment": {"data": Disk(DiskKind.HDD, "ext4", folder="/d")}}),
    ],
)
def test_one_thing_amiss_is_one_finding(name: str, severity: Severity, changed: dict[str, Any]) -> None:
    finding = only(**changed)
    assert (finding.name, finding.severity) == (name, severity)
    assert finding.title
    assert finding.what
    assert finding.remedy


@pytest.mark.parametrize(
    "changed",
    [
        {"clocks": Clocks(("powersave",), ("balance_performance",), "intel_pstate")},  # it governs itself
        {"doing": {"utilisation": 0.9, "pcie_generation": 4}},
        {"swap_used_bytes": 100 * 2**20},
        {"environment": {"variables": {"OMP_NUM_THREADS": "8"}}},
        {"environment": {"variables": {"OMP_NUM_THREADS": "4,2"}}},  # a number for each level
        {"environment": {"data": Disk(None, "ext4", virtual=True)}},
        {"environment": {"data": Disk(None, "squashfs", False, 10**9, 0, "/d")}},  # always full
        {"quota_cores": 16.0},
        {"memory_nodes": None},
        {"doing": {"throttling": None, "processes": None, "uncorrected_errors": None}},
    ],
)
def test_what_is_in_order_is_not_complained_of(changed: dict[str, Any]) -> None:
    assert found(**changed) == ()


def test_commands_can_be_copied_whatever_stands_in_a_path() -> None:
    for command in only(torch=CPU_BUILD).commands:
        assert shlex.split(command)[0] == "/opt/my python/bin/python"
        assert shlex.split(command)[1:3] == ["-m", "pip"]


def test_a_torch_that_cannot_be_asked_is_the_only_thing_said_of_torch() -> None:
    finding = only(torch={"error": "ModuleNotFoundError: No module named 'torch'", **CPU_BUILD, "version": None})
    assert finding.name == "torch.silent"
    assert "No module named 'torch'" in finding.what


def test_cards_of_amd_need_a_build_for_rocm() -> None:
    machine = replace(MACHINE, gpus=(Gpu("rocm", "AMD gfx90a"),), gpu_driver=None)
    (wrong,) = findings(machine, replace(TORCH, devices=(), gpu_available=False), ENVIRONMENT)
    assert wrong.name == "torch.cpu-build"
    assert "built for CUDA" in wrong.what
    assert "ROCm" in wrong.remedy
    right = replace(TORCH, cuda=None, hip="6.4", architectures=("gfx90a:xnack-", "gfx942"), devices=(TorchDevice(),))
    assert findings(machine, right, ENVIRONMENT) == ()
    (other,) = findings(machine, replace(right, architectures=("gfx1100",)), ENVIRONMENT)
    assert "gfx90a" in other.what
    assert "gfx1100" in other.what


def test_hidden_cards_are_told_with_the_variable_that_hides_them() -> None:
    hidden = only(torch=NO_GPU, environment={"variables": {"CUDA_VISIBLE_DEVICES": ""}})
    assert hidden.name == "torch.fewer-cards"
    assert "PyTorch 0. CUDA_VISIBLE_DEVICES is set to ''" in hidden.what
    assert hidden.commands == ("unset CUDA_VISIBLE_DEVICES",)
    some = only(torch={"devices": (SEEN,)}, environment={"variables": {"CUDA_VISIBLE_DEVICES": "1"}})
    assert "counts 2, PyTorch 1" in some.what


def test_a_divided_card_explains_missing_ones() -> None:
    finding = only(card={"mig": True}, torch={"devices": (SEEN,)})
    assert finding.commands == ("sudo nvidia-smi -i 0 -mig 0",)


@pytest.mark.parametrize(
    ("cuda", "driver", "old"),
    [
        ("12.8", "525.60.13", False),
        ("12.8", "525.60.12", True),
        ("12.8", "520.99.99", True),
        ("11.8", "450.80.02", False),
        ("11.8", "450.51.06", True),
        ("13.0", "580.65.06", False),
        ("13.0", "575.99.99", True),
        ("14.0", "999.1", False),  # nothing is known of it yet, and the driver does not say what it supports
    ],
)
def test_any_minor_version_of_cuda_needs_the_driver_of_its_major_version(cuda: str, driver: str, old: bool) -> None:
    finding = only(torch={**NO_GPU, "cuda": cuda}, gpu_driver=GpuDriver(driver))
    assert (finding.name == "driver.too-old") is old


def test_where_driver_numbers_differ_the_cuda_that_the_driver_supports_decides() -> None:
    finding = only(torch={**NO_GPU, "cuda": "13.0"}, gpu_driver=GpuDriver("560.94", "12.6"), system="Windows")
    assert finding.name == "driver.too-old"
    assert "supports CUDA 12.6" in finding.what


def test_an_old_driver_under_which_torch_works_is_no_finding() -> None:
    assert found(gpu_driver=GpuDriver("470.1", "11.4")) == ()


@pytest.mark.parametrize(
    ("capability", "built", "runs"),
    [
        (8.0, ["sm_80"], True),
        (8.9, ["sm_80", "sm_90"], True),
        (8.0, ["sm_86"], False),
        (7.5, ["sm_70"], True),
        (6.1, ["sm_70", "sm_80"], False),
        (9.0, ["sm_90a"], True),
        (10.3, ["sm_100a"], False),
        (10.3, ["sm_100f"], True),
        (12.0, ["sm_120"], True),
        (12.1, ["sm_120"], True),
        (12.0, ["sm_90", "compute_90"], False),
    ],
)
def test_machine_code_runs_within_its_major_version(capability: float, built: list[str], runs: bool) -> None:
    assert runs_on(capability, tuple(built)) is runs


def test_a_card_newer_than_torch_is_told_apart_from_one_that_is_too_old() -> None:
    newer = only(torch={"architectures": ("sm_80", "sm_90"), "devices": (replace(SEEN, compute_capability=12.0),) * 2})
    assert newer.title == "PyTorch is older than this GPU"
    assert "sm_120" in newer.remedy
    older = only(torch={"devices": (replace(SEEN, compute_capability=5.2),) * 2})
    assert older.title == "This PyTorch has no code for this GPU"
    assert "older CUDA" in older.remedy


def test_a_mac_under_rosetta_without_metal_and_with_an_old_system() -> None:
    def name(**changed: Any) -> str:
        (finding,) = findings(MAC, replace(MAC_TORCH, **changed), ENVIRONMENT)
        return finding.name

    assert name(architecture="x86_64", mps_available=False) == "torch.rosetta"
    assert name(mps_built=False, mps_available=False) == "torch.cpu-build"
    assert name(mps_available=False) == "torch.no-gpu"


def test_one_thread_for_many_cores_is_noted_with_its_reason() -> None:
    environment = replace(ENVIRONMENT, variables={"OMP_NUM_THREADS": "1"})
    (finding,) = findings(replace(MACHINE, gpus=()), replace(TORCH, **CPU_BUILD, threads=1), environment)
    assert finding.name == "threads.few"
    assert "OMP_NUM_THREADS is 1" in finding.what


def test_cards_that_nobody_can_count_are_a_problem_where_there_are_traces() -> None:
    note = "The number of GPUs is unknown: there is an NVIDIA driver, but it does not answer (Driver Not Loaded)."
    finding = only(gpus=None, notes=(note,), torch={"devices": ()})
    assert finding.name == "gpu.unknown"
    assert "Driver Not Loaded" in finding.what
    assert finding.commands == ("nvidia-smi",)


def test_a_card_that_is_full_is_told_of_besides_its_users() -> None:
    names = [one.name for one in found(doing={"memory_used_bytes": 23 * GIB, "processes": (GpuProcess(23 * GIB, 42),)})]
    assert names == ["gpu.shared", "gpu.full"]


def test_findings_about_cards_name_the_card() -> None:
    finding = only(doing={"processes": (GpuProcess(8_500_000_000, 4711), GpuProcess(None, 4712))})
    assert finding.title == "GPU 0 (Some Card) is used by other programs"
    assert "Process 4711 (8.5 GB) and process 4712" in finding.what


def test_the_worst_stands_first() -> None:
    severities = [one.severity for one in found(torch=CPU_BUILD, quota_cores=9.5, swap_used_bytes=GIB)]
    assert severities == [Severity.PROBLEM, Severity.WARNING, Severity.NOTE]


def test_the_remedy_fits_the_place() -> None:
    small = {"shared_memory": Disk(total_bytes=64 * 2**20)}
    assert only(environment=small).commands == ("sudo mount -o remount,size=8G /dev/shm",)
    assert only(environment=small, container="docker").commands == ("docker run --shm-size=8g ...",)
    assert "no_turbo" in only(clocks=Clocks(driver="intel_pstate", turbo=False)).commands[0]
    assert "boost" in only(clocks=Clocks(driver="acpi-cpufreq", turbo=False)).commands[0]


@pytest.mark.parametrize(
    ("changed", "usable"),
    [
        ({}, True),
        ({"error": "missing"}, None),
        (CPU_BUILD, False),
        ({"devices": (SEEN, replace(SEEN, compute_capability=6.1))}, False),
        ({"architectures": ("compute_70",)}, True),
        ({"gpu_available": None}, None),
    ],
)
def test_whether_torch_can_use_the_gpu(changed: dict[str, Any], usable: bool | None) -> None:
    assert gpu_usable_by_torch(MACHINE, replace(TORCH, **changed)) is usable


def test_torch_uses_the_gpu_of_a_mac_through_metal() -> None:
    assert gpu_usable_by_torch(MAC, MAC_TORCH) is True
    assert gpu_usable_by_torch(Machine(gpus=()), MAC_TORCH) is None
