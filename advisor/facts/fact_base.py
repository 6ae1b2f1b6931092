"""The facts of one project with where each came from: an explicit answer outranks everything, unknown is a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from advisor.facts.vocabulary import Value


class Source(StrEnum):
    """The origin of a value, strongest first."""

    ASKED = "asked"
    MEASURED = "measured"
    SIMULATED = "simulated"
    INSPECTED = "inspected"
    DETECTED = "detected"
    PUBLISHED = "published"
    DERIVED = "derived"
    ASSUMED = "assumed"


_RANK = {source: rank for rank, source in enumerate(Source)}
SCOPED = (Source.MEASURED, Source.SIMULATED)
"""The sources that count only under the conditions under which they found something."""


@dataclass(frozen=True, slots=True)
class Known:
    """A value and its source. `applies` is the scope of a measurement or simulation: of what, on what and with what."""

    value: Value
    source: Source
    applies: Mapping[str, str] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two sources that disagree about one fact; the first outranks the second."""

    fact: str
    used: Known
    overruled: Known


@dataclass(frozen=True)
class FactBase:
    """An immutable set of known facts.

    `scope` says on what the plan will run (machine fingerprint, network, library versions): a measured or simulated value
    counts only where everything it names agrees, and is evidence otherwise. `blank` lists facts whose assumed default is
    switched off. `declined` lists facts that somebody was asked for and doesn't know.
    """

    entries: Mapping[str, tuple[Known, ...]] = field(default_factory=dict)
    scope: Mapping[str, str] = field(default_factory=dict)
    blank: frozenset[str] = frozenset()
    declined: frozenset[str] = frozenset()

    @classmethod
    def of(cls, values: Mapping[str, Value | None], source: Source = Source.ASKED) -> FactBase:
        return cls().with_values(values, source)

    def with_values(self, values: Mapping[str, Value | None], source: Source, note: str = "") -> FactBase:
        """These values added; None records that the fact was asked for and is not known."""
        base = self
        for name, value in values.items():
            if value is None:
                base = replace(base.without(name, source), declined=base.declined | {name})
            else:
                base = base.with_known(name, Known(value, source, note=note))
        return base

    def with_known(self, name: str, known: Known) -> FactBase:
        """One value added; an earlier value of the same source is replaced, other sources are kept beneath or above."""
        others = [other for other in self.entries.get(name, ()) if other.source != known.source]
        ranked = tuple(sorted([*others, known], key=lambda entry: _RANK[entry.source]))
        return replace(self, entries={**self.entries, name: ranked}, declined=self.declined - {name})

    def without(self, name: str, source: Source | None = None) -> FactBase:
        """The fact without what this source said of it (without anything, when no source is named)."""
        kept = tuple(known for known in self.entries.get(name, ()) if source is not None and known.source != source)
        entries = {key: value for key, value in self.entries.items() if key != name}
        if kept:
            entries[name] = kept
        return replace(self, entries=entries, declined=self.declined - {name})

    def in_scope(self, scope: Mapping[str, str]) -> FactBase:
        return replace(self, scope=dict(scope))

    def known(self, name: str) -> Known | None:
        """The strongest value that counts here, or None."""
        for known in self.entries.get(name, ()):
            if known.source not in SCOPED or self.covers(known):
                return known
        return None

    def covers(self, known: Known) -> bool:
        """True for a measurement or simulation under the conditions that hold here."""
        return all(self.scope.get(name) == value for name, value in known.applies.items())

    def evidence(self, names: Iterable[str] | None = None) -> Iterator[tuple[str, Known]]:
        """Measurements and simulations under other conditions: worth showing, not counted."""
        for name in self.entries if names is None else names:
            for known in self.entries.get(name, ()):
                if known.source in SCOPED and not self.covers(known):
                    yield name, known

    def names(self) -> Iterator[str]:
        return (name for name in self.entries if self.known(name) is not None)

    def by_source(self, source: Source) -> dict[str, Value]:
        return {n: known.value for n, ranked in self.entries.items() for known in ranked if known.source is source}

    def contradictions(self, names: Iterable[str] | None = None) -> Iterator[Contradiction]:
        """Facts on which a stronger source overrules something that was detected, inspected, measured or simulated."""
        for name in self.entries if names is None else names:
            used = self.known(name)
            for other in self.entries.get(name, ()):
                if used is not None and other is not used and other.value != used.value and other.source in _OBSERVED:
                    yield Contradiction(name, used, other)


_OBSERVED = frozenset({*SCOPED, Source.INSPECTED, Source.DETECTED})
