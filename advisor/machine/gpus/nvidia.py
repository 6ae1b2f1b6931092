"""NVIDIA's cards through its management library (NVML). Each question is asked by itself: old cards know fewer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations, takewhile
from typing import Any, TypeVar

from advisor.machine.cards import FoundGpus, Gpu, GpuDriver, GpuPair, GpuProcess, GpuState, Throttle, Topology
from advisor.machine.gpus import slices
from advisor.machine.host import Host, Tree
from advisor.wording import shorten

T = TypeVar("T")

_CONTAINER = "In a container, check that the cards are passed in."
# Numbers of nvml.h, which are part of its stable interface.
THROTTLES = {
    0x002: Throttle.SET_BY_USER,
    0x004: Throttle.POWER_CAP,
    0x008: Throttle.HARDWARE_SLOWDOWN,
    0x010: Throttle.SYNC_BOOST,
    0x020: Throttle.SOFTWARE_THERMAL,
    0x040: Throttle.HARDWARE_THERMAL,
    0x080: Throttle.POWER_BRAKE,
}
TOPOLOGIES = {
    0: Topology.BOARD,
    10: Topology.SWITCH,
    20: Topology.SWITCHES,
    30: Topology.HOST_BRIDGE,
    40: Topology.NUMA_NODE,
    50: Topology.SYSTEM,
}
P2P_READ, P2P_NVLINK, P2P_OK = 0, 2, 0
UNCORRECTED, SINCE_START = 1, 0
CORE_SENSOR = 0
_MOST_LINKS = 18


def ask(tree: Tree, host: Host) -> FoundGpus:
    """Properties that do not change while the machine runs; nothing is known when the driver does not answer."""
    nvml = host.nvml()
    if nvml is None:
        tree.notes.append("The NVIDIA driver cannot be asked for its cards: install nvidia-ml-py.")
        return FoundGpus(None)
    try:
        with _session(nvml):
            count = int(nvml.nvmlDeviceGetCount())
            driver = GpuDriver(_quiet(nvml, nvml.nvmlSystemGetDriverVersion), _cuda(nvml))
            gpus = tuple(_card(nvml, index, tree) for index in range(count))
            pairs = tuple(_pair(nvml, first, second) for first, second in combinations(range(count), 2))
            _note_pending(nvml, count, tree)
            found = slices.as_seen(FoundGpus(gpus, pairs, driver), nvml, tree, host)
            return replace(found, gpus=slices.limited(found.gpus or (), tree, host))
    except nvml.NVMLError as error:
        if host.system != "Linux" and isinstance(error, nvml.NVMLError_LibraryNotFound):
            return FoundGpus(())
        tree.notes.append(
            f"The number of GPUs is unknown: there is an NVIDIA driver, but it does not answer ({error}). {_CONTAINER}"
        )
        return FoundGpus(None)


def states(tree: Tree, host: Host) -> tuple[GpuState, ...]:
    """The state of each card at this moment; nothing when the driver does not answer any more."""
    nvml = host.nvml()
    if nvml is None:
        return ()
    try:
        with _session(nvml):
            return tuple(_state(nvml, index) for index in range(int(nvml.nvmlDeviceGetCount())))
    except nvml.NVMLError as error:
        tree.notes.append(f"What the GPUs are doing is unknown: their driver does not answer ({error}).")
        return ()


@contextmanager
def _session(nvml: Any) -> Iterator[None]:
    nvml.nvmlInit()
    try:
        yield
    finally:
        nvml.nvmlShutdown()


def _card(nvml: Any, index: int, tree: Tree) -> Gpu:
    def told(what: str, question: Callable[[Any], T]) -> T | None:
        try:
            return question(nvml.nvmlDeviceGetHandleByIndex(index))
        except nvml.NVMLError as error:
            tree.notes.append(f"GPU {index} does not tell its {what} ({error}).")
            return None

    def quiet(question: Callable[[Any], T]) -> T | None:
        """For what many cards do not have."""
        return _quiet(nvml, question, (index,))

    capability: tuple[int, int] | None = told("compute capability", nvml.nvmlDeviceGetCudaComputeCapability)
    name = told("name", nvml.nvmlDeviceGetName)
    return Gpu(
        backend="cuda",
        name=None if name is None else shorten(name),
        memory_bytes=told("memory", lambda card: int(nvml.nvmlDeviceGetMemoryInfo(card).total)),
        compute_capability=None if capability is None else float(f"{capability[0]}.{capability[1]}"),
        pcie_generation=told("PCIe generation", nvml.nvmlDeviceGetMaxPcieLinkGeneration),
        pcie_lanes=told("PCIe lanes", nvml.nvmlDeviceGetMaxPcieLinkWidth),
        power_limit_watts=quiet(lambda card: nvml.nvmlDeviceGetEnforcedPowerLimit(card) / 1000),
        nvlinks=_nvlinks(nvml, index),
        mig=quiet(lambda card: nvml.nvmlDeviceGetMigMode(card)[0] == 1),
        ecc=quiet(lambda card: nvml.nvmlDeviceGetEccMode(card)[0] == 1),
        uuid=quiet(lambda card: str(nvml.nvmlDeviceGetUUID(card))),
    )


def _note_pending(nvml: Any, count: int, tree: Tree) -> None:
    modes = [(index, _quiet(nvml, nvml.nvmlDeviceGetMigMode, (index,))) for index in range(count)]
    changing = [(index, mode[1] == 1) for index, mode in modes if mode is not None and mode[0] != mode[1]]
    if changing:
        tree.notes.append(slices.pending(changing))


def _nvlinks(nvml: Any, index: int) -> int | None:
    """None for a card that knows no NVLink; the first link that does not exist ends the count."""
    states = (_quiet(nvml, nvml.nvmlDeviceGetNvLinkState, (index,), link) for link in range(_MOST_LINKS))
    active = [state == 1 for state in takewhile(lambda state: state is not None, states)]
    return sum(active) if active else None


def _pair(nvml: Any, first: int, second: int) -> GpuPair:
    status, cards = nvml.nvmlDeviceGetP2PStatus, (first, second)
    level = _quiet(nvml, nvml.nvmlDeviceGetTopologyCommonAncestor, cards)
    nvlink, reading = _quiet(nvml, status, cards, P2P_NVLINK), _quiet(nvml, status, cards, P2P_READ)
    return GpuPair(
        first=first,
        second=second,
        path=None if level is None else TOPOLOGIES.get(level),
        nvlink=None if nvlink is None else nvlink == P2P_OK,
        peer_to_peer=None if reading is None else reading == P2P_OK,
    )


def _state(nvml: Any, index: int) -> GpuState:
    def quiet(question: Callable[[Any], T]) -> T | None:
        return _quiet(nvml, question, (index,))

    memory = quiet(nvml.nvmlDeviceGetMemoryInfo)
    reasons = quiet(nvml.nvmlDeviceGetCurrentClocksThrottleReasons)
    processes = quiet(nvml.nvmlDeviceGetComputeRunningProcesses)
    return GpuState(
        memory_used_bytes=None if memory is None else int(memory.used),
        memory_free_bytes=None if memory is None else int(memory.free),
        pcie_generation=quiet(nvml.nvmlDeviceGetCurrPcieLinkGeneration),
        pcie_lanes=quiet(nvml.nvmlDeviceGetCurrPcieLinkWidth),
        power_watts=quiet(lambda card: nvml.nvmlDeviceGetPowerUsage(card) / 1000),
        temperature_celsius=quiet(lambda card: nvml.nvmlDeviceGetTemperature(card, CORE_SENSOR)),
        utilisation=quiet(lambda card: nvml.nvmlDeviceGetUtilizationRates(card).gpu / 100),
        throttling=None if reasons is None else tuple(why for bit, why in THROTTLES.items() if reasons & bit),
        uncorrected_errors=quiet(lambda card: nvml.nvmlDeviceGetTotalEccErrors(card, UNCORRECTED, SINCE_START)),
        processes=None if processes is None else tuple(GpuProcess(one.usedGpuMemory, one.pid) for one in processes),
    )


def _cuda(nvml: Any) -> str | None:
    """NVML writes 12.8 as 12080."""
    version = _quiet(nvml, nvml.nvmlSystemGetCudaDriverVersion)
    return None if version is None else f"{version // 1000}.{version % 1000 // 10}"


def _quiet(nvml: Any, question: Callable[..., T], cards: tuple[int, ...] = (), *more: int) -> T | None:
    """The answer to a question about the system or these cards; None where it is not known."""
    try:
        return question(*map(nvml.nvmlDeviceGetHandleByIndex, cards), *more)
    except nvml.NVMLError:
        return None
