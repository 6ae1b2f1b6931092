"""Which GPUs the machine has, and only what they really answer.

"No GPU" is said only after looking. Where a driver is there but does not answer, the count is unknown, and a
note says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from advisor.machine.host import Host, Tree

T = TypeVar("T")

# Without one of these there is no NVIDIA kernel driver: a common Linux, its devices, WSL 2, Jetson.
_NVIDIA_TRACES = ("/proc/driver/nvidia", "/dev/nvidiactl", "/dev/dxg", "/dev/nvgpu", "/dev/nvhost-gpu")
_KFD_NODES = "/sys/class/kfd/kfd/topology/nodes"
_PCI_DEVICES = "/sys/bus/pci/devices"
_NVIDIA_VENDOR = 0x10DE
_DISPLAY_CLASS = 0x03
_KFD_LOCAL_MEMORY = (1, 2)
"""Heap types of the kernel's kfd_topology.h: memory of the card, visible to the host or private."""
_CONTAINER = "In a container, check that the cards are passed in."


@dataclass(frozen=True, slots=True)
class Gpu:
    """One card. None is unknown."""

    backend: str
    """cuda, rocm or mps"""
    name: str | None = None
    memory_bytes: int | None = None
    compute_capability: float | None = None
    pcie_generation: int | None = None
    """The best that card and slot can do together; an idle card may run slower."""
    pcie_lanes: int | None = None


def detect_gpus(tree: Tree, host: Host) -> tuple[Gpu, ...] | None:
    """The cards; an empty tuple when there are none, None when nobody can say."""
    if host.system == "Darwin":
        return _apple(tree, host)
    nvidia = _nvidia(tree, host)
    if nvidia is None:
        return None
    if nvidia:
        _note_hidden_cards(tree, host)
        return nvidia
    if host.system == "Linux":
        return _amd(tree)
    tree.notes.append(f"On {host.system} only NVIDIA cards are looked for: state others yourself.")
    return None


def _nvidia(tree: Tree, host: Host) -> tuple[Gpu, ...] | None:
    if host.system == "Linux" and not any(map(tree.exists, _NVIDIA_TRACES)):
        return None if _nvidia_card_without_driver(tree) else ()
    nvml = host.nvml()
    if nvml is None:
        tree.notes.append("The NVIDIA driver cannot be asked for its cards: install nvidia-ml-py.")
        return None
    try:
        with _session(nvml):
            return tuple(_nvidia_card(nvml, index, tree) for index in range(nvml.nvmlDeviceGetCount()))
    except nvml.NVMLError as error:
        if host.system != "Linux" and isinstance(error, nvml.NVMLError_LibraryNotFound):
            return ()
        tree.notes.append(
            f"The number of GPUs is unknown: there is an NVIDIA driver, but it does not answer ({error}). {_CONTAINER}"
        )
        return None


@contextmanager
def _session(nvml: Any) -> Iterator[None]:
    nvml.nvmlInit()
    try:
        yield
    finally:
        nvml.nvmlShutdown()


def _nvidia_card(nvml: Any, index: int, tree: Tree) -> Gpu:
    def ask(what: str, question: Callable[[Any], T]) -> T | None:
        try:
            return question(nvml.nvmlDeviceGetHandleByIndex(index))
        except nvml.NVMLError as error:
            tree.notes.append(f"GPU {index} does not tell its {what} ({error}).")
            return None

    capability: tuple[int, int] | None = ask("compute capability", nvml.nvmlDeviceGetCudaComputeCapability)
    return Gpu(
        backend="cuda",
        name=ask("name", nvml.nvmlDeviceGetName),
        memory_bytes=ask("memory", lambda card: int(nvml.nvmlDeviceGetMemoryInfo(card).total)),
        compute_capability=None if capability is None else float(f"{capability[0]}.{capability[1]}"),
        pcie_generation=ask("PCIe generation", nvml.nvmlDeviceGetMaxPcieLinkGeneration),
        pcie_lanes=ask("PCIe lanes", nvml.nvmlDeviceGetMaxPcieLinkWidth),
    )


def _note_hidden_cards(tree: Tree, host: Host) -> None:
    visible = host.environment("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        tree.notes.append(f"CUDA_VISIBLE_DEVICES is {visible!r}: programs may see fewer cards than counted.")


def _nvidia_card_without_driver(tree: Tree) -> bool:
    for device in tree.names(_PCI_DEVICES):
        folder = f"{_PCI_DEVICES}/{device}"
        kind = tree.read_integer(f"{folder}/class")
        if kind is None or kind >> 16 != _DISPLAY_CLASS:
            continue
        if tree.read_integer(f"{folder}/vendor") == _NVIDIA_VENDOR:
            remedy = "Install NVIDIA's driver, or state machine.gpu.count 0 to do without the card"
            tree.notes.append(f"There is an NVIDIA card at {device}, but no NVIDIA driver. {remedy}.")
            return True
    return False


def _amd(tree: Tree) -> tuple[Gpu, ...] | None:
    """The nodes with compute units that the kernel's compute driver (KFD) lists, integrated GPUs included."""
    cards: list[Gpu] = []
    for node in (f"{_KFD_NODES}/{name}" for name in tree.names(_KFD_NODES)):
        properties = _kfd_properties(tree, node)
        if properties.get("simd_count", 0) > 0:
            name = _gfx_name(properties.get("gfx_target_version", 0))
            cards.append(Gpu(backend="rocm", name=name, memory_bytes=_kfd_memory(tree, node)))
    if cards and not tree.exists("/dev/kfd"):
        tree.notes.append(
            f"The number of GPUs is unknown: the kernel lists {len(cards)} of AMD, but /dev/kfd is missing. "
            f"{_CONTAINER}"
        )
        return None
    return tuple(cards)


def _kfd_properties(tree: Tree, folder: str) -> dict[str, int]:
    words = (line.split() for line in (tree.read(f"{folder}/properties") or "").splitlines())
    return {pair[0]: int(pair[1]) for pair in words if len(pair) == 2 and pair[1].isdecimal()}


def _kfd_memory(tree: Tree, node: str) -> int | None:
    folder = f"{node}/mem_banks"
    banks = [_kfd_properties(tree, f"{folder}/{name}") for name in tree.names(folder)]
    sizes = [bank.get("size_in_bytes", 0) for bank in banks if bank.get("heap_type") in _KFD_LOCAL_MEMORY]
    return sum(sizes) or None


def _gfx_name(version: int) -> str | None:
    """The target that compilers use: 90010 is gfx90a, 110000 is gfx1100."""
    if version == 0:
        return None
    return f"AMD gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"


def _apple(tree: Tree, host: Host) -> tuple[Gpu, ...] | None:
    if host.architecture != "arm64":
        tree.notes.append("Whether the GPU of an Intel Mac can be used is not looked for; state it yourself.")
        return None
    return (Gpu(backend="mps", name=host.sysctl("machdep.cpu.brand_string")),)
