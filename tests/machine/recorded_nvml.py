"""A stand-in for pynvml: cards whose answers were written by hand after nvml.h and nvidia-smi."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import ModuleType, SimpleNamespace
from typing import Any


class RecordedNvmlError(Exception):
    """Stands in for pynvml.NVMLError."""


class RecordedLibraryNotFoundError(RecordedNvmlError):
    """Stands in for pynvml.NVMLError_LibraryNotFound."""


class RecordedNotFoundError(RecordedNvmlError):
    """Stands in for pynvml.NVMLError_NotFound."""


@dataclass(frozen=True)
class RecordedCard:
    """One card; a question whose answer is None fails, as NVML fails with `Not Supported`."""

    name: str | None
    memory: int | None = None
    capability: tuple[int, int] | None = None
    generation: int | None = None
    lanes: int | None = None
    used: int = 0
    generation_now: int | None = None
    lanes_now: int | None = None
    limit_milliwatts: int | None = None
    draw_milliwatts: int | None = None
    temperature: int | None = None
    utilisation: int | None = None
    throttle_bits: int | None = None
    uncorrected: int | None = None
    ecc: int | None = None
    mig: int | None = None
    mig_next: int | None = None
    """After the next reset; as now where None"""
    instances: tuple[RecordedCard | None, ...] | None = None
    """Of a divided card, None in an empty place; None where the driver does not list them"""
    uuid: str | None = None
    links: tuple[int, ...] = ()
    processes: tuple[tuple[int, int | None], ...] | None = None
    number: int = 0


@dataclass(frozen=True)
class RecordedDriver:
    version: str | None = None
    cuda: int | None = None
    levels: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """Topology levels of nvml.h, by pair"""
    nvlinked: frozenset[tuple[int, int]] | None = None
    readable: frozenset[tuple[int, int]] | None = None


def recorded_nvml(
    *cards: RecordedCard,
    start: Exception | None = None,
    sessions: list[str] | None = None,
    driver: RecordedDriver | None = None,
) -> ModuleType:
    """A module like pynvml that answers for these cards, or fails to start; `sessions` collects its calls."""
    log = sessions if sessions is not None else []
    system = driver or RecordedDriver()
    numbered = [replace(card, number=number) for number, card in enumerate(cards)]

    def begin() -> None:
        if start is not None:
            raise start
        log.append("start")

    def known(answer: Any) -> Any:
        if answer is None:
            raise RecordedNvmlError("Not Supported")
        return answer

    def ask(question: Callable[[RecordedCard], Any]) -> Callable[..., Any]:
        return lambda card, *_: known(question(card))

    def peer(first: RecordedCard, second: RecordedCard, index: int) -> int:
        joined = known({0: system.readable, 2: system.nvlinked}[index])
        return 0 if (first.number, second.number) in joined else 1

    def instance(card: RecordedCard, place: int) -> RecordedCard:
        if card.instances is None:
            raise RecordedNvmlError("Function Not Found")
        found = card.instances[place] if place < len(card.instances) else None
        if found is None:
            raise RecordedNotFoundError("Not Found")
        return found

    def mode(card: RecordedCard) -> list[int] | None:
        return None if card.mig is None else [card.mig, card.mig if card.mig_next is None else card.mig_next]

    def processes(card: RecordedCard) -> list[SimpleNamespace] | None:
        if card.processes is None:
            return None
        return [SimpleNamespace(pid=pid, usedGpuMemory=memory) for pid, memory in card.processes]

    def memory(card: RecordedCard) -> SimpleNamespace | None:
        if card.memory is None:
            return None
        return SimpleNamespace(total=card.memory, used=card.used, free=card.memory - card.used)

    module = ModuleType("recorded_nvml")
    vars(module).update(
        NVMLError=RecordedNvmlError,
        NVMLError_LibraryNotFound=RecordedLibraryNotFoundError,
        nvmlInit=begin,
        nvmlShutdown=lambda: log.append("end"),
        nvmlSystemGetDriverVersion=lambda: known(system.version),
        nvmlSystemGetCudaDriverVersion=lambda: known(system.cuda),
        nvmlDeviceGetCount=lambda: len(numbered),
        nvmlDeviceGetHandleByIndex=lambda index: numbered[index],
        nvmlDeviceGetName=ask(lambda card: card.name),
        nvmlDeviceGetUUID=ask(lambda card: card.uuid),
        nvmlDeviceGetMemoryInfo=ask(memory),
        nvmlDeviceGetCudaComputeCapability=ask(lambda card: card.capability),
        nvmlDeviceGetMaxPcieLinkGeneration=ask(lambda card: card.generation),
        nvmlDeviceGetMaxPcieLinkWidth=ask(lambda card: card.lanes),
        nvmlDeviceGetCurrPcieLinkGeneration=ask(lambda card: card.generation_now),
        nvmlDeviceGetCurrPcieLinkWidth=ask(lambda card: card.lanes_now),
        nvmlDeviceGetEnforcedPowerLimit=ask(lambda card: card.limit_milliwatts),
        nvmlDeviceGetPowerUsage=ask(lambda card: card.draw_milliwatts),
        nvmlDeviceGetTemperature=ask(lambda card: card.temperature),
        nvmlDeviceGetUtilizationRates=ask(
            lambda card: None if card.utilisation is None else SimpleNamespace(gpu=card.utilisation, memory=0)
        ),
        nvmlDeviceGetCurrentClocksThrottleReasons=ask(lambda card: card.throttle_bits),
        nvmlDeviceGetTotalEccErrors=ask(lambda card: card.uncorrected),
        nvmlDeviceGetEccMode=ask(lambda card: None if card.ecc is None else [card.ecc, card.ecc]),
        nvmlDeviceGetMigMode=ask(mode),
        nvmlDeviceGetMaxMigDeviceCount=lambda _: 7,
        nvmlDeviceGetMigDeviceHandleByIndex=instance,
        NVMLError_NotFound=RecordedNotFoundError,
        nvmlDeviceGetComputeRunningProcesses=ask(processes),
        nvmlDeviceGetNvLinkState=lambda card, link: known(card.links[link] if link < len(card.links) else None),
        nvmlDeviceGetTopologyCommonAncestor=lambda first, second: known(
            system.levels.get((first.number, second.number))
        ),
        nvmlDeviceGetP2PStatus=peer,
    )
    return module
