"""The processor: its name, its cores and the instruction sets that decide which number formats are fast."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from advisor.machine.host import Host, Tree, number_list, pairs, whole_number

_FEATURES = {
    "avx2": "avx2",
    "avx512f": "avx512",
    "avx512_bf16": "avx512_bf16",
    "amx_bf16": "amx_bf16",
    "neon": "neon",
    "asimd": "neon",
    "sve": "sve",
}
"""By the flag of the kernel."""
CPU_FEATURES = frozenset(_FEATURES.values())

# 64-bit ARM kernels print numbers instead of a name: implementer and part, as in Arm's manuals and lscpu.
_ARM_CORES = {
    ("0x41", "0xd08"): "Arm Cortex-A72",
    ("0x41", "0xd0b"): "Arm Cortex-A76",
    ("0x41", "0xd0c"): "Arm Neoverse-N1",
    ("0x41", "0xd40"): "Arm Neoverse-V1",
    ("0x41", "0xd49"): "Arm Neoverse-N2",
    ("0x41", "0xd4f"): "Arm Neoverse-V2",
    ("0xc0", "0xac3"): "Ampere-1",
}
_WANTED = frozenset(
    ("processor", "model name", "physical id", "core id", "flags", "Features", "CPU implementer", "CPU part")
)


@dataclass(frozen=True, slots=True)
class Processor:
    """A machine's processors taken together; None is unknown."""

    model: str | None
    physical_cores: int | None
    logical_cores: int | None
    features: frozenset[str] | None
    sockets: int | None = None
    cores: tuple[tuple[int, ...], ...] | None = None
    """The hardware threads of each core, by number"""


def detect_processor(tree: Tree, host: Host) -> Processor:
    """Read /proc/cpuinfo and the topology under /sys where they exist; elsewhere ask the system, and last the processor."""
    text = tree.read("/proc/cpuinfo")
    if text is not None:
        return _from_cpuinfo(_cpuinfo_entries(text), tree, host)
    if host.system == "Darwin":
        found = _from_sysctl(host)
    else:
        found = Processor(None, host.physical_cores(), host.logical_cores(), features=None)
    return found if found.model else _named_by_itself(found, tree, host)


def _cpuinfo_entries(text: str) -> list[dict[str, str]]:
    """The wanted lines, one dictionary for each hardware thread."""
    entries: list[dict[str, str]] = []
    for key, value in pairs(text):
        if key == "processor":
            entries.append({})
        if entries and key in _WANTED:
            entries[-1][key] = value
    return entries


def _from_cpuinfo(entries: list[dict[str, str]], tree: Tree, host: Host) -> Processor:
    first = entries[0] if entries else {}
    flags = first.get("flags") or first.get("Features")
    logical = len(entries) or host.logical_cores()
    cores = _cores(entries, tree)
    physical = len(cores) if cores else host.physical_cores()
    if physical is None:
        tree.notes.append("Nothing tells which hardware threads share a physical core.")
    elif logical is not None:
        physical = min(physical, logical)  # a container may show fewer threads than the topology below /sys
    return Processor(
        model=first.get("model name") or _arm_core(first),
        physical_cores=physical,
        logical_cores=logical,
        features=None if flags is None else _known_features(flags.split()),
        sockets=_sockets(entries, tree),
        cores=cores,
    )


def _cores(entries: list[dict[str, str]], tree: Tree) -> tuple[tuple[int, ...], ...] | None:
    """Sets of threads that share a core; failing that, threads of the same package and core number.

    The sets come first because core numbers repeat within a package of several dies.
    """
    numbers = [whole_number(entry["processor"]) for entry in entries]
    threads = [number for number in numbers if number is not None]
    if not threads or len(threads) < len(entries):
        return None
    return _cores_by_sets(threads, tree) or _cores_by_numbers(threads, entries)


def _cores_by_sets(threads: list[int], tree: Tree) -> tuple[tuple[int, ...], ...] | None:
    cores: dict[int, tuple[int, ...]] = {}
    for thread in threads:
        if thread in cores:
            continue  # one file tells of all threads of a core
        topology = f"/sys/devices/system/cpu/cpu{thread}/topology"
        # Linux before 5.2 has only the second, older name for the same list.
        text = tree.read(f"{topology}/core_cpus_list") or tree.read(f"{topology}/thread_siblings_list")
        siblings = number_list(text)
        if siblings is None:
            return None
        cores |= dict.fromkeys((thread, *siblings), siblings)
    return tuple(sorted(set(cores.values())))


def _cores_by_numbers(threads: list[int], entries: list[dict[str, str]]) -> tuple[tuple[int, ...], ...] | None:
    cores: dict[tuple[str, str], list[int]] = {}
    for thread, entry in zip(threads, entries, strict=True):
        package, core = entry.get("physical id"), entry.get("core id")
        if package is None or core is None:
            return None
        cores.setdefault((package, core), []).append(thread)
    return tuple(sorted(tuple(sorted(core)) for core in cores.values()))


def _sockets(entries: list[dict[str, str]], tree: Tree) -> int | None:
    """/proc/cpuinfo tells it on x86; below /sys it stands everywhere, -1 for unknown."""
    packages = {entry.get("physical id") for entry in entries}
    if packages and None not in packages:
        return len(packages)
    cpu = "/sys/devices/system/cpu"
    numbers = [tree.read_integer(f"{cpu}/cpu{entry['processor']}/topology/physical_package_id") for entry in entries]
    known = {number for number in numbers if number is not None and number >= 0}
    return len(known) if known and None not in numbers and -1 not in numbers else None


def _arm_core(entry: dict[str, str]) -> str | None:
    implementer, part = entry.get("CPU implementer"), entry.get("CPU part")
    if implementer is None or part is None:
        return None
    return _ARM_CORES.get((implementer, part), f"ARM implementer {implementer}, part {part}")


def _known_features(flags: Iterable[str]) -> frozenset[str]:
    return frozenset(_FEATURES[flag] for flag in flags if flag in _FEATURES)


def _from_sysctl(host: Host) -> Processor:
    def integer(name: str) -> int | None:
        return whole_number(host.sysctl(name) or "")

    if host.architecture == "arm64":
        features = frozenset({"neon"})  # part of the base architecture
    else:
        asked = {"hw.optional.avx2_0": "avx2", "hw.optional.avx512f": "avx512"}
        features = frozenset(feature for name, feature in asked.items() if host.sysctl(name) == "1")
    return Processor(
        model=host.sysctl("machdep.cpu.brand_string"),
        physical_cores=integer("hw.physicalcpu") or host.physical_cores(),
        logical_cores=integer("hw.logicalcpu") or host.logical_cores(),
        features=features,
        sockets=integer("hw.packages"),
    )


def _named_by_itself(found: Processor, tree: Tree, host: Host) -> Processor:
    """With the name and the features that py-cpuinfo asks of the processor, which takes over a second."""
    name, flags = host.cpuid() or ("", frozenset())
    if not name and not flags:
        tree.notes.append("The processor's name and features are unknown: py-cpuinfo does not tell them here.")
    return replace(found, model=name or None, features=_known_features(flags) if flags else found.features)
