"""Detection: what this computer is, as far as it says, within the limits of its container."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from advisor.machine.detection.limits import read_limits
from advisor.machine.detection.processor import detect_processor
from advisor.machine.gpus.gpu import detect_gpus, gpu_states
from advisor.machine.host import Host, Tree, memory_lines
from advisor.machine.machine import Machine

__all__ = ["Machine", "detect", "look_closer"]


def detect(place: Path | Tree = Path("/"), host: Host | None = None) -> Machine:
    """Look at this computer. Takes milliseconds and changes nothing.

    Args:
        place: where /proc, /sys and /dev are found; recordings of other machines stand elsewhere.
        host: what answers the questions that no file answers.
    """
    host = host or Host()
    tree = place if isinstance(place, Tree) else Tree(place)
    processor = detect_processor(tree, host)
    limits = read_limits(tree)
    found = detect_gpus(tree, host)
    if len({(gpu.name, gpu.memory_bytes, gpu.compute_capability) for gpu in found.gpus or ()}) > 1:
        tree.notes.append("The GPUs differ: the smallest memory and lowest compute capability count for all.")
    quota = None if limits.cores is None else math.ceil(limits.cores)
    affinity = host.affinity()
    memory = memory_lines(tree).get("MemTotal")
    return Machine(
        cpu_model=processor.model,
        physical_cores=processor.physical_cores,
        logical_cores=processor.logical_cores,
        usable_cores=_least_known([processor.logical_cores, None if affinity is None else len(affinity), quota]),
        features=processor.features,
        memory_bytes=_least_known([host.memory_bytes() if memory is None else memory, limits.memory_bytes]),
        gpus=found.gpus,
        notes=tuple(dict.fromkeys(tree.notes)),
        system=host.system or None,
        architecture=host.architecture or None,
        sockets=processor.sockets,
        cores=processor.cores,
        usable_threads=None if affinity is None else tuple(sorted(affinity)),
        quota_cores=limits.cores,
        gpu_driver=found.driver,
        gpu_pairs=found.pairs,
        host_name=host.name(),
    )


def look_closer(
    machine: Machine, place: Path | Tree = Path("/"), host: Host | None = None, folders: Sequence[str] = ()
) -> Machine:
    """The same machine with what takes longer to find out, and with what it is doing at this moment.

    Takes tens of milliseconds on a large machine, more with many cards. `place` and `host` as in `detect`.

    Args:
        folders: paths whose disks are looked at.
    """
    from advisor.machine.detection import processor_details as details  # 5 ms together, which only a closer look needs
    from advisor.machine.detection.disks import disk_behind
    from advisor.machine.detection.smbios import memory_modules
    from advisor.machine.detection.virtual import container, hypervisor

    host = host or Host()
    tree = place if isinstance(place, Tree) else Tree(place)
    memory = memory_lines(tree)
    threads = sorted(thread for core in machine.cores or () for thread in core)
    virtual, name = hypervisor(tree, host)
    limits = read_limits(tree)
    swap, unswapped = _least_known([memory.get("SwapTotal"), limits.swap_bytes]), memory.get("SwapFree")
    closer = replace(
        machine,
        gpus=gpu_states(machine.gpus, tree, host),
        kernel=host.kernel(),
        smt=_smt(machine, tree),
        caches=details.detect_caches(tree, host, tuple(threads)),
        numa_nodes=details.numa_nodes(tree),
        memory_nodes=details.allowed_nodes(tree),
        clocks=details.detect_clocks(tree),
        memory_modules=memory_modules(tree),
        memory_available_bytes=_least_known([memory.get("MemAvailable"), limits.memory_left_bytes]),
        swap_bytes=swap,
        swap_used_bytes=None if swap is None or unswapped is None else max(0, swap - unswapped),
        virtual=virtual,
        hypervisor=name,
        container=container(tree),
        disks=tuple(disk_behind(folder, tree, host) for folder in folders),
    )
    return replace(closer, notes=tuple(dict.fromkeys([*machine.notes, *tree.notes])))


def _smt(machine: Machine, tree: Tree) -> bool | None:
    active = tree.read_integer("/sys/devices/system/cpu/smt/active")
    if active is not None:
        return active == 1
    return None if machine.threads_per_core is None else machine.threads_per_core > 1


def _least_known(values: list[int | None]) -> int | None:
    return min((value for value in values if value is not None), default=None)
