"""The plan: a recommendation for every topic, with its status, reasons, alternatives and what would change it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from advisor.facts.experiments import source_of
from advisor.facts.fact_base import Contradiction, FactBase, Known, Source
from advisor.facts.values import to_json
from advisor.facts.verdict import Verdict
from advisor.facts.vocabulary import Value
from advisor.knowledge.model import Knowledge, School
from advisor.plain import encode
from advisor.wording import printable


class Status(StrEnum):
    """The certainty of a recommendation. Settled means the same under every completion of what is unknown.

    Measured and simulated: a rule decides that reads what an experiment found, and nothing but a simulation ran for the
    latter.
    """

    SETTLED = "settled"
    LEANING = "leaning"
    OPEN = "open"
    MEASURED = "measured"
    SIMULATED = "simulated"
    NOT_APPLICABLE = "not_applicable"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class Reason:
    """A rule that speaks for the recommendation. `origin` names the layer that it came from, empty for the base."""

    rule: str
    text: str
    sources: tuple[str, ...]
    school: School
    strength: str = ""
    verified: bool = True
    errata: tuple[str, ...] = ()
    when: str = ""
    origin: str = ""
    readiness: int | None = None


@dataclass(frozen=True, slots=True)
class Alternative:
    value: Any
    why_not: str


@dataclass(frozen=True, slots=True)
class Flip:
    """If `fact` were stated to be `to`, the recommendation would be `then`."""

    fact: str
    to: Value
    then: Any


@dataclass(frozen=True, slots=True)
class Measurement:
    """The finding of an experiment on a recommendation: the paired ratio with its 95 % interval, None without a pair."""

    probe: str
    before: Any
    after: Any
    verdict: Verdict
    median: float | None
    low: float | None
    high: float | None
    n: int
    unit: str = "speed-up"
    date: str = ""
    applies: Mapping[str, str] = field(default_factory=dict)
    rival: Any = None
    judged: Mapping[str, str] = field(default_factory=dict)
    fact: str = ""
    """The fact whose values `before`, `rival` and `after` are, where they are none of the recommendation's."""

    @property
    def basis(self) -> Source:
        """Measured or simulated."""
        return source_of(self.probe)

    def to_json(self) -> dict[str, Any]:
        return {
            "before": to_json(self.before), "after": to_json(self.after), "verdict": self.verdict.value,
            "median": self.median, "low": self.low, "high": self.high, "unit": self.unit, "n": self.n,
            "probe": self.probe, "date": self.date, "applies": dict(self.applies), "rival": to_json(self.rival),
            "rules": dict(self.judged), "basis": self.basis.value, "fact": self.fact,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Recommendation:
    """One topic's advice. `value` is None where there is none; `tied` then holds the values that lead together."""

    topic: str
    title: str
    value: Any
    status: Status
    unit: str = ""
    tied: tuple[str, ...] = ()
    because: tuple[Reason, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    flips: tuple[Flip, ...] = ()
    actions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    measured: Measurement | None = None

    @property
    def shown(self) -> str:
        """The value in a few words, or the values that lead together; empty where there is no advice."""
        if self.value is None:
            return " or ".join(self.tied)
        text = ", ".join(map(str, self.value)) if isinstance(self.value, list | tuple) else str(self.value)
        return f"{text} {self.unit}".rstrip()

    def to_json(self) -> dict[str, Any]:
        return {
            "title": self.title, "value": to_json(self.value), "status": self.status.value, "unit": self.unit,
            "tied": list(self.tied), "confidence_notes": list(self.notes),
            "because": encode(self.because), "alternatives": encode(self.alternatives), "flips": encode(self.flips),
            "actions": list(self.actions), "depends_on_unknown": list(self.depends_on),
            "measured": self.measured.to_json() if self.measured else None,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Input:
    """A value that a formula read. `origin` is the source of a fact, the status of a recommendation, or `computed`."""

    name: str
    value: Any
    unit: str
    origin: str


@dataclass(frozen=True, slots=True)
class ComputedFigure:
    """A number, or None where something is not known: `missing` then names it.

    `assumes` are the facts taken for granted and the recommendations not settled on which it rests, through other figures
    too.
    """

    name: str
    title: str
    unit: str
    value: float | None
    formula: str
    help: str
    sources: tuple[str, ...]
    inputs: tuple[Input, ...] = ()
    assumes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    headline: bool = False
    """True if it belongs into a short plan."""

    def to_json(self) -> dict[str, Any]:
        return {
            "title": self.title, "headline": self.headline, "value": self.value, "unit": self.unit,
            "formula": self.formula, "help": self.help, "sources": list(self.sources),
            "assumes": list(self.assumes), "missing": list(self.missing), "inputs": encode(self.inputs),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class MemoryOption:
    """One way to fit training into memory, and what it needs on each device.

    `strategy` is a value of memory.strategy; `model_ranks` devices compute the same examples together, `micro_batch` at a
    time. Sizes in bytes.
    """

    strategy: str
    model_ranks: int
    micro_batch: int
    states: float
    activations: float
    reserved: float
    usable: float
    fits: bool
    main_memory: float | None = None
    """The states that wait in the main memory of each machine; None where none do."""
    shared: bool = False
    """True where devices share each example for the sake of memory, and not as parallelism has it anyway."""

    @property
    def needed(self) -> float:
        return self.states + self.activations + self.reserved


@dataclass(frozen=True)
class Plan:
    """The result of `advise`. `facts` holds everything that the plan rests on, derived and assumed values included.

    `unused` are stated facts that mean nothing here; `withdrawn` observations that an answer made impossible.
    """

    school: School
    facts: Mapping[str, Known]
    recommendations: Mapping[str, Recommendation]
    unused: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    questions: tuple[str, ...] = ()
    probes: tuple[str, ...] = ()
    evidence: tuple[tuple[str, Known], ...] = ()
    figures: tuple[ComputedFigure, ...] = ()
    memory: tuple[MemoryOption, ...] = ()
    """The ways to fit training into memory, in the order in which they are preferred; none where its needs are not known."""
    stated: FactBase = field(default_factory=FactBase)
    knowledge: Knowledge | None = None

    def value(self, topic: str) -> Any:
        return self.recommendations[topic].value

    def tied(self, topic: str) -> tuple[str, ...]:
        """The values that lead together, if several do."""
        return self.recommendations[topic].tied

    def _repr_html_(self) -> str:
        """A short table for notebooks: each topic that is advised on, its value, its status and the first reason."""
        import html  # 1 ms, only in a notebook

        rows = [
            (entry.title, entry.shown, entry.status.value.replace("_", " "), next((r.text for r in entry.because), ""))
            for entry in self.recommendations.values()
            if entry.shown
        ]
        head, *lines = [
            "".join(f"<{tag}>{html.escape(printable(text))}</{tag}>" for text in row)
            for tag, row in (("th", ("Topic", "Advice", "Status", "Because")), *(("td", row) for row in rows))
        ]
        body = "".join(f"<tr>{line}</tr>" for line in lines)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def to_json(self) -> dict[str, Any]:
        """The plan as `advisor/plan/1` (design, section 8)."""
        facts = {
            name: {
                "value": to_json(known.value), "source": known.source.value,
                **({"applies": dict(known.applies)} if known.applies else {}),
                **({"note": known.note} if known.note else {}),
            }
            for name, known in self.facts.items()
        }  # fmt: skip
        return {
            "schema": "advisor/plan/1",
            "school": self.school.value,
            "facts": facts,
            "recommendations": {name: entry.to_json() for name, entry in self.recommendations.items()},
            "figures": {figure.name: figure.to_json() for figure in self.figures},
            "memory_options": encode(self.memory),
            "questions": list(self.questions),
            "probes": list(self.probes),
            "unused": list(self.unused),
            "withdrawn": list(self.withdrawn),
            "contradictions": [
                {
                    "fact": c.fact, "used": to_json(c.used.value), "used_source": c.used.source.value,
                    "overruled": to_json(c.overruled.value), "overruled_source": c.overruled.source.value,
                }
                for c in self.contradictions
            ],
            "evidence": [
                {
                    "fact": name, "value": to_json(known.value), "source": known.source.value,
                    "applies": dict(known.applies),
                }
                for name, known in self.evidence
            ],
        }  # fmt: skip
