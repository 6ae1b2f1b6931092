"""A machine, torch's view of it, and their disagreements, for the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from advisor.facts.values import number_text, with_unit
from advisor.machine.cards import Gpu, Topology
from advisor.machine.doctor.finding import Finding, Severity
from advisor.machine.machine import Machine
from advisor.machine.parts import CacheKind, Disk
from advisor.machine.torch_view import TorchView
from advisor.plain import encode
from advisor.report.page import Look, Page, Style
from advisor.wording import join_names

SCHEMA = "advisor/doctor/1"
_HEADINGS = {Severity.PROBLEM: "PROBLEMS", Severity.WARNING: "WARNINGS", Severity.NOTE: "NOTES"}
_STYLES = {Severity.PROBLEM: Style.BAD, Severity.WARNING: Style.CARE, Severity.NOTE: Style.STRONG}
_JOINED = {
    Topology.BOARD: "on one board",
    Topology.SWITCH: "behind one PCIe switch",
    Topology.SWITCHES: "behind PCIe switches",
    Topology.HOST_BRIDGE: "on one PCIe host bridge",
    Topology.NUMA_NODE: "in one NUMA node",
    Topology.SYSTEM: "across sockets",
}


def doctor_page(machine: Machine, torch_view: TorchView, found: Sequence[Finding], look: Look) -> str:
    page = Page(look)
    page.heading("THIS MACHINE")
    page.labelled(machine_lines(machine))
    page.heading("WHAT PYTORCH SEES")
    page.labelled(torch_lines(torch_view))
    for severity, group in groupby(found, key=lambda finding: finding.severity):
        page.heading(_HEADINGS[severity])
        for number, finding in enumerate(group):
            if number:
                page.blank()
            page.add((finding.title, _STYLES[severity]), first="- ")
            page.items([finding.what, finding.remedy], "  ")
            for command in finding.commands:
                page.verbatim(command, first="    ")
    counts = [(severity, sum(one.severity is severity for one in found)) for severity in Severity]
    parts = [f"{count} {severity}{'s' if count > 1 else ''}" for severity, count in counts if count]
    page.apart((f"{join_names(parts)}.", Style.STRONG) if parts else ("Nothing disagrees.", Style.GOOD))
    for note in machine.notes:
        page.add((note, Style.FAINT), first=[("Not known: ", Style.FAINT)], rest="  ")
    return page.text()


def doctor_json(machine: Machine, torch_view: TorchView, found: Sequence[Finding]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "machine": machine.to_json(),
        "torch": encode(torch_view),
        "findings": encode(found),
    }


def machine_lines(machine: Machine) -> Iterator[tuple[str, str]]:
    """Label and text of what is known of a machine, a line for each part."""
    yield "Processor", _processor(machine)
    yield "Allowed", _allowed(machine)
    if caches := _caches(machine):
        yield "Caches", caches
    yield "Memory", _memory(machine)
    for text, group in groupby(enumerate(map(_gpu, machine.gpus or ())), key=lambda numbered: numbered[1]):
        numbers = [number for number, _ in group]
        yield f"GPU {numbers[0]}" + (f" to {numbers[-1]}" if len(numbers) > 1 else ""), text
    if machine.gpus is None:
        yield "GPUs", "unknown"
    elif not machine.gpus:
        yield "GPUs", "none"
    if joined := _joined(machine):
        yield "Joined", joined
    for disk in machine.disks:
        yield "Disk", _disk(disk)
    yield "System", _system(machine)


def torch_lines(view: TorchView) -> Iterator[tuple[str, str]]:
    if view.error is not None:
        yield "PyTorch", "cannot be asked"
        return
    if view.cuda or view.hip:
        build = f"for CUDA {view.cuda}" if view.cuda else f"for ROCm {view.hip}"
    else:
        build = "with Metal" if view.mps_built else "for processors only"
    yield "PyTorch", f"{view.version or 'of unknown version'}, built {build}"
    if view.devices:
        names = [device.name or "a GPU without a name" for device in view.devices]
        yield "GPUs", f"{len(names)}: {join_names(sorted(set(names)))}"
    elif view.mps_available:
        yield "GPUs", "the Apple GPU, through MPS"
    else:
        yield "GPUs", "none that it can use"
    if view.architectures:
        yield "Code for", " ".join(view.architectures)
    threads = None if view.threads is None else f"{view.threads} in one operation"
    interop = None if view.interop_threads is None else f"{view.interop_threads} between operations"
    yield "Threads", _listed(threads, interop) or "unknown"
    parts = {"MKL": view.mkl, "oneDNN": view.mkldnn, "OpenMP": view.openmp}
    if None not in parts.values():
        yield "Libraries", join_names([name for name, there in parts.items() if there]) or f"none of {', '.join(parts)}"


def _listed(*parts: str | None) -> str:
    return ", ".join(part for part in parts if part)


def _counted(number: float | None, unit: str) -> str:
    return "" if number is None else with_unit(number, unit)


def _processor(machine: Machine) -> str:
    return _listed(
        machine.cpu_model or "of unknown name",
        _counted(machine.physical_cores, "cores"),
        _counted(machine.logical_cores, "hardware threads"),
        _counted(machine.sockets, "sockets") if (machine.sockets or 0) > 1 else "",
        " ".join(sorted(machine.features or ())),
    )


def _allowed(machine: Machine) -> str:
    if machine.usable_cores is None:
        return "unknown"
    quota, clocks = machine.quota_cores, machine.clocks
    parts = [with_unit(machine.usable_cores, "hardware threads") + " at once"]
    parts += [] if quota is None else [f"a quota of {number_text(round(quota, 2))} cores"]
    if clocks is not None and clocks.now_hertz is not None:
        most = "" if clocks.max_hertz is None else f" of {_gigahertz(clocks.max_hertz)}"
        parts.append(f"clock {_gigahertz(clocks.now_hertz)}{most} GHz")
    if clocks is not None and clocks.governors:
        parts.append(f"governor {join_names(clocks.governors)}")
    return ", ".join(parts)


def _gigahertz(hertz: int) -> str:
    return number_text(round(hertz / 1e9, 2))


def _caches(machine: Machine) -> str:
    """First level data, then the others; instances that are alike together."""
    shown = [cache for cache in machine.caches or () if cache.kind is not CacheKind.INSTRUCTION]
    return ", ".join(f"L{cache.level} {cache.instances} x {_binary(cache.size_bytes)}" for cache in shown)


def _binary(size: int) -> str:
    """Caches and memory come in powers of two."""
    for unit, name in ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= unit:
            return f"{number_text(round(size / unit, 1))} {name}"
    return f"{size} B"


def _memory(machine: Machine) -> str:
    size, free, nodes = machine.memory_bytes, machine.memory_available_bytes, len(machine.numa_nodes or ())
    parts = [
        "unknown size" if size is None else _binary(size),
        "" if free is None else f"{_binary(free)} free",
        f"{nodes} NUMA nodes" if nodes > 1 else "",
    ]
    modules = machine.memory_modules
    if modules is not None:
        speed = modules.transfers_per_second
        rate = "" if speed is None else f" at {number_text(speed / 1e6)} MT/s"
        channels = "" if modules.channels is None else f" on {with_unit(modules.channels, 'channels')}"
        parts.append(f"{modules.count} x {modules.kind or 'module'}{rate}{channels}")
    if machine.swap_bytes is not None:
        used = machine.swap_used_bytes or 0
        parts.append(f"swap {_binary(machine.swap_bytes)}, {_binary(used)} used" if machine.swap_bytes else "no swap")
    return _listed(*parts)


def _gpu(gpu: Gpu) -> str:
    free, lanes = (None, None) if gpu.state is None else (gpu.state.memory_free_bytes, gpu.state.pcie_lanes)
    left = "" if free is None else f" ({_binary(free)} free)"
    narrowed = "" if lanes in (None, gpu.pcie_lanes) else f"x{lanes} of "
    return _listed(
        gpu.name or f"a card without a name ({gpu.backend})",
        None if gpu.memory_bytes is None else f"{_binary(gpu.memory_bytes)}{left}",
        None if gpu.compute_capability is None else f"capability {gpu.compute_capability:.1f}",
        None
        if None in (gpu.pcie_generation, gpu.pcie_lanes)
        else f"PCIe {gpu.pcie_generation}.0 {narrowed}x{gpu.pcie_lanes}",
        with_unit(gpu.nvlinks, "NVLinks") if gpu.nvlinks else "",
        None if gpu.power_limit_watts is None else with_unit(round(gpu.power_limit_watts), "W"),
        "divided (MIG)" if gpu.mig else "",
    )


def _joined(machine: Machine) -> str:
    if not machine.gpu_pairs:
        return ""
    paths = [pair.path for pair in machine.gpu_pairs if pair.path is not None]
    farthest = _JOINED[max(paths, key=list(Topology).index)] if paths else ""
    direct = {pair.peer_to_peer for pair in machine.gpu_pairs}
    everywhere = "each reads the others' memory directly" if direct == {True} else ""
    nowhere = "none reads another's memory directly" if direct == {False} else ""
    return _listed("by NVLink" if machine.nvlink else "", farthest, everywhere, nowhere)


def _disk(disk: Disk) -> str:
    kind = disk.kind.value if disk.kind is not None else "virtual disk" if disk.virtual else "unknown kind"
    place = f"{disk.folder or 'a folder'}: {disk.file_system or 'unknown file system'} on {kind}"
    if disk.free_bytes is None or disk.total_bytes is None:
        return place
    return f"{place}, {with_unit(disk.free_bytes, 'bytes')} of {with_unit(disk.total_bytes, 'bytes')} free"


def _system(machine: Machine) -> str:
    driver, hypervisor = machine.gpu_driver, f" ({machine.hypervisor})" if machine.hypervisor else ""
    cuda = f" (CUDA {driver.cuda})" if driver is not None and driver.cuda else ""
    return _listed(
        " ".join(part for part in (machine.system, machine.kernel, machine.architecture) if part) or "unknown",
        f"NVIDIA driver {driver.version}{cuda}" if driver is not None and driver.version else "",
        f"a virtual machine{hypervisor}" if machine.virtual else "",
        f"in a container ({machine.container})" if machine.container else "",
    )
