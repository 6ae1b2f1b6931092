"""AMD's cards as the Linux kernel lists them: its compute driver (KFD) and its graphics driver (amdgpu).

The files are described in the kernel's Documentation/gpu/amdgpu (driver-misc.rst, thermal.rst).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from advisor.machine.cards import Gpu, GpuState
from advisor.machine.host import Tree, pairs, whole_number

_KFD_NODES = "/sys/class/kfd/kfd/topology/nodes"
_LOCAL_MEMORY = (1, 2)
"""Heap types of the kernel's kfd_topology.h: memory of the card, visible to the host or private."""
# Transfers per second of one lane, by PCIe generation.
_GENERATIONS = {"2.5": 1, "5.0": 2, "8.0": 3, "16.0": 4, "32.0": 5, "64.0": 6}


@dataclass(frozen=True, slots=True)
class _Node:
    properties: dict[str, int]
    memory_bytes: int | None
    device: str | None
    """Its folder of the graphics driver"""


def detect(tree: Tree) -> tuple[Gpu, ...] | None:
    """The nodes with compute units, integrated GPUs included; None when they are not passed into this container."""
    cards = [_card(node, tree) for node in _nodes(tree)]
    if cards and not tree.exists("/dev/kfd"):
        tree.notes.append(
            f"The number of GPUs is unknown: the kernel lists {len(cards)} of AMD, but /dev/kfd is missing. "
            "In a container, check that the cards are passed in."
        )
        return None
    return tuple(cards)


def states(tree: Tree) -> tuple[GpuState, ...]:
    """The state of each card at this moment, in the order of `detect`."""
    return tuple(_state(node.device, tree) for node in _nodes(tree))


def _nodes(tree: Tree) -> Iterator[_Node]:
    for node in (f"{_KFD_NODES}/{name}" for name in tree.names(_KFD_NODES)):
        properties = _properties(tree, node)
        if properties.get("simd_count", 0) > 0:
            minor = properties.get("drm_render_minor", 0)
            device = f"/sys/class/drm/renderD{minor}/device"
            yield _Node(properties, _kfd_memory(tree, node), device if minor and tree.exists(device) else None)


def _card(node: _Node, tree: Tree) -> Gpu:
    device = node.device
    return Gpu(
        backend="rocm",
        name=_gfx_name(node.properties.get("gfx_target_version", 0)),
        memory_bytes=node.memory_bytes or _positive(tree, device, "mem_info_vram_total"),
        pcie_generation=_generation(tree, device, "max_link_speed"),
        pcie_lanes=_positive(tree, device, "max_link_width"),
        power_limit_watts=_watts(tree, device, "power1_cap"),
        uuid=None if device is None else tree.read_word(f"{device}/unique_id"),
    )


def _state(device: str | None, tree: Tree) -> GpuState:
    total, used = _positive(tree, device, "mem_info_vram_total"), _number(tree, device, "mem_info_vram_used")
    busy = _number(tree, device, "gpu_busy_percent")
    millidegrees = _sensor(tree, device, "temp1_input")
    return GpuState(
        memory_used_bytes=used,
        memory_free_bytes=None if total is None or used is None else max(0, total - used),
        pcie_generation=_generation(tree, device, "current_link_speed"),
        pcie_lanes=_positive(tree, device, "current_link_width"),
        power_watts=_watts(tree, device, "power1_average") or _watts(tree, device, "power1_input"),
        temperature_celsius=None if millidegrees is None else round(millidegrees / 1000),
        utilisation=None if busy is None else min(busy, 100) / 100,
    )


def _number(tree: Tree, device: str | None, name: str) -> int | None:
    number = None if device is None else tree.read_integer(f"{device}/{name}")
    return None if number is None or number < 0 else number


def _positive(tree: Tree, device: str | None, name: str) -> int | None:
    return _number(tree, device, name) or None


def _generation(tree: Tree, device: str | None, name: str) -> int | None:
    """`16.0 GT/s PCIe` is generation 4."""
    words = ((None if device is None else tree.read_word(f"{device}/{name}")) or "").split()
    return _GENERATIONS.get(words[0]) if words else None


def _sensor(tree: Tree, device: str | None, name: str) -> int | None:
    for monitor in tree.names(f"{device}/hwmon") if device else ():
        return tree.read_integer(f"{device}/hwmon/{monitor}/{name}")
    return None


def _watts(tree: Tree, device: str | None, name: str) -> float | None:
    microwatts = _sensor(tree, device, name)
    return microwatts / 1e6 if microwatts is not None and microwatts > 0 else None


def _properties(tree: Tree, folder: str) -> dict[str, int]:
    told = ((name, whole_number(value)) for name, value in pairs(tree.read(f"{folder}/properties"), " "))
    return {name: number for name, number in told if number is not None}


def _kfd_memory(tree: Tree, node: str) -> int | None:
    folder = f"{node}/mem_banks"
    banks = [_properties(tree, f"{folder}/{name}") for name in tree.names(folder)]
    sizes = [bank.get("size_in_bytes", 0) for bank in banks if bank.get("heap_type") in _LOCAL_MEMORY]
    return sum(sizes) or None


def _gfx_name(version: int) -> str | None:
    """The target that compilers use: 90010 is gfx90a, 110000 is gfx1100."""
    if version <= 0:
        return None
    return f"AMD gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"
