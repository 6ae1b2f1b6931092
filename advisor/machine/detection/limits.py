"""The share that a container or job scheduler leaves to this process: control groups of Linux, versions 1 and 2.

A process belongs to one group in each hierarchy, and the limits of all ancestors hold as well. The kernel's
Documentation/admin-guide describes the files (cgroup-v1/, cgroup-v2.rst), proc(5) /proc/self/mountinfo.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from advisor.machine.host import Tree, memory_lines, number_list, pairs, whole_number

_V1_NO_LIMIT = 2**62
"""Bytes; version 1 writes the largest page count instead of `max`."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The tightest limits along the way to the root; None where there is none."""

    cores: float | None
    memory_bytes: int | None
    memory_left_bytes: int | None = None
    """The memory that the fullest of the groups may still take"""
    swap_bytes: int | None = None
    """The swap space that the groups may take"""


@dataclass(frozen=True, slots=True)
class _Mount:
    version: int
    controllers: frozenset[str]
    root: PurePosixPath
    folder: PurePosixPath


def read_limits(tree: Tree) -> Limits:
    """The limits of the groups and of this process. Notes say where something else than a hard limit holds."""
    cores: list[float] = []
    bounds = [*_process_bounds(tree), *_node_bounds(tree)]
    left: list[int] = []
    swap: list[int] = []
    soft: list[int] = []
    for version, controllers, folder in groups(tree):
        own: list[_Bound] = []
        if version == 2:
            quota = [whole_number(word) for word in (tree.read(f"{folder}/cpu.max") or "").split()]
            for name, note in (("memory.max", ""), ("memory.high", _HIGH)):
                limit = _memory(tree, f"{folder}/{name}")
                own += [] if limit is None else [_Bound(limit, note.format(size=_size(limit), folder=folder))]
            used = "memory.current"
            if tree.read_integer(f"{folder}/memory.high") == 0:
                tree.notes.append(f"memory.high of {folder} is 0: the kernel slows down whatever runs here. Raise it.")
            swap += _known(tree.read_integer(f"{folder}/memory.swap.max"))
        else:
            names = ("cpu.cfs_quota_us", "cpu.cfs_period_us") if "cpu" in controllers else ()
            quota = [tree.read_integer(f"{folder}/{name}") for name in names]
            used = "memory.usage_in_bytes"
            if "memory" in controllers:
                hard = _memory(tree, f"{folder}/memory.limit_in_bytes")
                own += [] if hard is None else [_Bound(hard, "")]
                soft += _known(_memory(tree, f"{folder}/memory.soft_limit_in_bytes"))
                both = _memory(tree, f"{folder}/memory.memsw.limit_in_bytes")
                swap += [] if both is None or hard is None else [max(0, both - hard)]
        cores += _cores(*quota) if len(quota) == 2 else ()
        bounds += own
        if own:
            left += _left(tree, folder, min(bound.bytes for bound in own), used)
    tightest = min(bounds, key=lambda bound: (bound.bytes, bool(bound.note)), default=None)
    most = min([memory_lines(tree).get("MemTotal", 2**62), *([tightest.bytes] if tightest is not None else [])])
    if tightest is not None and tightest.note and tightest.bytes == most:
        tree.notes.append(tightest.note)
    if soft and min(soft) < most:
        tree.notes.append(_SOFT.format(size=_size(min(soft))))
    return Limits(
        cores=min(cores, default=None),
        memory_bytes=None if tightest is None else tightest.bytes,
        memory_left_bytes=min(left, default=None),
        swap_bytes=min(swap, default=None),
    )


@dataclass(frozen=True, slots=True)
class _Bound:
    """Bytes of memory that this process cannot use more than, and what to know of it."""

    bytes: int
    note: str


_HIGH = "Beyond {size} the kernel slows down what runs here: memory.high of {folder}. The plan stays below it."
_SOFT = "When memory is short on the machine, the kernel takes back what runs here uses beyond {size} (soft limit of its group)."
_ADDRESSES = "This process may reserve {size} of memory at most (ulimit {flag}); libraries reserve more than they use."
_NODES = "This process may use the memory of NUMA node {nodes} alone, {size}."


