"""Processor, memory and limits, on recorded machines and on this one."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor import safe_yaml
from advisor.machine.cards import Gpu
from advisor.machine.detection.detection import Machine, detect
from advisor.resources import rules_folder

from .recorded import RecordedHost, recorded_machine, unpacked

GIB = 2**30


def test_a_laptop_has_two_threads_on_each_core() -> None:
    laptop = recorded_machine("laptop-with-smt", threads_by_affinity=8)
    assert laptop.cpu_model == "11th Gen Intel(R) Core(TM) i7-1165G7 @ 2.80GHz"
    assert (laptop.physical_cores, laptop.logical_cores, laptop.usable_cores) == (4, 8, 8)
    assert laptop.features == frozenset({"avx2", "avx512"})
    assert laptop.memory_bytes == 16113784 * 1024
    assert laptop.gpus == ()
    assert laptop.notes == ()


def test_affinity_narrows_the_usable_cores() -> None:
    laptop = recorded_machine("laptop-with-smt", threads_by_affinity=2)
    assert (laptop.logical_cores, laptop.usable_cores) == (8, 2)


def test_core_numbers_repeat_on_the_second_socket() -> None:
    server = recorded_machine("two-socket-server", threads_by_affinity=32)
    assert (server.physical_cores, server.logical_cores, server.usable_cores) == (16, 32, 32)
    assert server.features == frozenset({"avx2"})


def test_the_huge_number_of_version_1_is_no_limit() -> None:
    assert recorded_machine("two-socket-server").memory_bytes == 131914112 * 1024


def test_the_pod_around_a_container_limits_its_cores_and_the_container_its_memory() -> None:
    pod = recorded_machine("container-v2-nested-quota", threads_by_affinity=8)
    assert pod.usable_cores == 2  # 1.5 cores for the pod, 4 for the container
    assert pod.memory_bytes == 2 * GIB  # 4 GiB for the pod, 2 GiB for the container
    assert pod.features == frozenset({"avx2", "avx512", "avx512_bf16", "amx_bf16"})


def test_version_1_quota_counts_started_cores() -> None:
    container = recorded_machine("container-v1-quota", threads_by_affinity=4)
    assert container.usable_cores == 3  # 2.5 cores
    assert container.memory_bytes == 3 * GIB
    assert (container.physical_cores, container.logical_cores) == (2, 4)


def test_affinity_and_quota_do_not_add_up() -> None:
    assert recorded_machine("container-v1-quota", threads_by_affinity=1).usable_cores == 1


def test_an_arm_server_gives_numbers_for_a_name() -> None:
    server = recorded_machine("arm-server", architecture="aarch64", threads_by_affinity=4)
    assert server.cpu_model == "Arm Neoverse-V1"
    assert (server.physical_cores, server.logical_cores) == (4, 4)
    assert server.features == frozenset({"neon", "sve"})


def test_both_versions_of_groups_at_once() -> None:
    virtual = recorded_machine("virtual-machine-hybrid-groups", threads_by_affinity=2)
    assert (virtual.physical_cores, virtual.usable_cores) == (2, 2)
    assert virtual.memory_bytes == 24684096 * 1024


def test_a_mac_is_asked_through_sysctl() -> None:
    kernel = {"machdep.cpu.brand_string": "Apple M1 Max", "hw.physicalcpu": "10", "hw.logicalcpu": "10"}
    mac = recorded_machine("nowhere", system="Darwin", architecture="arm64", sysctls=kernel, memory=32 * GIB)
    assert (mac.cpu_model, mac.physical_cores, mac.usable_cores) == ("Apple M1 Max", 10, 10)
    assert mac.features == frozenset({"neon"})
    assert mac.facts()["machine.gpu.backend"] == "mps"
    assert "machine.gpu.memory_bytes" not in mac.facts()  # it shares the main memory


def test_windows_is_asked_through_cpuid() -> None:
    processor = ("AMD Ryzen 9 7950X 16-Core Processor", frozenset({"avx2", "avx512f", "avx512_bf16"}))
    host = {"system": "Windows", "threads": 32, "cores": 16, "threads_by_affinity": 32, "memory": 64 * GIB}
    windows = recorded_machine("nowhere", processor=processor, **host)
    assert windows.cpu_model == "AMD Ryzen 9 7950X 16-Core Processor"
    assert windows.features == frozenset({"avx2", "avx512", "avx512_bf16"})
    assert (windows.physical_cores, windows.logical_cores) == (16, 32)


def test_a_mac_whose_kernel_does_not_answer_is_asked_through_cpuid() -> None:
    processor = ("Intel(R) Core(TM) i7-8750H CPU @ 2.20GHz", frozenset({"avx2"}))
    mac = recorded_machine("nowhere", system="Darwin", threads=12, cores=6, processor=processor)
    assert (mac.cpu_model, mac.physical_cores, mac.features) == (processor[0], 6, frozenset({"avx2"}))


def test_where_proc_is_missing_this_processor_tells_its_name_and_features(tmp_path: Path) -> None:
    """The files of this machine stand in for the truth; py-cpuinfo answers for a root that has none."""
    here, without_proc = detect(), detect(tmp_path)
    assert without_proc.cpu_model
    assert without_proc.features == here.features
    assert without_proc.logical_cores == here.logical_cores
    assert not [note for note in without_proc.notes if "unknown" in note]


def test_where_proc_exists_nothing_slow_is_asked() -> None:
    class Asking(RecordedHost):
        def cpuid(self) -> NoReturn:
            raise AssertionError("over a second")

    assert detect(unpacked("laptop-with-smt"), Asking()).features == frozenset({"avx2", "avx512"})


def test_what_nobody_says_stays_unknown() -> None:
    silent = recorded_machine("nowhere", system="Windows")
    assert silent.facts() == {}
    assert any("py-cpuinfo" in note for note in silent.notes)


def test_a_file_that_cannot_be_read_is_noted(tmp_path: Path) -> None:
    (tmp_path / "proc/cpuinfo").mkdir(parents=True)  # a folder where a file belongs
    machine = detect(tmp_path, RecordedHost(threads=4, cores=2, threads_by_affinity=4))
    assert machine.physical_cores == 2
    assert any(note.startswith("/proc/cpuinfo cannot be read") for note in machine.notes)


def test_facts_carry_the_names_of_the_vocabulary() -> None:
    assert recorded_machine("arm-server", threads_by_affinity=3).facts() == {
        "machine.cpu.model": "Arm Neoverse-V1",
        "machine.cpu.physical_cores": 4,
        "machine.cpu.logical_cores": 4,
        "machine.cpu.usable_cores": 3,
        "machine.cpu.sockets": 1,
        "machine.cpu.features": frozenset({"neon", "sve"}),
        "machine.memory_bytes": 15903744 * 1024,
        "machine.gpu.count": 0,
    }


MACHINE = Machine("Some CPU", 8, 16, 16, frozenset(), 64 * GIB, (Gpu("cuda", "Card"),))


@pytest.mark.parametrize(
    "other",
    [
        {"cpu_model": "Other CPU"},
        {"physical_cores": 4},
        {"usable_cores": 2},
        {"memory_bytes": 32 * GIB},
        {"gpus": ()},
        {"gpus": None},
        {"gpus": (Gpu("cuda", "Card"), Gpu("cuda", "Card"))},
    ],
)
def test_another_machine_or_quota_has_another_fingerprint(other: dict[str, object]) -> None:
    assert dataclasses.replace(MACHINE, **other).fingerprint != MACHINE.fingerprint  # type: ignore[arg-type]


@settings(deadline=None)
@given(st.integers(min_value=-(2**20), max_value=2**20), st.text())
def test_a_new_kernel_keeps_the_fingerprint(bytes_more: int, note: str) -> None:
    later = dataclasses.replace(MACHINE, memory_bytes=64 * GIB + bytes_more, notes=(note,))
    assert later.fingerprint == MACHINE.fingerprint


quotas = st.one_of(st.none(), st.integers(min_value=1_000, max_value=3_200_000))


@settings(deadline=None)
@given(st.lists(quotas, min_size=1, max_size=5))
def test_the_tightest_quota_of_all_ancestors_holds(chain: list[int | None]) -> None:
    """Oracle: threads = 16 unless the smallest quota, in started cores, is less."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        group = root / "sys/fs/cgroup"
        for depth, quota in enumerate(chain):
            group /= f"level{depth}"
            group.mkdir(parents=True)
            (group / "cpu.max").write_text(f"{quota or 'max'} 100000\n")
        path = "/".join(f"level{depth}" for depth in range(len(chain)))
        (root / "proc/self").mkdir(parents=True)
        (root / "proc/self/cgroup").write_text(f"0::/{path}\n")
        (root / "proc/self/mountinfo").write_text("26 24 0:23 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
        machine = detect(root, RecordedHost(threads=16, cores=8))
    stated = [quota for quota in chain if quota is not None]
    assert machine.usable_cores == min([16, *(-(-quota // 100_000) for quota in stated)])


@settings(deadline=None)
@given(st.text(max_size=400), st.text(max_size=200), st.text(max_size=200))
def test_strange_files_never_stop_detection(cpuinfo: str, groups: str, mounts: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "proc/self"
        own.mkdir(parents=True)
        for path, text in (
            (own.parent / "cpuinfo", cpuinfo),
            (own / "cgroup", groups),
            (own / "mountinfo", mounts),
        ):
            path.write_text(text, encoding="utf-8", errors="replace")
        assert detect(Path(folder), RecordedHost(threads=2)).usable_cores is not None


@pytest.mark.parametrize(
    ("group", "mounted", "usable"),
    [
        ("/", "/", 1),  # a container with names of its own
        ("/docker/4be7", "/docker/4be7", 1),  # one that sees the host's names
        ("/system.slice/docker-4be7.scope", "/docker/4be7", 1),  # one whose mount shows other names
        ("/../../elsewhere", "/", 8),  # a process outside of what is shown is not limited by it
    ],
)
def test_the_limit_of_the_mounted_group_holds(tmp_path: Path, group: str, mounted: str, usable: int) -> None:
    own, groups = tmp_path / "proc/self", tmp_path / "sys/fs/cgroup"
    own.mkdir(parents=True)
    groups.mkdir(parents=True)
    (own / "cgroup").write_text(f"0::{group}\n")
    (own / "mountinfo").write_text(f"26 24 0:23 {mounted} /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n")
    (groups / "cpu.max").write_text("50000 100000\n")
    assert detect(tmp_path, RecordedHost(threads=8)).usable_cores == usable


def test_every_fact_is_declared_in_the_vocabulary() -> None:
    vocabulary = safe_yaml.load_file(rules_folder() / "facts.yaml")
    assert isinstance(vocabulary, safe_yaml.Mapping)
    facts = vocabulary.items["facts"]
    assert isinstance(facts, safe_yaml.Mapping)
    detected = dataclasses.replace(MACHINE, gpus=(Gpu("cuda", "Card", 24 * GIB, 8.9),)).facts()
    assert set(detected) <= set(facts.items)
    assert len(detected) == 11


def test_detection_on_linux_imports_nothing_heavy() -> None:
    program = (
        "import pathlib, sys; from advisor.machine.detection.detection import detect;"
        "detect(pathlib.Path(sys.argv[1]));"
        "print(sorted({'torch', 'psutil', 'pynvml', 'yaml', 'cpuinfo'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", program, str(unpacked("laptop-with-smt"))]
    printed = subprocess.run(command, capture_output=True, text=True, check=True)
    assert printed.stdout.strip() == "[]"


def test_this_machine_describes_itself() -> None:
    here = detect()
    assert here.logical_cores is not None
    assert here.usable_cores is not None
    assert here.memory_bytes is not None
    assert 1 <= here.usable_cores <= here.logical_cores
    assert here.physical_cores is None or here.physical_cores <= here.logical_cores
    assert here.fingerprint == detect().fingerprint


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="affinity can be set on Linux only")
def test_this_machine_pinned_to_one_thread_has_one_usable_core() -> None:
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        assert detect().usable_cores == 1
    finally:
        os.sched_setaffinity(0, allowed)
