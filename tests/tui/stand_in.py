"""A desk for tests: a real conversation on the real rules, and stand-ins for what takes minutes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.facts.answers import read_answers
from advisor.facts.fact_base import FactBase, Source
from advisor.interview.interview import Interview
from advisor.interview.progress import Progress
from advisor.knowledge.cache import load_cached
from advisor.knowledge.model import Knowledge
from advisor.report.contents import NOTHING
from advisor.resources import rules_folder
from advisor.session.inputs import Inputs
from advisor.session.outlook import outlook_of

if TYPE_CHECKING:
    from advisor.machine.detection.detection import Machine

MACHINE = {"machine.cpu.physical_cores": 8, "machine.cpu.logical_cores": 16, "machine.cpu.usable_cores": 8,
           "machine.memory_bytes": 32 * 2**30, "machine.gpu.count": 0, "machine.gpu.backend": "none"}  # fmt: skip
"""What is known of the machine of these tests, whichever runs them."""


@functools.cache
def real_rules() -> Knowledge:
    """The rules of the product, read once for all tests."""
    return load_cached(rules_folder(), ())


@dataclass
class StandIn:
    """What is done with it is written down; `measured`, `tried` and `found` are what the long work comes to."""

    knowledge: Knowledge = field(default_factory=real_rules)
    machine: Machine | None = None
    inspection: Any = None
    earlier: dict[str, str] | None = None
    """Answers of a conversation that was saved before."""
    saves: list[Progress] = field(default_factory=list)
    untold: list[tuple[str, str]] = field(default_factory=list)
    measured: Callable[..., Any] | None = None
    tried: Callable[..., Any] | None = None
    wishes: tuple[Any, Any] | None = None
    kept_in: str | None = None
    last_tried: Any = None
    pictures: Any = None
    found: Callable[[Path, str | None], Any] | None = None

    def __post_init__(self) -> None:
        self.begin_anew()

    @property
    def saved(self) -> bool:
        return self.earlier is not None

    def how_to_go_on(self) -> str:
        return "saved"

    def notes(self) -> list[tuple[str, str]]:
        told, self.untold = self.untold, []
        return told

    def inputs_now(self) -> Inputs:
        return Inputs(self.knowledge, self.interview.facts(), self.interview.school)

    def save(self) -> None:
        self.saves.append(self.interview.progress)

    def begin_anew(self) -> None:
        self.interview = Interview(self.knowledge, self._observed())

    def _observed(self) -> FactBase:
        facts = FactBase.of(MACHINE, Source.DETECTED)
        return facts if self.inspection is None else facts.with_values(self.inspection.facts, Source.INSPECTED)

    def resume(self) -> list[str]:
        self.begin_anew()
        for name, text in (self.earlier or {}).items():
            self.interview.answer(name, text)
        return [f"Resumed with {len(self.earlier or {})} answers."]

    def open_answers(self, path: Path) -> list[str]:
        self.begin_anew()
        self.interview.restore(read_answers(self.knowledge.vocabulary, path, self.knowledge.topics), ())
        return []

    def look_into(self, path: Path, target: str | None) -> Any:
        assert self.found is not None
        return self.found(path, target)

    def album(self, inspection: Any) -> Any:
        return self.pictures

    def use_data(self, inspection: Any) -> None:
        self.inspection = inspection
        self.interview.observed = self._observed()

    def measure(self, seconds: float, only: Sequence[str] | None, listener: Any, stop: Any) -> Any:
        assert self.measured is not None
        return self.measured(seconds, only, listener, stop)

    def try_on_data(self, seconds: float, listener: Any, stop: Any, metric: Any = None, save: Any = None) -> Any:
        assert self.tried is not None
        self.wishes = metric, save
        self.last_tried = self.tried(seconds, listener, stop)
        return self.last_tried

    def needs(self, plan: Any) -> Any:
        return outlook_of(self.inputs_now(), plan)

    def evidence(self, plan: Any) -> Any:
        return NOTHING
