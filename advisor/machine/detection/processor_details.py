"""Processors besides their cores, from files of Linux below /sys and /proc: caches, clocks, and the memory that is near.

Kernel: Documentation/ABI/testing/sysfs-devices-system-cpu, admin-guide/pm/cpufreq.rst and intel_pstate.rst, mm/numaperf.rst.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress

from advisor.machine.host import Host, Tree, memory_lines, number_list, pairs, whole_number
from advisor.machine.parts import Cache, CacheKind, Clocks, NumaNode

_CPUS = "/sys/devices/system/cpu"
_POLICIES = f"{_CPUS}/cpufreq"
_NODES = "/sys/devices/system/node"
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


def detect_clocks(tree: Tree) -> Clocks | None:
    """The clock and its governor over all cores; None where the system tells nothing of them."""
    policies = [f"{_POLICIES}/{name}" for name in tree.names(_POLICIES) if name.startswith("policy")]

    def words(name: str) -> tuple[str, ...]:
        found = {tree.read_word(f"{policy}/{name}") for policy in policies}
        return tuple(sorted(word for word in found if word is not None))

    def hertz(name: str, choose: Callable[[list[int]], int]) -> int | None:
        found = [tree.read_integer(f"{policy}/{name}") for policy in policies]
        known = [kilohertz * 1000 for kilohertz in found if kilohertz is not None and kilohertz > 0]
        return choose(known) if known else None

    drivers = words("scaling_driver")
    clocks = Clocks(
        governors=words("scaling_governor"),
        preferences=words("energy_performance_preference"),
        driver=drivers[0] if drivers else None,
        now_hertz=hertz("scaling_cur_freq", max) or _now(tree),
        min_hertz=hertz("cpuinfo_min_freq", min),
        max_hertz=hertz("cpuinfo_max_freq", max),
        turbo=_turbo(tree),
    )
    return None if clocks == Clocks() else clocks


def _now(tree: Tree) -> int | None:
    """The fastest `cpu MHz` of /proc/cpuinfo."""
    found = [0.0]
    for key, value in pairs(tree.read("/proc/cpuinfo")):
        if key == "cpu MHz":
            with suppress(ValueError):
                found.append(float(value))
    return round(max(clock for clock in found if clock < 100_000) * 1e6) or None  # beyond 100 GHz it is damage


def _turbo(tree: Tree) -> bool | None:
    never = tree.read_integer(f"{_CPUS}/intel_pstate/no_turbo")
    if never is not None:
        return never == 0
    boost = tree.read_integer(f"{_POLICIES}/boost")
    return None if boost is None else boost == 1


def numa_nodes(tree: Tree) -> tuple[NumaNode, ...] | None:
    """The memory nodes in order of their numbers; None where the system does not tell."""
    nodes: list[NumaNode] = []
    for number in number_list(tree.read(f"{_NODES}/online")) or ():
        folder = f"{_NODES}/node{number}"
        if not tree.exists(folder):
            continue
        distances = [whole_number(word) for word in (tree.read(f"{folder}/distance") or "").split()]
        nodes.append(
            NumaNode(
                id=number,
                threads=number_list(tree.read(f"{folder}/cpulist")) or (),
                memory_bytes=memory_lines(tree, f"{folder}/meminfo").get("MemTotal"),
                distances=tuple(distance for distance in distances if distance is not None),
            )
        )
    return tuple(nodes) or None


def allowed_nodes(tree: Tree) -> tuple[int, ...] | None:
    """The NUMA nodes whose memory this process may have (cpusets and `numactl --membind`; proc(5), status)."""
    return number_list(dict(pairs(tree.read("/proc/self/status"))).get("Mems_allowed_list"))
