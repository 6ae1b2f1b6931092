"""The processor's caches, from /sys/devices/system/cpu (kernel: Documentation/ABI/testing/sysfs-devices-system-cpu)."""

from __future__ import annotations

from collections import Counter

from advisor.machine.host import Host, Tree, number_list, whole_number
from advisor.machine.parts import Cache, CacheKind

_CPUS = "/sys/devices/system/cpu"
_MOST = 16
"""Kinds of cache that a processor may have; today's have four."""


def detect_caches(tree: Tree, host: Host, threads: tuple[int, ...]) -> tuple[Cache, ...] | None:
    """From the nearest to the farthest; None where the system does not tell.

    Args:
        threads: the numbers of the hardware threads to look at.
    """
    if host.system == "Darwin":
        return _by_sysctl(host)
    alike: Counter[tuple[int, CacheKind, int, int]] = Counter()
    seen: dict[int, set[int]] = {}
    for thread in threads:
        for index in range(_MOST):
            if thread in seen.get(index, ()):
                continue  # another thread told of the same cache
            folder = f"{_CPUS}/cpu{thread}/cache/index{index}"
            sharing = number_list(tree.read(f"{folder}/shared_cpu_list"))
            if sharing is None:
                break
            seen.setdefault(index, set()).update(sharing)
            level, size = tree.read_integer(f"{folder}/level"), size_bytes(tree.read(f"{folder}/size"))
            kind = (tree.read_word(f"{folder}/type") or "").lower()
            if level is not None and size is not None and kind in list(CacheKind):
                alike[level, CacheKind(kind), size, len(sharing)] += 1
    found = [Cache(*key, instances=count) for key, count in sorted(alike.items())]
    return tuple(found) or None


def _by_sysctl(host: Host) -> tuple[Cache, ...] | None:
    """Apple's processors have up to two kinds of cores (`perflevel0` the faster), each with caches of its own.

    The first level belongs to one core, the second to `cpusperl2` of them.
    """
    found: list[Cache] = []
    for kind_of_core in ("hw.perflevel0", "hw.perflevel1"):
        cores = whole_number(host.sysctl(f"{kind_of_core}.logicalcpu") or "")
        if not cores or cores < 1:
            break
        sharing = whole_number(host.sysctl(f"{kind_of_core}.cpusperl2") or "")
        for level, kind, name, threads in (
            (1, CacheKind.DATA, "l1dcachesize", 1),
            (1, CacheKind.INSTRUCTION, "l1icachesize", 1),
            (2, CacheKind.UNIFIED, "l2cachesize", sharing),
        ):
            size = whole_number(host.sysctl(f"{kind_of_core}.{name}") or "")
            if size and threads and threads > 0:
                found.append(Cache(level, kind, size, threads, instances=max(1, cores // threads)))
    return tuple(sorted(found, key=lambda cache: (cache.level, cache.kind, cache.size_bytes))) or None


def size_bytes(text: str | None) -> int | None:
    """`32K` or `8M`, in bytes."""
    text = (text or "").strip()
    number = whole_number(text.rstrip("KMG"))
    if number is None or number <= 0:
        return None
    return number * {"K": 2**10, "M": 2**20, "G": 2**30}.get(text[-1], 1)
