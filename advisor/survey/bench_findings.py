"""Findings of the benchmark's sweeps: times, speed-ups beside the published ones, and the survey's claims, judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from advisor.facts.fact_base import FactBase, Source
from advisor.facts.verdict import Verdict
from advisor.facts.vocabulary import Value
from advisor.inference.advise import VALUES_ONLY, advise
from advisor.inference.plan import Plan
from advisor.knowledge.claims import Basis
from advisor.knowledge.model import Knowledge, School
from advisor.machine.profiles.published import PublishedFigure, PublishedTable
from advisor.networks.benchmark.six import BenchmarkNetwork
from advisor.probes.outcome import Outcome
from advisor.probes.probe import Setting
from advisor.probes.settings.batch import BATCH
from advisor.probes.settings.cores import THREADS
from advisor.probes.settings.variants import DEVICE
from advisor.survey.bench import Measured
from advisor.survey.claim_values import TABLE_4, geometric_mean
from advisor.survey.judged_claims import Judgement, judge_claims

ERRATA = ("E1", "E2", "E4", "E7")
"""The errata of the documents about this very table."""
PROCESSORS: Mapping[str, int] = {"i7-3820": 4, "2x-e5-2630-v3": 16}
"""Those of the table, with their physical cores."""
_SWEPT = (THREADS.name, BATCH.name, DEVICE.name)


@dataclass(frozen=True, slots=True)
class Figure:
    """A time in seconds or a ratio, with its 95 % interval; without one where something ran only once."""

    median: float
    low: float | None
    high: float | None
    n: int

    def over(self, other: Figure) -> Figure:
        """The quotient of two figures that were not taken in pairs: its interval holds every quotient of both intervals."""
        known = None not in (self.low, self.high, other.low, other.high)
        return Figure(
            self.median / other.median,
            self.low / other.high if known else None,  # type: ignore[operator]
            self.high / other.low if known else None,  # type: ignore[operator]
            min(self.n, other.n),
        )

    def times(self, factor: float) -> Figure:
        """The figure in another unit."""
        low, high = (None if end is None else end * factor for end in (self.low, self.high))
        return Figure(self.median * factor, low, high, self.n)


def seconds(result: Measured, probe: str, setting: Setting) -> Figure | None:
    """Of one training step in a setting; None where it never ran."""
    outcome = result.outcomes.get(probe)
    rate = outcome.rate(setting) if outcome is not None else None
    first = result.first.get(probe, {}).get(setting)
    if rate is not None:
        unit = Figure(1 / rate.median, 1 / rate.high, 1 / rate.low, rate.n)
    elif first is not None:
        unit = Figure(first, None, None, 1)
    else:
        return None
    return unit.times(int(setting)) if probe == BATCH.name else unit


def settings(result: Measured, probe: str) -> tuple[Setting, ...]:
    """The settings that ran, in order."""
    outcome = result.outcomes.get(probe)
    tried = [record.setting for record in outcome.settings] if outcome is not None else []
    known = dict.fromkeys([*tried, *result.first.get(probe, {})])
    return tuple(sorted((one for one in known if seconds(result, probe, one) is not None), key=_order))


def refused(result: Measured, probe: str) -> dict[Setting, str]:
    """The settings that were not timed, with the reason."""
    outcome = result.outcomes.get(probe)
    records = outcome.settings if outcome is not None else ()
    reasons = {one.setting: one.skipped for one in records if one.skipped}
    missing = [setting for setting in result.begun.get(probe, ()) if setting not in reasons]
    reasons |= dict.fromkeys(missing, "its turn did not come." if outcome is not None else "it was stopped before.")
    return {setting: why for setting, why in reasons.items() if seconds(result, probe, setting) is None}


def _order(setting: Setting) -> tuple[int, str]:
    return (setting, "") if isinstance(setting, int) else (0, setting)


def speed_up(result: Measured, probe: str, over: Setting, setting: Setting) -> Figure | None:
    """The speed-up of a setting over another (of batches: in examples), from pairs where they were timed in pairs."""
    paired = _paired(result.outcomes.get(probe), over, setting)
    if paired is not None:
        return paired
    slow, fast = seconds(result, probe, over), seconds(result, probe, setting)
    if slow is None or fast is None:
        return None
    ratio = slow.over(fast)
    return ratio.times(int(setting) / int(over)) if probe == BATCH.name else ratio


def _paired(outcome: Outcome | None, over: Setting, setting: Setting) -> Figure | None:
    if outcome is None or outcome.median is None or outcome.low is None or outcome.high is None:
        return None
    sides = (outcome.before, outcome.rival)
    winner, other = sides[::-1] if outcome.verdict is Verdict.OVERTURNED else sides
    if (winner, other) == (setting, over):
        return Figure(outcome.median, outcome.low, outcome.high, outcome.n)
    if (winner, other) == (over, setting):
        return Figure(1 / outcome.median, 1 / outcome.high, 1 / outcome.low, outcome.n)
    return None


@dataclass(frozen=True, slots=True)
class Scaling:
    """From one number of threads to another, here and in the table, where each tool that has both counts once."""

    network: BenchmarkNetwork
    fewer: int
    more: int
    here: Figure
    beyond_cores: bool
    """True if there are more threads than physical cores."""
    published: tuple[float, float, float] | None
    """The least, the geometric mean and the most, over both processors and all tools. Beyond the cores: of twice as many
    threads as theirs over as many."""
    published_cases: int


def scalings(result: Measured, physical_cores: int | None, table: PublishedTable | None) -> Iterator[Scaling]:
    """Each doubling up to the physical cores that was measured, and each step from there to more threads.

    None where something ran only once, nor where other programs took so much of the processors that they decided.
    """
    outcome = result.outcomes.get(THREADS.name)
    if outcome is None or outcome.conditions.too_busy:
        return
    tried = [one for one in settings(result, THREADS.name) if isinstance(one, int)]
    cores = physical_cores if physical_cores in tried else None
    for more in tried:
        beyond = cores is not None and more > cores
        fewer = cores if cores is not None and beyond else more / 2
        if fewer not in tried:
            continue
        here = speed_up(result, THREADS.name, int(fewer), more)
        if here is not None and here.low is not None:
            ratios = published_ratios(result.network, table, None if beyond else (int(fewer), more))
            yield Scaling(result.network, int(fewer), more, here, beyond, _summary(ratios), len(ratios))


def published_of(network: BenchmarkNetwork, table: PublishedTable | None) -> tuple[PublishedFigure, ...]:
    """The rows of table 4 for this network, all tools and devices."""
    if table is None or not network.in_table:
        return ()
    return tuple(figure for figure in table.figures if figure.network == network.name)


def fastest(figures: Iterable[PublishedFigure], device: str, threads: int | None) -> PublishedFigure | None:
    """The tool that took the least time there."""
    here = [figure for figure in figures if figure.device == device and figure.threads == threads]
    return min(here, key=lambda figure: figure.value, default=None)


def published_ratios(
    network: BenchmarkNetwork, table: PublishedTable | None, threads: tuple[int, int] | None
) -> list[float]:
    """Speed-ups from one number of threads to another within the physical cores; for None from these to twice as many.

    One for each processor and tool that has both times.
    """
    times = {(f.device, f.framework, f.threads): f.value for f in published_of(network, table)}
    found = []
    for device, tool in dict.fromkeys((device, tool) for device, tool, _ in times):
        cores = PROCESSORS.get(device)
        if cores is None or (threads is not None and threads[1] > cores):
            continue
        fewer, more = threads or (cores, 2 * cores)
        if (device, tool, fewer) in times and (device, tool, more) in times:
            found.append(times[device, tool, fewer] / times[device, tool, more])
    return found


def _summary(ratios: Sequence[float]) -> tuple[float, float, float] | None:
    return (min(ratios), geometric_mean(ratios), max(ratios)) if ratios else None


@dataclass(frozen=True, slots=True)
class Findings:
    """Claims of the documents: those that these measurements judge, for each network, and those that the table judges."""

    judged: Mapping[str, Mapping[str, Judgement]]
    """By the claim's id, then by the network's name; only networks for which it was judged."""
    not_judged: Mapping[str, str]
    """By the claim's id the reason why no network could judge it."""
    table: tuple[Judgement, ...]


def findings(
    knowledge: Knowledge, facts: FactBase, results: Sequence[Measured], tables: Sequence[PublishedTable]
) -> Findings:
    """Put the claims that threads, batches and devices decide on trial, once for each network; the facts are the machine's."""
    judged: dict[str, dict[str, Judgement]] = {}
    reasons: dict[str, str] = {}
    by_table: dict[str, Judgement] = {}
    for result in results:
        plan = plan_for(knowledge, facts, result.network)
        for one in judge_claims(knowledge, plan, tuple(result.outcomes.values()), tables):
            if one.claim.basis is Basis.PUBLISHED and one.claim.published == TABLE_4:
                by_table[one.claim.id] = one  # the same for every network
            elif one.claim.probe not in _SWEPT:
                continue
            elif one.verdict is None:
                reasons.setdefault(one.claim.id, one.why)
            else:
                judged.setdefault(one.claim.id, {})[result.network.name] = one
    not_judged = {name: why for name, why in reasons.items() if name not in judged}
    return Findings(judged, not_judged, tuple(by_table.values()))


def plan_for(knowledge: Knowledge, facts: FactBase, network: BenchmarkNetwork) -> Plan:
    """The plan of the survey for such data, with the type of this very network."""
    stated: dict[str, Value] = {
        "task.kind": "classify",
        "task.outputs": network.outputs,
        "data.modality": network.modality,
        "data.inputs": network.inputs,
        "project.pretrained_allowed": False,
    }
    if network.sequence_length is not None:
        stated |= {
            "task.kind": "generate",
            "task.generation": "sequence",
            "data.sequence_length": network.sequence_length,
        }
    plan = advise(knowledge, facts.with_values(stated, Source.ASKED), School.SURVEY, VALUES_ONLY)
    chosen = replace(plan.recommendations["network.type"], value=network.type)
    return replace(plan, recommendations={**plan.recommendations, "network.type": chosen})
