"""The numbers that claims are judged with, beside facts: ratios of what was timed here, and counts in published tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from advisor.agent.settling.figures import given_quantities
from advisor.agent.trials.outcomes import TOPICS, widths_of
from advisor.facts.fact_base import Source
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Plan
from advisor.knowledge.model import Knowledge, Policy
from advisor.machine.profiles.published import PublishedTable
from advisor.probes.outcome import Outcome, Rate
from advisor.probes.probe import Setting

TABLE_4 = "dlbench-table-4"
"""Time of training steps by network, tool and device, in Shi et al. 2016."""
_DESKTOP, _SERVER = "i7-3820", "2x-e5-2630-v3"
_DESKTOP_CORES, _SERVER_CORES = 4, 16
_CARDS = ("gtx-980", "gtx-1080", "k80")
_FULLY_CONNECTED, _CONVOLUTIONAL, _RECURRENT = ("fcn5", "fcn8"), ("alexnet", "resnet50"), ("lstm32", "lstm64")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95 % interval; a certain one has none: low, median and high are the same."""

    median: float
    low: float
    high: float

    @classmethod
    def exactly(cls, value: float) -> Estimate:
        return cls(value, value, value)


def known_values(knowledge: Knowledge, plan: Plan, outcomes: Sequence[Outcome]) -> Iterator[tuple[str, Any]]:
    """Facts, recommendations, and what was counted of the network, by name.

    What is merely assumed stays unknown, and what the probes found is taken from their outcomes alone.
    """
    for name, known in plan.facts.items():
        if known.source is not Source.ASSUMED and not name.startswith(("probe.", "trial.")):
            yield name, known.value
    for name, entry in plan.recommendations.items():
        if isinstance(entry.value, list | tuple):
            is_set = knowledge.topics[name].policy is Policy.ALL
            yield name, frozenset(entry.value) if is_set else tuple(entry.value)
        elif entry.value is not None:
            yield name, entry.value
    if knowledge.figures.given:
        for name, quantity in given_quantities(plan, outcomes).items():
            if quantity.origin != Source.ASSUMED:
                yield name, quantity.value


def measured_estimates(outcomes: Sequence[Outcome]) -> dict[str, Estimate]:
    """By the names of facts and of the `given` numbers of claims.yaml: measured rates, ratios of two of them, tried widths.

    `outcomes` stand oldest first; the newest of each probe counts.
    """
    newest = newest_of(outcomes)
    found: dict[str, Estimate] = {}
    for outcome in newest.values():
        for fact, setting in outcome.gauges.items():
            rate = outcome.rate(setting)
            if rate is not None and outcome.failure is None:
                found[fact] = Estimate(rate.median, rate.low, rate.high)
    for name, probe, fast, slow in _RATIOS:
        known = newest.get(probe)
        above, below = (known.rate(fast), known.rate(slow)) if known is not None else (None, None)
        if above is not None and below is not None:
            found[name] = _ratio(above, below)
    return found | _tried_widths(newest.get(TOPICS["network.hidden_units"].probe))


def _tried_widths(outcome: Outcome | None) -> dict[str, Estimate]:
    """Of the first hidden layer: that of the network which was better on somebody's data, and that of its rival."""
    if outcome is None or outcome.verdict not in (Verdict.CONFIRMED, Verdict.OVERTURNED):
        return {}
    sides = [outcome.before, outcome.rival]
    better, worse = sides if outcome.verdict is Verdict.CONFIRMED else sides[::-1]
    named = {"tried.better_width": better, "tried.worse_width": worse}
    return {name: Estimate.exactly(widths_of(str(setting))[0]) for name, setting in named.items()}


_RATIOS: tuple[tuple[str, str, Setting, Setting], ...] = (
    ("timed.sixteen_over_four_threads", "threads", 16, 4),
    ("timed.gpu_over_cpu", "device", "gpu", "cpu"),
    ("timed.several_ranks_over_one", "ranks", "several", "one"),
)


def newest_of(outcomes: Sequence[Outcome]) -> dict[str, Outcome]:
    """The last outcome of each probe, one that came to nothing only where there is no better."""
    found: dict[str, Outcome] = {}
    for outcome in outcomes:
        if outcome.failure is None or outcome.probe not in found or found[outcome.probe].failure is not None:
            found[outcome.probe] = outcome
    return found


def _ratio(above: Rate, below: Rate) -> Estimate:
    """Of two rates that were not timed in pairs: the interval holds every quotient of both intervals."""
    return Estimate(above.median / below.median, above.low / below.high, above.high / below.low)


@dataclass(frozen=True)
class _Table:
    """Seconds per mini-batch of table 4."""

    seconds: Mapping[tuple[str, str, str, int | None], float]

    @classmethod
    def of(cls, table: PublishedTable) -> _Table:
        return cls({(f.network, f.framework, f.device, f.threads): f.value for f in table.figures})

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every network with every tool that ran it."""
        return list(dict.fromkeys((network, tool) for network, tool, _, _ in self.seconds))

    def ratios(self, above: tuple[str, int | None], below: tuple[str, int | None], tools: str = "") -> list[float]:
        """Seconds on one device over seconds on another, wherever both are printed (of one tool, where it is named)."""
        found = []
        for network, tool in self.pairs:
            slow, fast = self.seconds.get((network, tool, *above)), self.seconds.get((network, tool, *below))
            if slow is not None and fast is not None and tools in ("", tool):
                found.append(slow / fast)
        return found

    def columns(self, tool: str, networks: Sequence[str], gpu: bool) -> Iterator[tuple[float, list[float]]]:
        """For each column with this tool: its seconds, and those of the other tools in the same place."""
        for (network, name, device, threads), seconds in self.seconds.items():
            if name == tool and network in networks and (device in _CARDS) == gpu:
                others = [
                    value
                    for (n, t, d, h), value in self.seconds.items()
                    if (n, d, h) == (network, device, threads) and t != tool
                ]
                if others:
                    yield seconds, others

    def first(self, tool: str, networks: Sequence[str], gpu: bool = True) -> tuple[float, float]:
        """In how many columns this tool is faster than all others, and in how many it was compared."""
        columns = list(self.columns(tool, networks, gpu))
        return sum(seconds < min(others) for seconds, others in columns), len(columns)

    def best_on_processor(self, network: str, tool: str) -> float | None:
        found = [s for (n, t, d, _), s in self.seconds.items() if (n, t) == (network, tool) and d not in _CARDS]
        return min(found, default=None)


def table_estimates(tables: Sequence[PublishedTable]) -> dict[str, Estimate]:
    """By the names under `given` in claims.yaml that begin with `table.`; empty without table 4."""
    found = next((table for table in tables if table.name == TABLE_4), None)
    if found is None:
        return {}
    numbers = _numbers(_Table.of(found))
    return {name: Estimate.exactly(value) for name, value in numbers.items() if math.isfinite(value)}


def _numbers(table: _Table) -> dict[str, float]:
    card, four, sixteen = ("gtx-1080", None), (_DESKTOP, _DESKTOP_CORES), (_SERVER, _SERVER_CORES)
    over_four, over_sixteen = table.ratios(four, card), table.ratios(sixteen, card)
    beyond = table.ratios((_DESKTOP, 2 * _DESKTOP_CORES), four) + table.ratios((_SERVER, 2 * _SERVER_CORES), sixteen)
    scaling = table.ratios((_SERVER, 4), sixteen)
    on_processor = [(table.best_on_processor(*pair), table.seconds.get((*pair, *card))) for pair in table.pairs]
    compared = [(cpu, gpu) for cpu, gpu in on_processor if cpu is not None and gpu is not None]
    others = [ratio for device in _CARDS for ratio in table.ratios((device, None), card) if device != "gtx-1080"]
    caffe, caffe_of = table.first("Caffe", _FULLY_CONNECTED)
    convolutional, convolutional_of = table.first("TensorFlow", _CONVOLUTIONAL)
    recurrent, recurrent_of = table.first("TensorFlow", _RECURRENT)
    cntk, cntk_of = table.first("CNTK", _RECURRENT, gpu=False)
    behind = [
        seconds / other
        for network in _RECURRENT
        for tool in ("TensorFlow", "Torch")
        if (seconds := table.seconds.get((network, "CNTK", *card))) is not None
        and (other := table.seconds.get((network, tool, *card))) is not None
    ]
    lead = [
        table.seconds[(network, "TensorFlow", *place)] / torch
        for network in _RECURRENT
        for place in (four, (_SERVER, 4))
        if (torch := table.seconds.get((network, "Torch", *place))) is not None
        and (network, "TensorFlow", *place) in table.seconds
    ]
    linear = [
        table.seconds[(network, "TensorFlow", device, 1)] / all_cores / cores
        for network in _RECURRENT
        for device, cores in (four, sixteen)
        if (all_cores := table.seconds.get((network, "TensorFlow", device, cores))) is not None
        and (network, "TensorFlow", device, 1) in table.seconds
    ]
    return {
        "table.gpu_over_four_cores.most": max(over_four, default=math.nan),
        "table.gpu_over_sixteen_cores.most": max(over_sixteen, default=math.nan),
        "table.gpu_over_sixteen_cores.mean": _geometric_mean(over_sixteen),
        "table.k80_over_sixteen_cores.mean": _geometric_mean(table.ratios(sixteen, ("k80", None))),
        "table.threads_beyond_cores.faster": sum(ratio < 1 for ratio in beyond),
        "table.threads_beyond_cores.compared": len(beyond),
        "table.sixteen_over_four_cores.mean": _geometric_mean(scaling),
        "table.sixteen_over_four_cores.most": max(scaling, default=math.nan),
        "table.processor_beats_gpu.cases": sum(cpu < gpu for cpu, gpu in compared),
        "table.processor_beats_gpu.compared": len(compared),
        "table.gtx_1080_lead.least": min(others, default=math.nan),
        "table.caffe_fully_connected.first": caffe,
        "table.caffe_fully_connected.compared": caffe_of,
        "table.tensorflow_convolutional.first": convolutional,
        "table.tensorflow_convolutional.compared": convolutional_of,
        "table.tensorflow_recurrent.first": recurrent,
        "table.tensorflow_recurrent.compared": recurrent_of,
        "table.cntk_recurrent_processor.first": cntk,
        "table.cntk_recurrent_processor.compared": cntk_of,
        "table.cntk_recurrent_gpu.behind": _geometric_mean(behind),
        "table.torch_over_tensorflow_recurrent.most": max(lead, default=math.nan),
        "table.tensorflow_recurrent_efficiency.least": min(linear, default=math.nan),
        "table.caffe_fcn8_desktop.seconds": min(
            (s for (n, t, d, _), s in table.seconds.items() if (n, t, d) == ("fcn8", "Caffe", _DESKTOP)),
            default=math.nan,
        ),
    }


def _geometric_mean(ratios: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan
