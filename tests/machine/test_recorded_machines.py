"""Every recorded machine in full: what detection and the closer look say of it, field by field."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from advisor.machine.cards import Gpu, GpuDriver, GpuPair, GpuProcess, GpuState, Throttle, Topology
from advisor.machine.detection.detection import Machine, detect, look_closer
from advisor.machine.parts import Cache, CacheKind, Clocks, Disk, DiskKind, NumaNode

from .cards import DESKTOP, DESKTOP_DRIVER, H100, NVSWITCH
from .record import recording
from .recorded import ClosedTree, RecordedHost, examined_machine, unpack, unpacked
from .recorded_nvml import recorded_nvml

KIB, MIB = 2**10, 2**20
DATA, CODE, UNIFIED = CacheKind.DATA, CacheKind.INSTRUCTION, CacheKind.UNIFIED


def threads(count: int) -> tuple[int, ...]:
    return tuple(range(count))


def paired(cores: int) -> tuple[tuple[int, ...], ...]:
    """Cores whose second threads are counted after all first ones."""
    return tuple((core, core + cores) for core in range(cores))


def test_a_laptop_with_smt() -> None:
    found = examined_machine(
        "laptop-with-smt",
        ["/home/someone"],
        threads_by_affinity=8,
        release="6.8.0",
        host_name="laptop",
        spaces={"/home/someone": (500 * 10**9, 100 * 10**9)},
    )
    assert found == Machine(
        cpu_model="11th Gen Intel(R) Core(TM) i7-1165G7 @ 2.80GHz",
        physical_cores=4,
        logical_cores=8,
        usable_cores=8,
        features=frozenset({"avx2", "avx512"}),
        memory_bytes=16113784 * KIB,
        gpus=(),
        system="Linux",
        architecture="x86_64",
        sockets=1,
        cores=paired(4),
        usable_threads=threads(8),
        host_name="laptop",
        kernel="6.8.0",
        smt=True,
        caches=(
            Cache(1, DATA, 48 * KIB, threads=2, instances=4),
            Cache(1, CODE, 32 * KIB, threads=2, instances=4),
            Cache(2, UNIFIED, 1280 * KIB, threads=2, instances=4),
            Cache(3, UNIFIED, 12 * MIB, threads=8, instances=1),
        ),
        numa_nodes=(NumaNode(0, threads(8), 16113784 * KIB, (10,)),),
        memory_nodes=(0,),
        clocks=Clocks(
            governors=("powersave",),
            preferences=("balance_power",),
            driver="intel_pstate",
            now_hertz=1_800_000_000,
            min_hertz=400_000_000,
            max_hertz=4_700_000_000,
            turbo=True,
        ),
        memory_available_bytes=2345678 * KIB,
        swap_bytes=8388604 * KIB,
        swap_used_bytes=1048576 * KIB,
        virtual=False,
        disks=(
            Disk(
                DiskKind.NVME,
                "ext4",
                total_bytes=500 * 10**9,
                free_bytes=100 * 10**9,
                folder="/home/someone",
                mount_point="/",
                device="/dev/nvme0n1p2",
            ),
        ),
    )


def test_a_server_with_smt_two_memory_nodes_and_layered_disks() -> None:
    first, second = (0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15)
    assert examined_machine("smt-server", ["/data/images", "/root"], threads_by_affinity=16) == Machine(
        cpu_model="AMD EPYC 9124 16-Core Processor",
        physical_cores=8,
        logical_cores=16,
        usable_cores=16,
        features=frozenset({"avx2", "avx512", "avx512_bf16"}),
        memory_bytes=131072000 * KIB,
        gpus=(),
        system="Linux",
        architecture="x86_64",
        sockets=1,
        cores=paired(8),
        usable_threads=threads(16),
        smt=True,
        caches=(
            Cache(1, DATA, 32 * KIB, threads=2, instances=8),
            Cache(1, CODE, 32 * KIB, threads=2, instances=8),
            Cache(2, UNIFIED, 1 * MIB, threads=2, instances=8),
            Cache(3, UNIFIED, 16 * MIB, threads=8, instances=2),
        ),
        numa_nodes=(NumaNode(0, first, 65536000 * KIB, (10, 12)), NumaNode(1, second, 65536000 * KIB, (12, 10))),
        memory_nodes=(0, 1),
        clocks=Clocks(("schedutil",), (), "acpi-cpufreq", 3_000_000_000, 1_500_000_000, 3_712_000_000, True),
        memory_available_bytes=120000000 * KIB,
        swap_bytes=0,
        swap_used_bytes=0,
        virtual=False,
        disks=(
            # An array of two NVMe disks, and a logical volume on a partition of an SSD.
            Disk(DiskKind.NVME, "xfs", folder="/data/images", mount_point="/data", device="/dev/md127"),
            Disk(DiskKind.SSD, "ext4", folder="/root", mount_point="/", device="/dev/mapper/vg-root"),
        ),
    )


def test_a_server_with_two_sockets() -> None:
    first, second = (*range(8), *range(16, 24)), (*range(8, 16), *range(24, 32))
    assert examined_machine("two-socket-server", ["/home/someone", "/data"], threads_by_affinity=32) == Machine(
        cpu_model="Intel(R) Xeon(R) CPU E5-2630 v3 @ 2.40GHz",
        physical_cores=16,
        logical_cores=32,
        usable_cores=32,
        features=frozenset({"avx2"}),
        memory_bytes=131914112 * KIB,
        gpus=(),
        system="Linux",
        architecture="x86_64",
        sockets=2,
        cores=paired(16),
        usable_threads=threads(32),
        smt=True,
        numa_nodes=(NumaNode(0, first, 65957056 * KIB, (10, 21)), NumaNode(1, second, 65957056 * KIB, (21, 10))),
        memory_nodes=(0,),
        clocks=Clocks(("performance",), (), "intel_cpufreq", 2_400_000_000, 1_200_000_000, 3_200_000_000, False),
        memory_available_bytes=2345678 * KIB,
        virtual=False,
        disks=(
            Disk(
                DiskKind.NETWORK,
                "nfs4",
                folder="/home/someone",
                mount_point="/home",
                device="fileserver:/export/home",
            ),
            Disk(DiskKind.HDD, "ext4", folder="/data", mount_point="/", device="/dev/sda1"),
        ),
    )


def test_a_container_with_a_quota() -> None:
    spaces = {"/dev/shm": (64 * MIB, 64 * MIB)}  # noqa: S108  a recorded one
    folders = ["/work", *spaces]
    assert examined_machine("container-v2-nested-quota", folders, threads_by_affinity=8, spaces=spaces) == Machine(
        cpu_model="Intel(R) Xeon(R) Platinum 8480+",
        physical_cores=4,
        logical_cores=8,
        usable_cores=2,
        features=frozenset({"avx2", "avx512", "avx512_bf16", "amx_bf16"}),
        memory_bytes=2**31,
        gpus=(),
        system="Linux",
        architecture="x86_64",
        sockets=1,
        cores=paired(4),
        usable_threads=threads(8),
        quota_cores=1.5,
        smt=True,
        memory_nodes=(0,),
        # The container's 2 GiB less 1.9 GB in use, of which 0.6 GB are files that give way.
        memory_available_bytes=2**31 - 1_300_000_000,
        virtual=True,
        container="kubernetes",
        disks=(
            Disk(None, "overlay", folder="/work", mount_point="/", device="overlay"),
            Disk(DiskKind.MEMORY, "tmpfs", False, 64 * MIB, 64 * MIB, folders[1], folders[1], "shm"),
        ),
    )


def test_a_container_under_version_1_of_groups() -> None:
    assert examined_machine("container-v1-quota", threads_by_affinity=4) == Machine(
        cpu_model="AMD EPYC 7571",
        physical_cores=2,
        logical_cores=4,
        usable_cores=3,
        features=frozenset({"avx2"}),
        memory_bytes=3 * 2**30,
        gpus=(),
        system="Linux",
        architecture="x86_64",
        sockets=1,
        cores=((0, 1), (2, 3)),
        usable_threads=threads(4),
        quota_cores=2.5,
        smt=True,
        memory_available_bytes=3 * 2**30 - 10**9,  # of 1 GiB in use, 74 MB are files that give way
        virtual=False,
        container="docker",
    )


def test_an_arm_server() -> None:
    found = examined_machine("arm-server", ["/data"], architecture="aarch64", threads_by_affinity=4)
    assert found == Machine(
        cpu_model="Arm Neoverse-V1",
        physical_cores=4,
        logical_cores=4,
        usable_cores=4,
        features=frozenset({"neon", "sve"}),
        memory_bytes=15903744 * KIB,
        gpus=(),
        system="Linux",
        architecture="aarch64",
        sockets=1,
        cores=((0,), (1,), (2,), (3,)),
        usable_threads=threads(4),
        smt=False,
        caches=(
            Cache(1, DATA, 64 * KIB, threads=1, instances=4),
            Cache(1, CODE, 64 * KIB, threads=1, instances=4),
            Cache(2, UNIFIED, 1 * MIB, threads=1, instances=4),
            Cache(3, UNIFIED, 32 * MIB, threads=4, instances=1),
        ),
        numa_nodes=(NumaNode(0, threads(4), 15903744 * KIB, (10,)),),
        memory_nodes=(0,),
        memory_available_bytes=2345678 * KIB,
        virtual=True,
        hypervisor="Amazon EC2",
        # Its name says NVMe, its model that it is a disk on the network of the data centre.
        disks=(Disk(None, "xfs", virtual=True, folder="/data", mount_point="/", device="/dev/nvme0n1p1"),),
    )


def test_a_virtual_machine() -> None:
    assert examined_machine("virtual-machine-hybrid-groups", ["/data"], threads_by_affinity=2) == Machine(
        cpu_model="AMD EPYC",
        physical_cores=2,
        logical_cores=2,
        usable_cores=2,
        features=frozenset({"avx2", "avx512", "avx512_bf16"}),
        memory_bytes=24684096 * KIB,
        gpus=(),
        system="Linux",
        architecture="x86_64",
        sockets=1,
        cores=((0,), (1,)),
        usable_threads=threads(2),
        smt=False,
        clocks=Clocks(now_hertz=2_596_136_000),
        memory_available_bytes=2345678 * KIB,
        virtual=True,
        hypervisor="QEMU",
        # `rotational` says 1, as virtio does without knowing.
        disks=(Disk(None, "ext4", virtual=True, folder="/data", mount_point="/", device="/dev/vda"),),
    )


def test_a_micro_virtual_machine_as_it_was_recorded() -> None:
    found = examined_machine(
        "micro-vm",
        ["/data"],
        threads_by_affinity=2,
        release="6.18.44",
        spaces={"/data": (270 * 10**9, 200 * 10**9)},
    )
    assert found == Machine(
        cpu_model="AMD EPYC",
        physical_cores=2,
        logical_cores=2,
        usable_cores=2,
        features=frozenset({"avx2", "avx512", "avx512_bf16"}),
        memory_bytes=24684084 * KIB,
        gpus=(),
        system="Linux",
        architecture="x86_64",
        sockets=1,
        cores=((0,), (1,)),
        usable_threads=threads(2),
        kernel="6.18.44",
        smt=False,
        caches=(
            Cache(1, DATA, 32 * KIB, threads=1, instances=2),
            Cache(1, CODE, 32 * KIB, threads=1, instances=2),
            Cache(2, UNIFIED, 1024 * KIB, threads=1, instances=2),
            Cache(3, UNIFIED, 32 * MIB, threads=2, instances=1),
        ),
        # Its node told of half of the memory only.
        numa_nodes=(NumaNode(0, threads(2), 12937420 * KIB, (10,)),),
        memory_nodes=(0,),
        clocks=Clocks(now_hertz=2_596_136_000),
        memory_available_bytes=23767760 * KIB,
        swap_bytes=0,
        swap_used_bytes=0,
        virtual=True,
        container="docker",
        disks=(
            Disk(
                None,
                "ext4",
                virtual=True,
                total_bytes=270 * 10**9,
                free_bytes=200 * 10**9,
                folder="/data",
                mount_point="/",
                device="/dev/vda",
            ),
        ),
    )


def test_a_recording_of_the_machine_at_hand_replays_what_was_detected_of_it(tmp_path: Path) -> None:
    here = detect()
    unpack(recording(), tmp_path)
    answers = {
        "threads_by_affinity": here.usable_threads and set(here.usable_threads),
        "architecture": here.architecture,
    }
    replayed = detect(tmp_path, RecordedHost(**answers))
    for name in ("cpu_model", "physical_cores", "usable_cores", "features", "cores", "memory_bytes", "sockets"):
        assert getattr(replayed, name) == getattr(here, name), name


def test_a_node_with_eight_cards() -> None:
    card = Gpu(
        backend="cuda",
        name="NVIDIA H100 80GB HBM3",
        memory_bytes=85520809984,
        compute_capability=9.0,
        pcie_generation=5,
        pcie_lanes=16,
        power_limit_watts=700.0,
        nvlinks=18,
        mig=False,
        ecc=True,
        state=GpuState(
            memory_used_bytes=600_000_000,
            memory_free_bytes=84920809984,
            pcie_generation=5,
            pcie_lanes=16,
            power_watts=70.0,
            temperature_celsius=31,
            utilisation=0.0,
            throttling=(),
            uncorrected_errors=0,
            processes=(),
        ),
    )
    nvml = recorded_nvml(*[H100] * 8, driver=NVSWITCH)
    found = examined_machine("eight-gpu-node", ["/lustre/data"], threads_by_affinity=8, driver=nvml)
    assert found == Machine(
        cpu_model="Intel(R) Xeon(R) Platinum 8480C",
        physical_cores=4,
        logical_cores=8,
        usable_cores=8,
        features=frozenset({"avx2", "avx512", "avx512_bf16", "amx_bf16"}),
        memory_bytes=2113550000 * KIB,
        gpus=(card,) * 8,
        system="Linux",
        architecture="x86_64",
        sockets=2,
        cores=paired(4),
        usable_threads=threads(8),
        gpu_driver=GpuDriver("550.54.15", "12.4"),
        gpu_pairs=tuple(GpuPair(a, b, Topology.SYSTEM, True, True) for a, b in combinations(range(8), 2)),
        smt=True,
        numa_nodes=(
            NumaNode(0, (0, 1, 4, 5), 1056775000 * KIB, (10, 21)),
            NumaNode(1, (2, 3, 6, 7), 1056775000 * KIB, (21, 10)),
        ),
        memory_nodes=(0, 1),
        clocks=Clocks(
            ("performance",), ("performance",), "intel_pstate", 3_800_000_000, 800_000_000, 3_800_000_000, True
        ),
        memory_available_bytes=2000000000 * KIB,
        swap_bytes=0,
        swap_used_bytes=0,
        virtual=False,
        disks=(
            Disk(
                DiskKind.NETWORK,
                "lustre",
                folder="/lustre/data",
                mount_point="/lustre",
                device="10.0.0.1@o2ib:/fs",
            ),
        ),
    )
    facts = found.facts()
    assert facts["machine.gpu.nvlink"] is True
    assert facts["machine.gpu.same_pcie_bus"] is False
    assert facts["machine.gpu.watts"] == 700
    assert facts["machine.cpu.sockets"] == 2


DESKTOP_CARD = Gpu(
    backend="cuda",
    name="NVIDIA GeForce RTX 4060 Ti",
    memory_bytes=17175674880,
    compute_capability=8.9,
    pcie_generation=4,
    pcie_lanes=8,
    power_limit_watts=165.0,
    state=GpuState(
        memory_used_bytes=9_000_000_000,
        memory_free_bytes=8175674880,
        pcie_generation=1,
        pcie_lanes=4,
        power_watts=12.5,
        temperature_celsius=52,
        utilisation=0.03,
        throttling=(Throttle.POWER_CAP,),
        processes=(GpuProcess(8_500_000_000, 4711), GpuProcess(None, 4712)),
    ),
    uuid="GPU-00000000-0000-0000-0000-000000000001",
)


def test_a_desktop_whose_card_has_a_narrow_link_and_other_users() -> None:
    folders = ["/home", "/media/archive 2020/photos"]
    nvml = recorded_nvml(DESKTOP, driver=DESKTOP_DRIVER)
    assert examined_machine("desktop-narrow-link", folders, threads_by_affinity=12, driver=nvml) == Machine(
        cpu_model="AMD Ryzen 5 7600 6-Core Processor",
        physical_cores=6,
        logical_cores=12,
        usable_cores=12,
        features=frozenset({"avx2", "avx512", "avx512_bf16"}),
        memory_bytes=32500000 * KIB,
        gpus=(DESKTOP_CARD,),
        system="Linux",
        architecture="x86_64",
        sockets=1,
        cores=paired(6),
        usable_threads=threads(12),
        gpu_driver=GpuDriver("535.183.01", "12.2"),
        smt=True,
        memory_nodes=(0,),
        clocks=Clocks(
            ("powersave",), ("balance_performance",), "amd-pstate-epp", 4_200_000_000, 400_000_000, 5_170_000_000, True
        ),
        memory_available_bytes=3000000 * KIB,
        swap_bytes=2097152 * KIB,
        swap_used_bytes=2097152 * KIB,
        virtual=False,
        disks=(
            Disk(DiskKind.NVME, "btrfs", folder="/home", mount_point="/", device="/dev/nvme0n1p3"),
            Disk(DiskKind.HDD, "ext4", folder=folders[1], mount_point="/media/archive 2020", device="/dev/sdb1"),
        ),
    )


def test_a_node_with_amd_cards() -> None:
    def card(serial: str, used: int, lanes: int) -> Gpu:
        memory = 68702699520
        state = GpuState(used, memory - used, 4, lanes, power_watts=90.0, temperature_celsius=41, utilisation=0.0)
        return Gpu("rocm", "AMD gfx90a", memory, None, 4, 16, power_limit_watts=560.0, state=state, uuid=serial)

    assert examined_machine("amd-gpus", threads_by_affinity=4) == Machine(
        cpu_model="AMD EPYC 7A53 64-Core Processor",
        physical_cores=4,
        logical_cores=4,
        usable_cores=4,
        features=frozenset({"avx2"}),
        memory_bytes=263000000 * KIB,
        gpus=(card("0000000000000080", 10854400, 16), card("0000000000000081", 34_000_000_000, 8)),
        system="Linux",
        architecture="x86_64",
        sockets=1,
        cores=((0,), (1,), (2,), (3,)),
        usable_threads=threads(4),
        smt=False,
        memory_available_bytes=250000000 * KIB,
        swap_bytes=0,
        swap_used_bytes=0,
        virtual=False,
    )


def test_windows_subsystem_for_linux() -> None:
    nvml = recorded_nvml(DESKTOP, driver=DESKTOP_DRIVER)
    release = "5.15.153.1-microsoft-standard-WSL2"
    folders = ["/home", "/mnt/c/data"]
    assert examined_machine("wsl2", folders, threads_by_affinity=4, release=release, driver=nvml) == Machine(
        cpu_model="12th Gen Intel(R) Core(TM) i5-12400",
        physical_cores=2,
        logical_cores=4,
        usable_cores=4,
        features=frozenset({"avx2"}),
        memory_bytes=8000000 * KIB,
        gpus=(DESKTOP_CARD,),
        system="Linux",
        architecture="x86_64",
        sockets=1,
        cores=((0, 1), (2, 3)),
        usable_threads=threads(4),
        gpu_driver=GpuDriver("535.183.01", "12.2"),
        kernel=release,
        smt=True,
        memory_nodes=(0,),
        clocks=Clocks(now_hertz=2_496_006_000),
        memory_available_bytes=7000000 * KIB,
        swap_bytes=2097152 * KIB,
        swap_used_bytes=0,
        virtual=True,
        hypervisor="WSL 2",
        disks=(
            Disk(None, "ext4", virtual=True, folder="/home", mount_point="/", device="/dev/sdc"),
            Disk(DiskKind.NETWORK, "9p", folder="/mnt/c/data", mount_point="/mnt/c", device="C:\\"),
        ),
    )


def test_a_mac() -> None:
    answers = {
        "machdep.cpu.brand_string": "Apple M1 Max",
        "hw.physicalcpu": "10",
        "hw.logicalcpu": "10",
        "hw.packages": "1",
        "hw.perflevel0.logicalcpu": "8",
        "hw.perflevel0.cpusperl2": "4",
        "hw.perflevel0.l1dcachesize": "131072",
        "hw.perflevel0.l1icachesize": "196608",
        "hw.perflevel0.l2cachesize": "12582912",
        "hw.perflevel1.logicalcpu": "2",
        "hw.perflevel1.cpusperl2": "2",
        "hw.perflevel1.l1dcachesize": "65536",
        "hw.perflevel1.l1icachesize": "131072",
        "hw.perflevel1.l2cachesize": "4194304",
    }
    host = {"system": "Darwin", "architecture": "arm64", "sysctls": answers, "memory": 32 * 2**30, "release": "23.5.0"}
    assert examined_machine("nowhere", **host) == Machine(
        cpu_model="Apple M1 Max",
        physical_cores=10,
        logical_cores=10,
        usable_cores=10,
        features=frozenset({"neon"}),
        memory_bytes=32 * 2**30,
        gpus=(Gpu("mps", "Apple M1 Max"),),
        system="Darwin",
        architecture="arm64",
        sockets=1,
        kernel="23.5.0",
        caches=(
            Cache(1, DATA, 64 * KIB, threads=1, instances=2),
            Cache(1, DATA, 128 * KIB, threads=1, instances=8),
            Cache(1, CODE, 128 * KIB, threads=1, instances=2),
            Cache(1, CODE, 192 * KIB, threads=1, instances=8),
            Cache(2, UNIFIED, 4 * MIB, threads=2, instances=1),
            Cache(2, UNIFIED, 12 * MIB, threads=4, instances=2),
        ),
    )


def test_a_machine_that_may_not_be_read_is_described_by_what_the_system_answers() -> None:
    tree = ClosedTree(unpacked("laptop-with-smt"), closed=("/sys", "/proc"))
    host = RecordedHost(threads=8, cores=4, memory=16 * 2**30, threads_by_affinity=8)
    found = look_closer(detect(tree, host), tree, host, ["/home"])
    assert (found.physical_cores, found.logical_cores, found.usable_cores) == (4, 8, 8)
    assert found.memory_bytes == 16 * 2**30
    assert (found.caches, found.clocks, found.numa_nodes, found.swap_bytes, found.virtual) == (None,) * 5
    assert found.disks == (Disk(folder="/home"),)
    assert "/proc/cpuinfo cannot be read (Permission denied)." in found.notes


@pytest.mark.parametrize("closed", ["/proc/self", "/proc/meminfo", "/sys/devices", "/sys/fs/cgroup", "/sys/class"])
def test_one_closed_folder_leaves_the_rest_known(closed: str) -> None:
    tree = ClosedTree(unpacked("laptop-with-smt"), closed=(closed,))
    host = RecordedHost(threads_by_affinity=8)
    found = look_closer(detect(tree, host), tree, host)
    assert found.cpu_model is not None
    assert found.physical_cores == 4  # from /proc/cpuinfo where /sys is closed
    assert found.gpus == ()
