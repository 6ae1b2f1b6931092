"""The numbers that claims are judged with, beside facts: ratios of what was timed here, and counts in published tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import Any, TypeAlias

from advisor.agent.settling.figures import given_quantities
from advisor.agent.trials.outcomes import TOPICS, widths_of
from advisor.facts.fact_base import Source
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Plan
from advisor.knowledge.model import Knowledge, Policy
from advisor.machine.profiles.published import PublishedTable
from advisor.probes.outcome import Outcome, Rate, newest_of
from advisor.probes.probe import Setting

TABLE_4 = "dlbench-table-4"
"""Time of training steps by network, tool and device, in Shi et al. 2016."""
_DESKTOP, _SERVER = "i7-3820", "2x-e5-2630-v3"
_DESKTOP_CORES, _SERVER_CORES = 4, 16
_CARDS = ("gtx-980", "gtx-1080", "k80")
_FULLY_CONNECTED, _CONVOLUTIONAL, _RECURRENT = ("fcn5", "fcn8"), ("alexnet", "resnet50"), ("lstm32", "lstm64")
_CONTESTS = (
    ("caffe_fully_connected", "Caffe", _FULLY_CONNECTED, True),
    ("tensorflow_convolutional", "TensorFlow", _CONVOLUTIONAL, True),
    ("tensorflow_recurrent", "TensorFlow", _RECURRENT, True),
    ("cntk_recurrent_processor", "CNTK", _RECURRENT, False),
)
"""By the names under `table.`, a tool that is compared with all others on these networks; True on cards."""


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

    What is merely assumed stays unknown, and what experiments found is taken from their outcomes alone.
    """
    for name, known in plan.facts.items():
        if known.source is not Source.ASSUMED and not name.startswith(("probe.", "trial.", "sim.")):
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


def _ratio(above: Rate, below: Rate) -> Estimate:
    """Of two rates that were not timed in pairs: the interval holds every quotient of both intervals."""
    return Estimate(above.median / below.median, above.low / below.high, above.high / below.low)


_Place: TypeAlias = tuple[str, str, int | None]
"""Tool, device and number of threads."""


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

    def over(self, network: str, above: _Place, below: _Place) -> list[float]:
        """Seconds in one place over seconds in another; empty unless both are printed."""
        slow, fast = self.seconds.get((network, *above)), self.seconds.get((network, *below))
        return [slow / fast] if slow is not None and fast is not None else []

    def ratios(self, above: tuple[str, int | None], below: tuple[str, int | None]) -> list[float]:
        """Seconds on one device over seconds on another, wherever one tool has both."""
        pairs = (self.over(network, (tool, *above), (tool, *below)) for network, tool in self.pairs)
        return list(chain.from_iterable(pairs))

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

    def first(self, tool: str, networks: Sequence[str], gpu: bool) -> tuple[float, float]:
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
    contests: dict[str, float] = {}
    for name, tool, networks, gpu in _CONTESTS:
        contests[f"table.{name}.first"], contests[f"table.{name}.compared"] = table.first(tool, networks, gpu)
    behind = [
        ratio
        for network, tool in product(_RECURRENT, ("TensorFlow", "Torch"))
        for ratio in table.over(network, ("CNTK", *card), (tool, *card))
    ]
    lead = [
        ratio
        for network, place in product(_RECURRENT, (four, (_SERVER, 4)))
        for ratio in table.over(network, ("TensorFlow", *place), ("Torch", *place))
    ]
    linear = [
        ratio / cores
        for network, (device, cores) in product(_RECURRENT, (four, sixteen))
        for ratio in table.over(network, ("TensorFlow", device, 1), ("TensorFlow", device, cores))
    ]
    return {
        "table.gpu_over_four_cores.most": max(over_four, default=math.nan),
        "table.gpu_over_sixteen_cores.most": max(over_sixteen, default=math.nan),
        "table.gpu_over_sixteen_cores.mean": geometric_mean(over_sixteen),
        "table.k80_over_sixteen_cores.mean": geometric_mean(table.ratios(sixteen, ("k80", None))),
        "table.threads_beyond_cores.faster": sum(ratio < 1 for ratio in beyond),
        "table.threads_beyond_cores.compared": len(beyond),
        "table.sixteen_over_four_cores.mean": geometric_mean(scaling),
        "table.sixteen_over_four_cores.most": max(scaling, default=math.nan),
        "table.processor_beats_gpu.cases": sum(cpu < gpu for cpu, gpu in compared),
        "table.processor_beats_gpu.compared": len(compared),
        "table.gtx_1080_lead.least": min(others, default=math.nan),
        **contests,
        "table.cntk_recurrent_gpu.behind": geometric_mean(behind),
        "table.torch_over_tensorflow_recurrent.most": max(lead, default=math.nan),
        "table.tensorflow_recurrent_efficiency.least": min(linear, default=math.nan),
        "table.caffe_fcn8_desktop.seconds": min(
            (s for (n, t, d, _), s in table.seconds.items() if (n, t, d) == ("fcn8", "Caffe", _DESKTOP)),
            default=math.nan,
        ),
    }


def geometric_mean(ratios: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan
