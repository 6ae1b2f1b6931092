"""The survey on trial: what the seed documents claim, judged by this machine, by arithmetic, or by a published table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from advisor.agent.settling.judging import DECIDED_BY_PROBE, is_sound, judge, measurement
from advisor.agent.trials.outcomes import is_trial
from advisor.facts.experiments import is_of_strategies
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Measurement, Plan
from advisor.knowledge.claims import Basis, Claim, ClaimFigure, Need, Reading
from advisor.knowledge.expressions.compiler import compile_expression
from advisor.knowledge.expressions.expressions import BOOLEAN, NUMBER, Kind, Symbols, Type
from advisor.knowledge.expressions.regions import FALSE, NO_NUMBER, NO_SET, TRUE, UNKNOWN, Region, point, union
from advisor.knowledge.model import Knowledge
from advisor.machine.profiles.published import PublishedTable
from advisor.probes.conditions import TOO_BUSY
from advisor.probes.outcome import Outcome, newest_of
from advisor.survey.claim_values import (
    Estimate,
    known_values,
    measured_estimates,
    table_estimates,
)
from advisor.wording import join_names, shorten


@dataclass(frozen=True, slots=True)
class JudgedFigure:
    """A number that bears on a claim, with the 95 % interval where it was measured; `says` is what the document states."""

    title: str
    unit: str
    value: Estimate
    says: float | None
    reading: Reading


@dataclass(frozen=True, slots=True)
class Simulated:
    """The finding of a standard simulation on one claim, see `advisor.survey.standard`."""

    verdict: Verdict
    says: str
    conditions: str
    date: str
    """ISO 8601."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of one claim, with its reason; `measured` is the comparison that decided it, made under `applies`."""

    claim: Claim
    verdict: Verdict | None
    why: str = ""
    figures: tuple[JudgedFigure, ...] = ()
    measured: Measurement | None = None
    unit: str = ""
    """Of the settings compared"""
    rules: Mapping[str, Verdict] = field(default_factory=dict)
    """The rules that stand for the claim, each as it was judged"""
    date: str = ""
    """Of the measurement; empty where nothing was measured for it"""
    applies: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    """Of the measurement: what made it less sure"""


NEEDS = {
    Need.TRIALS: "It needs trainings that trials on data do not make.",
    Need.CLUSTER: "It needs several machines or more GPUs than one machine has.",
}
_BUSY = "Other programs took {:.0%} of the processors' time meanwhile: measure again when the machine is idle."
_DISKS = {"nvme": "a local NVMe disk", "ssd": "a local solid-state disk", "hdd": "a hard disk"}
_UNKNOWN_DISK = "It is not known on what kind of disk was measured."
_ON_A_DISK = "Not measured yet: `advisor probe --only {} --data PATH`, with data on a disk."
_NOT_TOLD_APART = "The two settings could not be told apart in the time given."
_SAME = "The rule that stands for it speaks of another plan than this one."


def judge_claims(
    knowledge: Knowledge,
    plan: Plan,
    outcomes: Sequence[Outcome] = (),
    tables: Sequence[PublishedTable] = (),
    elsewhere: Mapping[str, str] = MappingProxyType({}),
    standards: Mapping[str, Simulated] = MappingProxyType({}),
) -> tuple[Judgement, ...]:
    """Every claim with its verdict, in the order of claims.yaml.

    Args:
        outcomes: measured on this machine with the plan's own network, oldest first; the newest of each probe counts.
        tables: what others have measured (`advisor.machine.profiles.published.load_tables`).
        standards: by claim, what the standard simulations have found; a simulation for the plan's own cluster goes first.
        elsewhere: by probe, under which other conditions it has measured (`advisor.agent.settling.elsewhere`).
    """
    sound = newest_of([outcome for outcome in outcomes if is_sound(knowledge, outcome)])
    strategies = [one for one in outcomes if is_of_strategies(one.probe)]
    court = _Court(knowledge, plan, sound, tables, elsewhere, strategies, standards)
    return tuple(court.judgement(claim) for claim in knowledge.claims)


@dataclass
class _Court:
    """All that is known, as values and as regions that hold every value that the measurements allow."""

    knowledge: Knowledge
    plan: Plan
    newest: Mapping[str, Outcome]
    tables: Sequence[PublishedTable]
    elsewhere: Mapping[str, str]
    strategies: Sequence[Outcome] = ()
    """Outcomes of strategies, oldest first: one experiment answers several questions."""
    standards: Mapping[str, Simulated] = field(default_factory=dict)

    def __post_init__(self) -> None:
        knowledge, found = self.knowledge, list(self.newest.values())
        self.symbols: Symbols = knowledge.survey.symbols(knowledge.figures.symbols(knowledge.symbols))
        self.values: list[Any] = [None] * len(self.symbols.slots)
        self.regions: list[Any] = [_nothing(self.symbols.types[name]) for name in self.symbols.slots]
        for name, value in known_values(knowledge, self.plan, found):
            self._learn(name, value, point(value))
        for name, estimate in {**measured_estimates(found), **table_estimates(self.tables)}.items():
            self._learn(name, estimate.median, (estimate.low, estimate.high, False))
        for outcome in found:
            self._learn_outcome(outcome)

    def _learn(self, name: str, value: Any, region: Region) -> None:
        if name in self.symbols.slots:
            self.values[self.symbols.slots[name]] = value
            self.regions[self.symbols.slots[name]] = region

    def _learn_outcome(self, outcome: Outcome) -> None:
        """The better setting; either of two between which there is no difference that matters."""
        fact = self.knowledge.vocabulary.facts.get(outcome.fact)
        if fact is None or not outcome.measured:
            return
        if outcome.verdict in DECIDED_BY_PROBE:
            self._learn(fact.name, outcome.after, point(outcome.after))
        elif outcome.verdict is Verdict.NO_DIFFERENCE:
            self._learn(fact.name, None, union(point(outcome.before), point(outcome.rival)))

    def judgement(self, claim: Claim) -> Judgement:
        """The verdict on one claim, with all its figures that are known."""
        return replace(self._judged(claim), figures=tuple(self._figures(claim)))

    def _judged(self, claim: Claim) -> Judgement:
        if claim.needs is not None:
            return Judgement(claim, None, NEEDS[claim.needs])
        here = self._truth(claim.when) if claim.when else TRUE
        if here == FALSE and claim.noted and claim.probe not in self.newest:
            return Judgement(claim, None, self.elsewhere.get(claim.probe, _ON_A_DISK.format(claim.probe)))
        if here == FALSE:
            return Judgement(claim, None, claim.otherwise)
        if claim.basis is Basis.PROBE:
            return self._by_probe(claim, here)
        if here != TRUE:
            return self._not_known(claim, claim.when)
        if claim.basis is Basis.PUBLISHED and claim.published not in {table.name for table in self.tables}:
            return Judgement(claim, None, f"The table {claim.published} is not at hand.")
        return self._by_arithmetic(claim) if claim.basis is Basis.ARITHMETIC else self._by_truth(claim)

    def _by_probe(self, claim: Claim, here: int) -> Judgement:
        outcome = self._outcome_for(claim)
        standard = self.standards.get(claim.id)
        if outcome is None and standard is not None:
            return Judgement(
                claim, standard.verdict, standard.says, date=standard.date, applies={"simulated": standard.conditions}
            )
        if outcome is None:
            reason = f"Not measured yet: `advisor probe --only {claim.probe}`."
            if is_trial(claim.probe):
                reason = "Not tried yet: `advisor try --data PATH --target COLUMN` does, on data of yours."
            if is_of_strategies(claim.probe):
                reason = "Not simulated yet: `advisor rules trial` does, or `advisor simulate` for a cluster of yours."
            return Judgement(claim, None, self.elsewhere.get(claim.probe, reason))
        gauged = any(outcome.rate(setting) is not None for setting in outcome.gauges.values())
        if outcome.failure is not None or not (outcome.measured or gauged):
            reason = outcome.failure or "The time was not enough for it."
            return Judgement(claim, None, f"The probe {claim.probe} gave nothing: {reason}")
        other = _measured_of_something_else(claim, outcome)
        if other:
            return Judgement(claim, None, other)
        if here != TRUE:
            found = self._not_known(claim, claim.when)
        elif claim.rules:
            found = self._by_rules(claim, outcome)
        else:
            found = self._by_truth(claim, outcome)
        paired = bool(claim.rules) or is_trial(outcome.probe) or outcome.fact in self._names(claim.expects)
        # Pairs suffer alike from other programs, rates do not.
        if not paired and found.verdict in _DECIDED.values() and outcome.conditions.others_share > TOO_BUSY:
            found = Judgement(claim, Verdict.UNDECIDED, _BUSY.format(outcome.conditions.others_share))
        return replace(
            found,
            measured=measurement(self.knowledge, self.plan, outcome) if paired and outcome.measured else None,
            unit=self._unit(outcome),
            date=outcome.date,
            applies={name: str(value) for name, value in outcome.applies.items()},
            warnings=outcome.conditions.warnings,
        )

    def _outcome_for(self, claim: Claim) -> Outcome | None:
        """The newest outcome of the claim's experiment; of strategies, the newest on what its rules are about."""
        if not is_of_strategies(claim.probe):
            return self.newest.get(claim.probe)
        topics = {self.knowledge.by_id[name].topic for name in claim.rules if name in self.knowledge.by_id}
        found = [one for one in self.strategies if one.probe == claim.probe and one.topic in topics and one.measured]
        return next((one for one in reversed(found) if is_sound(self.knowledge, one)), None)

    def _unit(self, outcome: Outcome) -> str:
        fact = self.knowledge.vocabulary.facts.get(outcome.fact)
        return fact.unit if fact is not None else ""

    def _by_rules(self, claim: Claim, outcome: Outcome) -> Judgement:
        """The judgement of the rules that stand for the claim; the worst where they disagree."""
        judged: dict[str, Verdict] = {}
        for name in claim.rules:
            rule = self.knowledge.by_id.get(name)  # a pack may have disabled it
            if rule is None or rule.settles is None or rule.settles.probe != outcome.probe:
                continue
            verdict = judge(self.knowledge, self.plan, rule, outcome)
            if verdict is not None:
                judged[name] = verdict
        if not judged:
            return Judgement(claim, None, claim.otherwise or _SAME)
        worst = next(verdict for verdict in _WORST_FIRST if verdict in judged.values())
        told_apart = outcome.verdict is not Verdict.UNDECIDED
        why = "What is known is not enough to tell." if told_apart else _NOT_TOLD_APART
        return Judgement(claim, worst, why if worst is Verdict.UNDECIDED else "", rules=judged)

    def _by_truth(self, claim: Claim, outcome: Outcome | None = None) -> Judgement:
        """Judge a claim by the values that the measurements allow: its expectation holds for all, none or some."""
        truth = self._truth(claim.expects)
        if truth in _DECIDED:
            return Judgement(claim, _DECIDED[truth])
        is_compared = outcome is not None and outcome.fact in self._names(claim.expects)
        compared = outcome.verdict if outcome is not None and is_compared else None
        if compared is Verdict.NO_DIFFERENCE and not truth & UNKNOWN:
            return Judgement(claim, Verdict.NO_DIFFERENCE)
        if compared is Verdict.UNDECIDED:
            return Judgement(claim, Verdict.UNDECIDED, _NOT_TOLD_APART)
        if truth & UNKNOWN:
            return self._not_known(claim, claim.expects)
        return Judgement(claim, Verdict.UNDECIDED, "The measurements spread too widely to tell.")

    def _by_arithmetic(self, claim: Claim) -> Judgement:
        """Judge the document's figures by its own numbers, and by the right ones."""
        for reading, why in (
            (Reading.PRINTED, "What the document says does not follow from its own numbers."),
            (Reading.CORRECTED, "What the document says does not follow from the right numbers."),
        ):
            checked = [figure for figure in claim.figures if figure.reading is reading and figure.says is not None]
            if any(self._departs(figure) for figure in checked):
                return Judgement(claim, Verdict.OVERTURNED, why)
            unknown = [figure for figure in checked if self._departs(figure) is None]
            if unknown:
                return self._not_known(claim, *(figure.value for figure in unknown))
        return self._by_truth(claim) if claim.expects else Judgement(claim, Verdict.CONFIRMED)

    def _departs(self, figure: ClaimFigure) -> bool | None:
        """True if the figure is farther from the document's than its rounding explains; None if unknown."""
        value = self._number(figure.value)
        if value is None or figure.says is None:
            return None
        return not math.isclose(value.median, figure.says, rel_tol=0, abs_tol=figure.within * abs(figure.says))

    def _not_known(self, claim: Claim, *texts: str) -> Judgement:
        names = sorted({name for text in texts for name in self._names(text) if self._unknown(name)})
        given = self.knowledge.survey.given
        titles = [given[name].title[0].lower() + given[name].title[1:] if name in given else name for name in names]
        why = f"Not known here: {join_names(titles)}." if titles else "What is known is not enough to tell."
        return Judgement(claim, Verdict.UNDECIDED, why)

    def _unknown(self, name: str) -> bool:
        return bool(self.regions[self.symbols.slots[name]] == _nothing(self.symbols.types[name]))

    def _figures(self, claim: Claim) -> Iterator[JudgedFigure]:
        for figure in claim.figures:
            value = self._number(figure.value)
            if value is not None:
                yield JudgedFigure(figure.title, figure.unit, value, figure.says, figure.reading)

    def _number(self, text: str) -> Estimate | None:
        expression = compile_expression(text, self.symbols, NUMBER)
        median, (low, high, _) = expression.at(self.values), expression.over(self.regions)
        known = median is not None and all(map(math.isfinite, (median, low, high)))
        return Estimate(median, low, high) if known else None

    def _truth(self, text: str) -> int:
        found: int = compile_expression(text, self.symbols, BOOLEAN).over(self.regions)
        return found

    def _names(self, text: str) -> frozenset[str]:
        return compile_expression(text, self.symbols).names if text else frozenset()


_DECIDED = {TRUE: Verdict.CONFIRMED, FALSE: Verdict.OVERTURNED}
_WORST_FIRST = (
    Verdict.OVERTURNED,
    Verdict.UNDECIDED,
    Verdict.NO_DIFFERENCE,
    Verdict.CONFIRMED,
)


def _measured_of_something_else(claim: Claim, outcome: Outcome) -> str:
    """The reason why the measurement is not of what the claim is about; empty if it is."""
    if claim.disks:
        kind = outcome.disk_kind
        if kind not in claim.disk_kinds:
            spoken = join_names([_DISKS[name] for name in claim.disk_kinds], "or")
            return _UNKNOWN_DISK if kind is None else f"It speaks of {spoken}; what was measured is {shorten(kind)}."
    noted = any(claim.noted in warning for warning in outcome.conditions.warnings)
    return "" if noted or not claim.noted else claim.otherwise


def _nothing(kind: Type) -> Region:
    """The region of a name of which nothing is known."""
    regions: dict[Kind, Region] = {Kind.BOOLEAN: UNKNOWN, Kind.NUMBER: NO_NUMBER, Kind.SET: NO_SET, Kind.LIST: (None,)}
    return regions.get(kind.kind, frozenset({None}))
