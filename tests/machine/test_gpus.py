"""GPUs: only what answers is known, and `none` is said only after looking. NVML is a stand-in here."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.machine.cards import Throttle, Topology
from advisor.machine.detection.detection import Machine, detect, look_closer
from advisor.machine.doctor.architecture import gpu_usable_by_torch
from advisor.machine.doctor.doctor import findings
from advisor.machine.doctor.finding import Environment
from advisor.machine.gpus import nvidia
from advisor.probes.ask_torch import ask_torch

from .recorded import RecordedHost, recorded_machine
from .recorded_nvml import RecordedCard, RecordedDriver, RecordedLibraryNotFoundError, RecordedNvmlError, recorded_nvml

A100 = RecordedCard("NVIDIA A100-SXM4-80GB", 85899345920, (8, 0), generation=4, lanes=16)
T4 = RecordedCard("Tesla T4", 16106127360, (7, 5), generation=3, lanes=16)


def with_driver(root: Path, nvml: object, **answers: object) -> Machine:
    """Detection on a Linux that has NVIDIA's kernel driver."""
    (root / "proc/driver/nvidia").mkdir(parents=True)
    return detect(root, RecordedHost(driver=nvml, **answers))  # type: ignore[arg-type]


def test_cards_answer_for_themselves(tmp_path: Path) -> None:
    machine = with_driver(tmp_path, recorded_nvml(A100, A100))
    assert machine.gpus is not None
    assert (machine.gpus[0].pcie_generation, machine.gpus[0].pcie_lanes) == (4, 16)
    assert machine.facts() == {
        "machine.gpu.count": 2,
        "machine.gpu.name": "NVIDIA A100-SXM4-80GB",
        "machine.gpu.backend": "cuda",
        "machine.gpu.memory_bytes": 85899345920,
        "machine.gpu.compute_capability": 8.0,
    }


def test_different_cards_are_described_by_what_all_of_them_have(tmp_path: Path) -> None:
    machine = with_driver(tmp_path, recorded_nvml(A100, T4))
    facts = machine.facts()
    assert facts["machine.gpu.count"] == 2
    assert facts["machine.gpu.memory_bytes"] == 16106127360
    assert facts["machine.gpu.compute_capability"] == 7.5
    assert "machine.gpu.name" not in facts
    assert any("The GPUs differ" in note for note in machine.notes)


def test_a_question_that_fails_leaves_the_others_answered(tmp_path: Path) -> None:
    shy = RecordedCard("NVIDIA Something", memory=None, capability=(9, 0), generation=5, lanes=16)
    machine = with_driver(tmp_path, recorded_nvml(shy))
    assert machine.facts()["machine.gpu.compute_capability"] == 9.0
    assert "machine.gpu.memory_bytes" not in machine.facts()
    assert "GPU 0 does not tell its memory (Not Supported)." in machine.notes


def test_the_session_with_the_driver_is_closed(tmp_path: Path) -> None:
    sessions: list[str] = []
    with_driver(tmp_path, recorded_nvml(T4, sessions=sessions))
    assert sessions == ["start", "end"]


@pytest.mark.parametrize("error", [RecordedNvmlError("Driver Not Loaded"), RecordedLibraryNotFoundError("Not Found")])
def test_a_driver_that_does_not_answer_leaves_the_count_unknown(tmp_path: Path, error: Exception) -> None:
    machine = with_driver(tmp_path, recorded_nvml(start=error))
    assert machine.gpus is None
    assert "machine.gpu.count" not in machine.facts()
    assert any("The number of GPUs is unknown" in note and str(error) in note for note in machine.notes)


def test_a_driver_without_its_python_module_leaves_the_count_unknown(tmp_path: Path) -> None:
    machine = with_driver(tmp_path, None)
    assert machine.gpus is None
    assert any("install nvidia-ml-py" in note for note in machine.notes)


def test_a_driver_without_cards_means_none(tmp_path: Path) -> None:
    assert with_driver(tmp_path, recorded_nvml()).gpus == ()


def test_a_hidden_card_is_noted(tmp_path: Path) -> None:
    machine = with_driver(tmp_path, recorded_nvml(T4), variables={"CUDA_VISIBLE_DEVICES": ""})
    assert any("CUDA_VISIBLE_DEVICES" in note for note in machine.notes)


def test_no_trace_of_a_gpu_means_none() -> None:
    assert recorded_machine("laptop-with-smt").facts()["machine.gpu.count"] == 0


