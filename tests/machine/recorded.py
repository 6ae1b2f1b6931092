"""Stand-ins for machines that are not here: recorded files, answers of the system, and an NVML."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from advisor.machine.detection import Machine, detect

RECORDINGS = Path(__file__).parent / "recordings"


@dataclass(frozen=True)
class RecordedHost:
    """Answers as they were recorded; everything not recorded is unknown, as on a host that does not say."""

    system: str = "Linux"
    architecture: str = "x86_64"
    threads_by_affinity: int | None = None
    threads: int | None = None
    cores: int | None = None
    memory: int | None = None
    kernel: Mapping[str, str] = field(default_factory=dict)
    processor: tuple[str, Set[str]] | None = None
    driver: Any = None
    variables: Mapping[str, str] = field(default_factory=dict)

    def affinity(self) -> int | None:
        return self.threads_by_affinity

    def logical_cores(self) -> int | None:
        return self.threads

    def physical_cores(self) -> int | None:
        return self.cores

    def memory_bytes(self) -> int | None:
        return self.memory

    def sysctl(self, name: str) -> str | None:
        return self.kernel.get(name)

    def cpuid(self) -> tuple[str, Set[str]] | None:
        return self.processor

    def nvml(self) -> Any | None:
        return self.driver

    def environment(self, name: str) -> str | None:
        return self.variables.get(name)


def recorded_machine(name: str, **answers: Any) -> Machine:
    """Detection run on a recording."""
    return detect(RECORDINGS / name, RecordedHost(**answers))


class RecordedNvmlError(Exception):
    """Stands in for pynvml.NVMLError."""


class RecordedLibraryNotFoundError(RecordedNvmlError):
    """Stands in for pynvml.NVMLError_LibraryNotFound."""


@dataclass(frozen=True)
class RecordedCard:
    """One card; a question whose answer is None fails, as NVML fails with `Not Supported`."""

    name: str | None
    memory: int | None = None
    capability: tuple[int, int] | None = None
    generation: int | None = None
    lanes: int | None = None


@dataclass(frozen=True)
class _Memory:
    total: int


def recorded_nvml(
    *cards: RecordedCard, start: Exception | None = None, sessions: list[str] | None = None
) -> ModuleType:
    """A module like pynvml that answers for these cards, or fails to start; `sessions` collects its calls."""
    log = sessions if sessions is not None else []

    def begin() -> None:
        if start is not None:
            raise start
        log.append("start")

    def ask(question: Callable[[RecordedCard], Any]) -> Callable[[RecordedCard], Any]:
        def answer(card: RecordedCard) -> Any:
            if question(card) is None:
                raise RecordedNvmlError("Not Supported")
            return question(card)

        return answer

    module = ModuleType("recorded_nvml")
    vars(module).update(
        NVMLError=RecordedNvmlError,
        NVMLError_LibraryNotFound=RecordedLibraryNotFoundError,
        nvmlInit=begin,
        nvmlShutdown=lambda: log.append("end"),
        nvmlDeviceGetCount=lambda: len(cards),
        nvmlDeviceGetHandleByIndex=lambda index: cards[index],
        nvmlDeviceGetName=ask(lambda card: card.name),
        nvmlDeviceGetMemoryInfo=ask(lambda card: card.memory and _Memory(card.memory)),
        nvmlDeviceGetCudaComputeCapability=ask(lambda card: card.capability),
        nvmlDeviceGetMaxPcieLinkGeneration=ask(lambda card: card.generation),
        nvmlDeviceGetMaxPcieLinkWidth=ask(lambda card: card.lanes),
    )
    return module
