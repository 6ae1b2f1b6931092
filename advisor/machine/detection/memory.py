"""The size of main memory, and the parts of it that are free or swapped."""

from __future__ import annotations

from advisor.machine.host import Tree, pairs, whole_number


def memory_lines(tree: Tree, path: str = "/proc/meminfo") -> dict[str, int]:
    """The lines of a file like /proc/meminfo (proc(5)), in bytes."""
    found: dict[str, int] = {}
    for key, value in pairs(tree.read(path)):
        kibibytes = whole_number(value.removesuffix("kB"))
        if key and kibibytes is not None and kibibytes >= 0:
            found[key.split()[-1]] = kibibytes * 1024  # `Node 0 MemTotal` below /sys, `MemTotal` below /proc
    return found