def test_an_nvidia_card_without_a_driver_is_not_called_no_gpu(tmp_path: Path) -> None:
    card = tmp_path / "sys/bus/pci/devices/0000:01:00.0"
    card.mkdir(parents=True)
    (card / "vendor").write_text("0x10de\n")
    (card / "class").write_text("0x030000\n")
    machine = detect(tmp_path, RecordedHost())
    assert "machine.gpu.count" not in machine.facts()
    assert any("no NVIDIA driver" in note for note in machine.notes)


def test_the_sound_device_of_a_card_is_no_card(tmp_path: Path) -> None:
    sound = tmp_path / "sys/bus/pci/devices/0000:01:00.1"
    sound.mkdir(parents=True)
    (sound / "vendor").write_text("0x10de\n")
    (sound / "class").write_text("0x040300\n")
    assert detect(tmp_path, RecordedHost()).gpus == ()


def test_amd_cards_are_listed_by_their_kernel_driver() -> None:
    facts = recorded_machine("amd-gpus").facts()
    assert facts["machine.gpu.count"] == 2
    assert facts["machine.gpu.backend"] == "rocm"
    assert facts["machine.gpu.name"] == "AMD gfx90a"
    assert facts["machine.gpu.memory_bytes"] == 68702699520
    assert "machine.gpu.compute_capability" not in facts


def test_amd_cards_that_are_not_passed_into_a_container_leave_the_count_unknown(tmp_path: Path) -> None:
    node = tmp_path / "sys/class/kfd/kfd/topology/nodes/1"
    node.mkdir(parents=True)
    (node / "properties").write_text("simd_count 440\ngfx_target_version 90402\n")
    machine = detect(tmp_path, RecordedHost())
    assert machine.gpus is None
    assert any("/dev/kfd is missing" in note for note in machine.notes)


def test_on_windows_only_nvidia_is_looked_for(tmp_path: Path) -> None:
    missing = recorded_nvml(start=RecordedLibraryNotFoundError("Not Found"))
    assert detect(tmp_path, RecordedHost(system="Windows", driver=missing)).gpus is None
    found = detect(tmp_path, RecordedHost(system="Windows", driver=recorded_nvml(T4)))
    assert found.facts()["machine.gpu.name"] == "Tesla T4"


def test_a_mac_is_known_by_its_processor_also_from_a_translated_program() -> None:
    apple = {"machdep.cpu.brand_string": "Apple M4 Max", "hw.optional.arm64": "1"}
    translated = recorded_machine("nowhere", system="Darwin", architecture="x86_64", sysctls=apple)
    assert translated.facts()["machine.gpu.backend"] == "mps"
    intel = recorded_machine("nowhere", system="Darwin", architecture="x86_64")
    assert intel.gpus is None


FOUR = (A100,) * 4


def joined(root: Path, links: set[tuple[int, int]] | None, levels: dict[tuple[int, int], int]) -> Machine:
    """Four cards with these links and topology levels."""
    driver = RecordedDriver(levels=levels, nvlinked=None if links is None else frozenset(links))
    return with_driver(root, recorded_nvml(*FOUR, driver=driver))


PAIRS = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


@pytest.mark.parametrize(
    ("links", "fact"),
    [
        (set(PAIRS), True),
        ({(0, 1), (1, 2), (2, 3)}, True),  # through a third card
        ({(0, 1), (2, 3)}, False),  # two bridged pairs
        (set(), False),
        (None, None),
    ],
)
def test_nvlink_holds_when_it_reaches_all_cards(
    tmp_path: Path, links: set[tuple[int, int]] | None, fact: bool | None
) -> None:
    assert joined(tmp_path, links, {}).facts().get("machine.gpu.nvlink") == fact


@pytest.mark.parametrize(
    ("levels", "fact"),
    [
        (dict.fromkeys(PAIRS, 10), True),  # one switch
        (dict.fromkeys(PAIRS, 20), True),  # switches in a row
        ({**dict.fromkeys(PAIRS, 10), (2, 3): 30}, False),  # one pair meets at the processor
        ({(0, 1): 10}, None),
        ({(0, 1): 50}, False),
        ({}, None),
    ],
)
def test_cards_share_a_bus_when_every_pair_meets_at_a_switch(
    tmp_path: Path, levels: dict[tuple[int, int], int], fact: bool | None
) -> None:
    assert joined(tmp_path, None, levels).facts().get("machine.gpu.same_pcie_bus") == fact


def test_a_driver_that_falls_silent_leaves_what_was_known(tmp_path: Path) -> None:
    machine = with_driver(tmp_path, recorded_nvml(T4))
    silent = RecordedHost(driver=recorded_nvml(start=RecordedNvmlError("GPU is lost")))
    closer = look_closer(machine, tmp_path, silent)
    assert closer.gpus == machine.gpus
    assert any("GPU is lost" in note for note in closer.notes)


def test_the_numbers_of_the_interface_are_those_of_the_library() -> None:
    import pynvml

    # Its NVML_P2P_CAPS_INDEX_READ is a tuple by mistake, and a call with it fails.
    assert nvidia.P2P_READ == pynvml.NVML_P2P_CAPS_INDEX_WRITE - 1
    assert (nvidia.P2P_NVLINK, nvidia.P2P_OK) == (pynvml.NVML_P2P_CAPS_INDEX_NVLINK, pynvml.NVML_P2P_STATUS_OK)
    assert (nvidia.UNCORRECTED, nvidia.SINCE_START, nvidia.CORE_SENSOR) == (
        pynvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED,
        pynvml.NVML_VOLATILE_ECC,
        pynvml.NVML_TEMPERATURE_GPU,
    )
    throttles = {
        pynvml.nvmlClocksThrottleReasonApplicationsClocksSetting: Throttle.SET_BY_USER,
        pynvml.nvmlClocksThrottleReasonSwPowerCap: Throttle.POWER_CAP,
        pynvml.nvmlClocksThrottleReasonHwSlowdown: Throttle.HARDWARE_SLOWDOWN,
        pynvml.nvmlClocksThrottleReasonSyncBoost: Throttle.SYNC_BOOST,
        pynvml.nvmlClocksThrottleReasonSwThermalSlowdown: Throttle.SOFTWARE_THERMAL,
        pynvml.nvmlClocksThrottleReasonHwThermalSlowdown: Throttle.HARDWARE_THERMAL,
        pynvml.nvmlClocksThrottleReasonHwPowerBrakeSlowdown: Throttle.POWER_BRAKE,
    }
    assert throttles == nvidia.THROTTLES
    topologies = {
        pynvml.NVML_TOPOLOGY_INTERNAL: Topology.BOARD,
        pynvml.NVML_TOPOLOGY_SINGLE: Topology.SWITCH,
        pynvml.NVML_TOPOLOGY_MULTIPLE: Topology.SWITCHES,
        pynvml.NVML_TOPOLOGY_HOSTBRIDGE: Topology.HOST_BRIDGE,
        pynvml.NVML_TOPOLOGY_NODE: Topology.NUMA_NODE,
        pynvml.NVML_TOPOLOGY_SYSTEM: Topology.SYSTEM,
    }
    assert topologies == nvidia.TOPOLOGIES


def test_every_question_is_one_that_the_library_answers() -> None:
    import pynvml

    asked = {name for name in vars(recorded_nvml()) if name.startswith("nvml")}
    assert asked <= set(vars(pynvml))


@pytest.fixture(scope="module")
def real() -> Machine:
    machine = look_closer(detect())
    assert machine.gpus, machine.notes
    return machine


@pytest.mark.gpu
def test_the_real_driver_tells_what_torch_tells(real: Machine) -> None:
    view = ask_torch()
    assert view.error is None
    assert real.gpus is not None
    assert sorted(str(gpu.name) for gpu in real.gpus) == sorted(str(device.name) for device in view.devices)
    for gpu, device in zip(real.gpus, view.devices, strict=True):
        assert gpu.backend == "cuda"
        assert gpu.compute_capability == device.compute_capability
        assert gpu.memory_bytes is not None
        assert device.memory_bytes is not None
        assert 0.9 < device.memory_bytes / gpu.memory_bytes <= 1.0  # the driver keeps a little for itself
    assert gpu_usable_by_torch(real, view) is True


@pytest.mark.gpu
def test_the_real_driver_tells_what_its_cards_do(real: Machine) -> None:
    assert real.gpu_driver is not None
    assert real.gpu_driver.version
    assert real.gpu_driver.cuda
    assert real.gpus is not None
    assert len(real.gpu_pairs) == len(real.gpus) * (len(real.gpus) - 1) // 2
    for gpu in real.gpus:
        assert gpu.uuid
        assert gpu.power_limit_watts is None or 10 < gpu.power_limit_watts < 10_000
        assert gpu.state is not None
        assert gpu.state.memory_used_bytes is not None
        assert gpu.state.memory_free_bytes is not None
        assert gpu.memory_bytes is not None
        assert gpu.state.memory_used_bytes + gpu.state.memory_free_bytes <= gpu.memory_bytes
    assert Machine.from_json(real.to_json()) == real


@pytest.mark.gpu
def test_the_doctor_examines_the_real_machine(real: Machine) -> None:
    names = {finding.name for finding in findings(real, ask_torch(), Environment())}
    assert not names & {"torch.silent", "torch.cpu-build", "torch.no-gpu", "driver.too-old", "torch.architecture"}
