"""The share that a container or job scheduler leaves to this process: control groups of Linux, versions 1 and 2.

A process belongs to one group in each hierarchy, and the limits of all ancestors hold as well. The kernel's
Documentation/admin-guide describes the files (cgroup-v1/, cgroup-v2.rst), proc(5) /proc/self/mountinfo.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from advisor.machine.host import Tree, pairs, whole_number

_V1_NO_LIMIT = 2**62
"""Bytes; version 1 writes the largest page count instead of `max`."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The tightest limits along the way to the root; None where there is none."""

    cores: float | None
    memory_bytes: int | None
    memory_left_bytes: int | None = None
    """The memory that the fullest of the groups may still take"""


@dataclass(frozen=True, slots=True)
class _Mount:
    version: int
    controllers: frozenset[str]
    root: PurePosixPath
    folder: PurePosixPath


def read_limits(tree: Tree) -> Limits:
    cores: list[float] = []
    memory: list[int] = []
    left: list[int] = []
    for version, controllers, folder in groups(tree):
        if version == 2:
            quota = [whole_number(word) for word in (tree.read(f"{folder}/cpu.max") or "").split()]
            limit = _memory(tree, f"{folder}/memory.max")
            used = "memory.current"
        else:
            names = ("cpu.cfs_quota_us", "cpu.cfs_period_us") if "cpu" in controllers else ()
            quota = [tree.read_integer(f"{folder}/{name}") for name in names]
            limit = _memory(tree, f"{folder}/memory.limit_in_bytes") if "memory" in controllers else None
            used = "memory.usage_in_bytes"
        cores += _cores(*quota) if len(quota) == 2 else ()
        if limit is not None:
            memory.append(limit)
            left += _left(tree, folder, limit, used)
    return Limits(
        cores=min(cores, default=None),
        memory_bytes=min(memory, default=None),
        memory_left_bytes=min(left, default=None),
    )


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
