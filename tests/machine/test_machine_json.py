"""A machine as JSON: the same machine comes back, damage is named, and the anonymous form names nobody."""

from __future__ import annotations

import json
from typing import Any

import pytest

from advisor.machine.cards import Gpu, GpuDriver, GpuPair, GpuProcess, GpuState, Throttle, Topology
from advisor.machine.machine import Machine
from advisor.machine.parts import Cache, CacheKind, Clocks, Disk, DiskKind, MemoryModules, NumaNode

FULL = Machine(
    cpu_model="Some CPU",
    physical_cores=2,
    logical_cores=4,
    usable_cores=3,
    features=frozenset({"avx2", "avx512"}),
    memory_bytes=64 * 2**30,
    gpus=(
        Gpu(
            "cuda",
            "Card",
            24 * 2**30,
            8.9,
            4,
            16,
            power_limit_watts=450.0,
            nvlinks=0,
            mig=False,
            ecc=False,
            uuid="GPU-secret",
            state=GpuState(
                memory_used_bytes=10**9,
                pcie_generation=1,
                throttling=(Throttle.POWER_CAP,),
                processes=(GpuProcess(10**9, 4711),),
            ),
        ),
    ),
    notes=("a note about secret",),
    system="Linux",
    architecture="x86_64",
    sockets=1,
    cores=((0, 2), (1, 3)),
    usable_threads=(0, 1, 2),
    quota_cores=2.5,
    gpu_driver=GpuDriver("570.1", "12.8"),
    gpu_pairs=(GpuPair(0, 1, Topology.HOST_BRIDGE, False, True),),
    host_name="secret",
    kernel="6.1",
    smt=True,
    caches=(Cache(1, CacheKind.DATA, 32768, 2, 2),),
    numa_nodes=(NumaNode(0, (0, 1, 2, 3), 64 * 2**30, (10,)),),
    memory_nodes=(0,),
    clocks=Clocks(("performance",), (), "acpi-cpufreq", 10**9, None, 3 * 10**9, True),
    memory_modules=MemoryModules(2, "DDR5", 4_800_000_000, 2),
    memory_available_bytes=10**9,
    swap_bytes=0,
    swap_used_bytes=0,
    virtual=True,
    hypervisor="KVM",
    container="docker",
    disks=(Disk(DiskKind.NVME, "ext4", False, 10**12, 10**11, "/secret", "/secret", "/dev/secret"),),
)


@pytest.mark.parametrize("machine", [FULL, Machine(), Machine(gpus=(), quota_cores=2)])
def test_a_machine_comes_back_from_json(machine: Machine) -> None:
    assert Machine.from_json(json.loads(json.dumps(machine.to_json(), allow_nan=False))) == machine


def test_json_says_what_it_is_and_which_machine() -> None:
    assert FULL.to_json()["schema"] == "advisor/machine/1"
    assert FULL.to_json()["fingerprint"] == FULL.fingerprint


def test_unknown_keys_are_ignored_and_missing_ones_are_unknown() -> None:
    assert Machine.from_json({"cpu_model": "Some CPU", "moon_phase": "full"}) == Machine(cpu_model="Some CPU")


@pytest.mark.parametrize(
    ("damage", "place"),
    [
        ({"physical_cores": "many"}, "machine.physical_cores"),
        ({"physical_cores": True}, "machine.physical_cores"),
        ({"quota_cores": float("nan")}, "machine.quota_cores"),
        ({"features": "avx2"}, "machine.features"),
        ({"cores": [[0], ["one"]]}, r"machine.cores\[1\]\[0\]"),
        ({"gpus": [{"name": "no backend"}]}, r"machine.gpus\[0\]: backend is missing"),
        ({"caches": [{"level": 1, "kind": "round"}]}, r"machine.caches\[0\].kind"),
        ({"clocks": 3}, "machine.clocks"),
        ({"notes": None}, "machine.notes"),
    ],
)
def test_damage_is_named_with_its_place(damage: dict[str, Any], place: str) -> None:
    with pytest.raises(ValueError, match=place):
        Machine.from_json(damage)


@pytest.mark.parametrize("data", [None, [], "machine", 3])
def test_what_is_no_mapping_is_no_machine(data: object) -> None:
    with pytest.raises(ValueError, match="a mapping is expected"):
        Machine.from_json(data)


def test_the_anonymous_form_keeps_the_figures_and_names_nobody() -> None:
    bare = FULL.anonymous()
    text = json.dumps(bare.to_json())
    assert "secret" not in text
    assert "4711" not in text
    assert bare.fingerprint == FULL.fingerprint
    assert bare.facts() == FULL.facts()
    assert bare.disks[0].kind is DiskKind.NVME
    assert bare.gpus is not None
    assert bare.gpus[0].state is not None
    assert bare.gpus[0].state.processes == (GpuProcess(10**9),)
