"""Findings about the processor, the main memory, the container and the disks."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.facts.values import number_text, with_unit
from advisor.machine.doctor.finding import Examination, Finding, note, warning
from advisor.machine.parts import Clocks, DiskKind
from advisor.wording import join_names

_SWAPPED = 256 * 2**20
"""Bytes; less is what any system lays aside in time."""
_LITTLE = 0.1
_SHARED_MEMORY = 2**30
"""Bytes; a few DataLoader workers with images need about that much."""
_NO_ROOM_TO_REMEMBER = 20 * 10**6
"""Bytes: the largest file of measurements, and a journal beside it."""
_NO_ROOM_BESIDE_DATA = 170 * 10**6
"""Bytes: with less free the probe of the disk refuses, which takes a tenth of what is free (probes/benches/scratch.py)."""
_NEVER_WRITTEN = ("squashfs", "iso9660", "erofs", "udf", "cramfs")
"""File systems that are full from the start."""
# These choose the clock themselves, so that their governor `powersave` saves nothing (kernel: intel_pstate.rst, amd-pstate.rst).
_SELF_GOVERNED = ("intel_pstate", "amd-pstate-epp", "amd_pstate_epp")
_SAVING_GOVERNORS = ("powersave", "conservative")
_SAVING_PREFERENCES = ("power", "balance_power")


def governor(seen: Examination) -> Iterator[Finding]:
    clocks = seen.machine.clocks
    if clocks is None:
        return
    if clocks.driver in _SELF_GOVERNED:
        saving = [word for word in clocks.preferences if word in _SAVING_PREFERENCES]
        what, where = "is asked to prefer", "energy_performance_preference"
        value = "balance_performance"
    else:
        saving = [word for word in clocks.governors if word in _SAVING_GOVERNORS]
        what, where = "is governed by", "scaling_governor"
        value = "performance"
    if saving:
        yield warning(
            "cpu.power-saving",
            "The processor saves power",
            f"Its clock {what} `{join_names(saving)}`{_speed(clocks)}.",
            "While computing or measuring, let it run fast (as administrator, until the next start):",
            (f"echo {value} | sudo tee /sys/devices/system/cpu/cpufreq/policy*/{where}",),
        )


def _speed(clocks: Clocks) -> str:
    if clocks.now_hertz is None or clocks.max_hertz is None:
        return ""
    return f", now at {number_text(round(clocks.now_hertz / 1e9, 2))} of {number_text(round(clocks.max_hertz / 1e9, 2))} GHz"


def turbo(seen: Examination) -> Iterator[Finding]:
    clocks = seen.machine.clocks
    if clocks is None or clocks.turbo is not False:
        return
    cpu = "/sys/devices/system/cpu"
    intel = (clocks.driver or "").startswith("intel")
    yield note(
        "cpu.no-turbo",
        "The processor's turbo is off",
        "It stays at its nominal clock: steadier for measurements, slower for work.",
        "To switch it on (as administrator, until the next start):",
        (f"echo 0 | sudo tee {cpu}/intel_pstate/no_turbo" if intel else f"echo 1 | sudo tee {cpu}/cpufreq/boost",),
    )


def quota(seen: Examination) -> Iterator[Finding]:
    machine = seen.machine
    visible = len(machine.usable_threads or ()) or machine.logical_cores
    if machine.quota_cores is not None and visible is not None and machine.quota_cores < visible:
        usable = machine.usable_cores or visible
        yield note(
            "container.quota",
            "The container may use less of the processor than it shows",
            f"{visible} hardware threads are visible, the quota is worth {number_text(round(machine.quota_cores, 2))}.",
            "Programs that count processors start too many threads and workers. State the number yourself "
            "(also num_workers of a DataLoader):",
            (f"export OMP_NUM_THREADS={usable}",),
        )


def memory_nodes(seen: Examination) -> Iterator[Finding]:
    nodes, allowed = seen.machine.numa_nodes or (), seen.machine.memory_nodes
    with_memory = [node.id for node in nodes if node.memory_bytes != 0]
    if allowed is None or len(with_memory) < 2:
        return
    missing = [number for number in with_memory if number not in allowed]
    usable = set(seen.machine.usable_threads or ())
    stranded = [node.id for node in nodes if node.id in missing and usable & set(node.threads)]
    if not missing:
        return
    if stranded:
        yield warning(
            "memory.far",
            "Threads may run far from the memory they may use",
            f"Memory is allowed on NUMA {_nodes(list(allowed))} only, but threads also run on {_nodes(stranded)}.",
            "Bind processors and memory to the same nodes when starting the program, for example:",
            (f"numactl --cpunodebind={allowed[0]} --membind={allowed[0]} COMMAND",),
        )
    else:
        yield note(
            "memory.part",
            "Only a part of the memory may be used",
            f"Memory is allowed on NUMA {_nodes(list(allowed))} of {len(with_memory)}.",
            "If that is not meant, check numactl, cpusets, or what the job asked for.",
        )


def _nodes(numbers: list[int]) -> str:
    return f"{'node' if len(numbers) == 1 else 'nodes'} {join_names([str(number) for number in numbers])}"


def swap(seen: Examination) -> Iterator[Finding]:
    used = seen.machine.swap_used_bytes
    if used is not None and used > _SWAPPED:
        yield warning(
            "memory.swapped",
            "Memory is swapped out to disk",
            f"{with_unit(used, 'bytes')} of {with_unit(seen.machine.swap_bytes or 0, 'bytes')} of swap are in use: "
            "what is needed from there comes back at the speed of a disk.",
            "End programs that hold memory. What uses most:",
            ("ps -eo pid,rss,comm --sort=-rss | head",),
        )


def memory_full(seen: Examination) -> Iterator[Finding]:
    total, free = seen.machine.memory_bytes, seen.machine.memory_available_bytes
    if total is not None and free is not None and free < _LITTLE * total:
        yield warning(
            "memory.full",
            "Memory is almost full",
            f"{with_unit(free, 'bytes')} of {with_unit(total, 'bytes')} are left.",
            "End programs that hold memory, before training does it for you. What uses most:",
            ("ps -eo pid,rss,comm --sort=-rss | head",),
        )


def shared_memory(seen: Examination) -> Iterator[Finding]:
    disk = seen.environment.shared_memory
    if disk is None or disk.total_bytes is None or disk.total_bytes >= _SHARED_MEMORY:
        return
    in_container = seen.machine.container is not None
    yield warning(
        "memory.shared",
        "Shared memory is too small for DataLoader workers",
        f"{disk.folder} holds {with_unit(disk.total_bytes, 'bytes')}; workers hand their batches over through it and end with "
        "a bus error when it is full.",
        "Start the container with more, or use num_workers=0:"
        if in_container
        else "Make it larger (as administrator, until the next start):",
        ("docker run --shm-size=8g ...",) if in_container else ("sudo mount -o remount,size=8G /dev/shm",),
    )


def state_folder(seen: Examination) -> Iterator[Finding]:
    disk, problem = seen.environment.state, seen.environment.state_problem
    if problem is not None:
        yield warning(
            "state.unwritable",
            "The advisor cannot remember what it measures",
            problem,
            "Name a folder that can be written:",
            ("export ADVISOR_STATE=FOLDER",),
        )
        return
    if disk is not None and disk.free_bytes is not None and disk.free_bytes < _NO_ROOM_TO_REMEMBER:
        yield warning(
            "state.full",
            "The disk on which the advisor remembers is full",
            f"{disk.folder}: {with_unit(disk.free_bytes, 'bytes')} are free, so that measurements may be lost.",
            "Make room there, or name a folder on another disk:",
            ("export ADVISOR_STATE=FOLDER",),
        )
    if disk is not None and disk.kind is DiskKind.NETWORK:
        yield note(
            "state.network",
            "The advisor remembers on a network disk",
            f"{disk.folder} lies on {disk.file_system}; every machine keeps a folder of its own there.",
            "Name a folder on a disk of this machine if that is slow:",
            ("export ADVISOR_STATE=FOLDER",),
        )


def data_disk(seen: Examination) -> Iterator[Finding]:
    disk = seen.environment.data
    if disk is None:
        return
    free = disk.free_bytes
    if free is not None and free < _NO_ROOM_BESIDE_DATA and disk.file_system not in _NEVER_WRITTEN:
        yield warning(
            "data.full",
            "The disk of the data is full",
            f"{disk.folder}: {with_unit(free, 'bytes')} are free.",
            "Make room before anything is written there; `advisor probe --only storage` needs "
            f"{with_unit(_NO_ROOM_BESIDE_DATA, 'bytes')} free to measure this disk.",
        )
    if disk.kind not in (DiskKind.NETWORK, DiskKind.HDD):
        return
    network = disk.kind is DiskKind.NETWORK
    yield warning(
        "data.slow-disk",
        f"The data lie on {'a network file system' if network else 'a disk with rotating platters'}",
        f"{disk.folder} is on {disk.file_system}{f' ({disk.device})' if disk.device and not network else ''}.",
        "Reading many small files in random order is slow there. Copy the data to a local NVMe disk or SSD, or pack "
        "them into a few large files.",
    )


CHECKS = (governor, turbo, quota, memory_nodes, swap, memory_full, shared_memory, state_folder, data_disk)
