"""The GPUs of the machine, and only what they really answer.

"No GPU" is said only after looking. Where a driver is there but does not answer, the count is unknown, and a
note says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from advisor.machine.cards import FoundGpus, Gpu
from advisor.machine.host import Host, Tree, whole_number

# Without one of these there is no NVIDIA kernel driver: a common Linux, its devices, WSL 2, Jetson.
_NVIDIA_TRACES = ("/proc/driver/nvidia", "/dev/nvidiactl", "/dev/dxg", "/dev/nvgpu", "/dev/nvhost-gpu")
_PCI_DEVICES = "/sys/bus/pci/devices"
_NVIDIA_VENDOR = 0x10DE
_DISPLAY_CLASS = 0x03


def detect_gpus(tree: Tree, host: Host) -> FoundGpus:
    if host.system == "Darwin":
        return FoundGpus(_apple(tree, host))
    # Elsewhere than on Linux only the driver's library can tell.
    if host.system != "Linux" or any(map(tree.exists, _NVIDIA_TRACES)):
        from advisor.machine.gpus import nvidia  # 1 ms for each maker

        asked = nvidia.ask(tree, host)
        visible = host.environment("CUDA_VISIBLE_DEVICES") if asked.gpus else None
        if visible is not None:
            tree.notes.append(f"CUDA_VISIBLE_DEVICES is {visible!r}: programs may see fewer cards than counted.")
        if asked.gpus != ():
            return asked
    elif _nvidia_card_without_driver(tree):
        return FoundGpus(None)
    if host.system == "Linux":
        if not tree.exists("/sys/class/kfd"):
            return FoundGpus(())
        from advisor.machine.gpus import amd  # 1 ms

        return FoundGpus(amd.detect(tree))
    tree.notes.append(f"On {host.system} only NVIDIA cards are looked for: state others yourself.")
    return FoundGpus(None)


def gpu_states(gpus: Sequence[Gpu] | None, tree: Tree, host: Host) -> tuple[Gpu, ...] | None:
    """The same cards with what each is doing now."""
    if gpus is None:
        return None
    from advisor.machine.gpus import amd, nvidia  # 1 ms for each maker

    backends = {gpu.backend for gpu in gpus}
    if "cuda" in backends:
        states = nvidia.states(tree, host)
    elif "rocm" in backends:
        states = amd.states(tree)
    else:
        states = ()
    if len(states) != len(gpus) or any(gpu.mig for gpu in gpus):  # of an instance no state is known
        return tuple(gpus)
    return tuple(replace(gpu, state=state) for gpu, state in zip(gpus, states, strict=True))


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


def _apple(tree: Tree, host: Host) -> tuple[Gpu, ...] | None:
    # A program for Intel processors on an Apple one (Rosetta) is told x86_64; this value tells the truth.
    if host.architecture != "arm64" and whole_number(host.sysctl("hw.optional.arm64") or "") != 1:
        tree.notes.append("Whether the GPU of an Intel Mac can be used is not looked for; state it yourself.")
        return None
    return (Gpu(backend="mps", name=host.sysctl("machdep.cpu.brand_string")),)
