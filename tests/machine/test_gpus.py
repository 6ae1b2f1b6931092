"""GPUs: only what answers is known, and `none` is said only after looking. NVML is a stand-in here."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.machine.detection import Machine, detect

from .recorded import (
    RecordedCard,
    RecordedHost,
    RecordedLibraryNotFoundError,
    RecordedNvmlError,
    recorded_machine,
    recorded_nvml,
)

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


@pytest.mark.gpu
def test_the_real_driver_answers() -> None:
    machine = detect()
    assert machine.gpus, machine.notes
    for gpu in machine.gpus:
        assert gpu.backend == "cuda"
        assert gpu.name
        assert gpu.memory_bytes is not None
        assert gpu.memory_bytes > 1e9
        assert gpu.compute_capability is not None
        assert gpu.compute_capability >= 3.0
