"""The parts of memory that are near to each processor (kernel: Documentation/admin-guide/mm/numaperf.rst)."""

from __future__ import annotations

from advisor.machine.detection.memory import memory_lines
from advisor.machine.host import Tree, number_list, whole_number
from advisor.machine.parts import NumaNode

_NODES = "/sys/devices/system/node"


def numa_nodes(tree: Tree) -> tuple[NumaNode, ...] | None:
    """In order of their numbers; None where the system does not tell."""
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
    for line in (tree.read("/proc/self/status") or "").splitlines():
        key, _, value = line.partition(":")
        if key == "Mems_allowed_list":
            return number_list(value)
    return None
