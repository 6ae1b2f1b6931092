"""Cards that are divided (MIG, MPS, HAMi): a process is given a part, and never has the memory of the whole card."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from advisor.machine.detection.detection import detect, look_closer
from advisor.machine.machine import Machine

from .recorded import RecordedHost
from .recorded_nvml import RecordedCard, RecordedDriver, recorded_nvml

GIB = 2**30
WHOLE = RecordedCard("NVIDIA A100-SXM4-80GB", 80 * GIB, (8, 0), 4, 16, mig=0, uuid="GPU-1111aaaa-0000", used=0)
SMALL = RecordedCard("NVIDIA A100-SXM4-80GB MIG 1g.10gb", 10 * GIB, (8, 0), uuid="MIG-2222bbbb-0000")
LARGE = RecordedCard("NVIDIA A100-SXM4-80GB MIG 3g.40gb", 40 * GIB, (8, 0), uuid="MIG-3333cccc-0000")
DIVIDED = replace(WHOLE, mig=1, uuid="GPU-4444dddd-0000", instances=(None, LARGE, None, SMALL))


def machine(folder: Path, *cards: RecordedCard, **variables: str) -> Machine:
    (folder / "proc/driver/nvidia").mkdir(parents=True)
    pairs = frozenset((first, second) for second in range(len(cards)) for first in range(second))
    driver = recorded_nvml(*cards, driver=RecordedDriver(nvlinked=pairs, readable=pairs))
    return detect(folder, RecordedHost(driver=driver, variables=variables))


def seen(found: Machine) -> tuple[int | None, float | None]:
    facts: dict[str, Any] = found.facts()
    size = facts.get("machine.gpu.memory_bytes")
    return facts.get("machine.gpu.count"), None if size is None else size / GIB


@pytest.mark.parametrize(
    ("cards", "visible", "count", "gibibytes"),
    [
        ((DIVIDED,), None, 1, 40),  # the first instance
        ((DIVIDED,), "MIG-2222bbbb-0000", 1, 10),
        ((DIVIDED,), "MIG-2222", 1, 10),  # a beginning of the name
        ((DIVIDED,), "0", 1, 40),
        ((DIVIDED,), "GPU-4444dddd-0000", 1, 40),
        ((DIVIDED,), "MIG-9999", 1, None),  # of another container: not listed here
        ((DIVIDED,), "MIG-GPU-4444dddd-0000/1/0", 1, None),  # as drivers before 470 named them
        ((replace(DIVIDED, instances=None),), None, 1, None),
        ((replace(DIVIDED, instances=(replace(SMALL, memory=None),)),), None, 1, None),
        ((WHOLE, DIVIDED), None, 1, 40),  # no undivided card is seen beside an instance
        ((WHOLE, DIVIDED), "0", 1, 80),
        ((WHOLE, DIVIDED, WHOLE), "2,0", 2, 80),
        ((WHOLE, DIVIDED), "1", 1, 40),
        ((DIVIDED, replace(DIVIDED, uuid="GPU-5", instances=(SMALL,))), None, 1, 40),
        ((replace(DIVIDED, instances=()), WHOLE), None, 1, 80),  # divided into nothing: not seen at all
        ((replace(DIVIDED, instances=()),), None, 0, None),
        ((WHOLE, WHOLE), None, 2, 80),
        ((DIVIDED,), "", 0, None),
        ((DIVIDED,), "-1", 0, None),
        ((WHOLE, DIVIDED), "-1,0", 0, None),
        ((WHOLE, DIVIDED), "GPU-9999", 0, None),  # there is none of this name
    ],
)
def test_a_process_sees_one_instance_with_its_own_memory(
    cards: tuple[RecordedCard, ...], visible: str | None, count: int, gibibytes: int | None, tmp_path: Path
) -> None:
    variables = {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}
    assert seen(machine(tmp_path, *cards, **variables)) == (count, gibibytes)


@pytest.mark.parametrize("visible", ["", "-1"])
def test_hidden_instances_are_noted(visible: str, tmp_path: Path) -> None:
    notes = machine(tmp_path, DIVIDED, CUDA_VISIBLE_DEVICES=visible).notes
    assert f"CUDA_VISIBLE_DEVICES is {visible!r}: no program sees a GPU." in notes


def test_the_note_names_the_instance_and_how_to_use_the_others(tmp_path: Path) -> None:
    found = machine(tmp_path, DIVIDED)
    assert any(
        "one of them. The plan is for NVIDIA A100-SXM4-80GB MIG 3g.40gb, 40 GiB; the other 1 take" in note
        for note in found.notes
    )
    assert found.facts()["machine.gpu.name"] == "NVIDIA A100-SXM4-80GB MIG 3g.40gb"
    assert found.gpu_pairs == ()


@pytest.mark.parametrize("instances", [None, (replace(SMALL, memory=None),)])
def test_memory_that_is_not_known_is_noted_with_a_remedy(instances: Any, tmp_path: Path) -> None:
    notes = " ".join(machine(tmp_path, replace(DIVIDED, instances=instances)).notes)
    assert "Its memory is not known: state it with machine.gpu.memory_bytes" in notes
    assert ("does not list the instances of GPU 0 (Function Not Found)" in notes) == (instances is None)


def test_a_card_without_instances_is_noted(tmp_path: Path) -> None:
    assert "is divided into instances (MIG), but holds none" in " ".join(
        machine(tmp_path, replace(DIVIDED, instances=())).notes
    )


def test_a_library_that_is_older_than_mig_leaves_the_memory_unknown(tmp_path: Path) -> None:
    (tmp_path / "proc/driver/nvidia").mkdir(parents=True)
    driver = recorded_nvml(DIVIDED)
    del driver.nvmlDeviceGetMigDeviceHandleByIndex
    found = detect(tmp_path, RecordedHost(driver=driver))
    assert seen(found) == (1, None)
    assert "nvidia-ml-py that is installed is older than MIG" in " ".join(found.notes)


def test_the_state_of_the_whole_card_is_not_that_of_an_instance(tmp_path: Path) -> None:
    (tmp_path / "proc/driver/nvidia").mkdir(parents=True)
    host = RecordedHost(driver=recorded_nvml(DIVIDED))
    closer = look_closer(detect(tmp_path, host), tmp_path, host)
    assert closer.gpus is not None
    assert closer.gpus[0].state is None


def test_another_mode_after_the_next_reset_is_noted_and_does_not_hold_yet(tmp_path: Path) -> None:
    found = machine(tmp_path, replace(WHOLE, mig_next=1))
    assert seen(found) == (1, 80)
    assert "After the next reset of the cards another mode of MIG holds: GPU 0 divided." in found.notes


@pytest.mark.parametrize(
    ("variable", "value", "gibibytes"),
    [
        ("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "0=12G", 12),
        ("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "1=12G", 80),
        ("CUDA_DEVICE_MEMORY_LIMIT_0", "8192m", 8),
        ("CUDA_DEVICE_MEMORY_LIMIT", "16g", 16),
        ("CUDA_DEVICE_MEMORY_LIMIT", "500g", 80),
        ("CUDA_DEVICE_MEMORY_LIMIT", "much", 80),
    ],
)
def test_settings_of_shared_cards_limit_their_memory(variable: str, value: str, gibibytes: int, tmp_path: Path) -> None:
    found = machine(tmp_path, WHOLE, **{variable: value})
    assert seen(found) == (1, gibibytes)
    assert any(variable in note for note in found.notes) == (gibibytes < 80)