def _process_bounds(tree: Tree) -> Iterator[_Bound]:
    """Limits of this process, as batch systems set them: addresses and data, by the soft limits of getrlimit(2)."""
    for line in (tree.read("/proc/self/limits") or "").splitlines():
        for name, flag in (("Max address space", "-v"), ("Max data size", "-d")):
            words = line.removeprefix(name).split()
            limit = whole_number(words[0]) if line.startswith(name) and words else None
            if limit is not None and limit > 0:
                yield _Bound(limit, _ADDRESSES.format(size=_size(limit), flag=flag))


def _node_bounds(tree: Tree) -> Iterator[_Bound]:
    """The memory of the NUMA nodes that a cpuset or `numactl --membind` leaves, where these are not all."""
    allowed = number_list(dict(pairs(tree.read("/proc/self/status"))).get("Mems_allowed_list"))
    there = number_list(tree.read_word(f"{_NODE}/has_memory"))
    if not allowed or not there or set(there) <= set(allowed):
        return
    nodes = sorted(set(allowed) & set(there))
    sizes = [memory_lines(tree, f"{_NODE}/node{node}/meminfo").get("MemTotal") for node in nodes]
    if nodes and None not in sizes:
        total = sum(size for size in sizes if size is not None)
        yield _Bound(total, _NODES.format(nodes=", ".join(map(str, nodes)), size=_size(total)))


_NODE = "/sys/devices/system/node"


def _known(value: int | None) -> list[int]:
    return [] if value is None or value < 0 else [value]


def _size(limit: int) -> str:
    return f"{limit / 2**30:.3g} GiB"


def groups(tree: Tree) -> Iterator[tuple[int, frozenset[str], PurePosixPath]]:
    """Version, controllers and folder of every group that holds this process, ancestors included."""
    mounts = list(_mounts(tree.read("/proc/self/mountinfo") or ""))
    for number, rest in pairs(tree.read("/proc/self/cgroup")):
        names, _, path = rest.partition(":")
        version = 2 if number == "0" else 1
        controllers = frozenset(names.split(",")) - {""}
        candidates = [m for m in mounts if m.version == version and controllers <= m.controllers]
        for folder in sorted(_visible_folders(candidates, PurePosixPath(path))):
            yield version, controllers, folder


def _mounts(mountinfo: str) -> Iterator[_Mount]:
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        if len(fields) < 5 or len(kind) < 3 or kind[0] not in ("cgroup", "cgroup2"):
            continue
        yield _Mount(
            version=2 if kind[0] == "cgroup2" else 1,
            controllers=frozenset(kind[2].split(",")),
            root=PurePosixPath(fields[3]),
            folder=PurePosixPath(fields[4]),
        )


def _visible_folders(mounts: list[_Mount], path: PurePosixPath) -> set[PurePosixPath]:
    """The folder of a group and of its ancestors, below the mounts that show them.

    Where no mount shows the group (a container that sees other names), the mount itself is all there is.
    A path with `..` leads out of what the container may see: no group in sight limits that process.
    """
    shown = [(mount, path.relative_to(mount.root)) for mount in mounts if path.is_relative_to(mount.root)]
    folders = {
        mount.folder / part for mount, below in shown if ".." not in below.parts for part in (below, *below.parents)
    }
    if folders or ".." in path.parts:
        return folders
    return {mount.folder for mount in mounts}


def _cores(quota: int | None, period: int | None) -> Iterator[float]:
    """The quota of each period, both in microseconds; without a limit the quota is `max`, or -1."""
    if quota is not None and period is not None and quota > 0 and period > 0:
        yield quota / period


def _memory(tree: Tree, path: str) -> int | None:
    limit = tree.read_integer(path)
    return limit if limit is not None and 0 < limit < _V1_NO_LIMIT else None


def _left(tree: Tree, folder: PurePosixPath, limit: int, used: str) -> Iterator[int]:
    """Files that were read count as used too; the inactive ones among them give way to programs."""
    usage = tree.read_integer(f"{folder}/{used}")
    if usage is None:
        return
    told = dict(pairs(tree.read(f"{folder}/memory.stat"), " "))
    inactive = max(whole_number(told.get(name, "")) or 0 for name in ("inactive_file", "total_inactive_file"))
    yield max(0, limit - max(0, usage - max(0, inactive)))
