"""One simulation as a page and as JSON: examples a second, waiting, staleness, bytes, loss against virtual time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from advisor.distributed.strategies import Kind
from advisor.report.numbers import number_words, rounded
from advisor.report.page import Look, Page, Style
from advisor.report.strategies.curve import curve_lines
from advisor.report.strategies.timeline import Stretch, timeline_lines
from advisor.simulation.exchange import IN_BUCKETS, OVERLAPPED, bucket_shares
from advisor.simulation.result import Result, Span
from advisor.simulation.scenario import Law, Scenario, StepTime

SCHEMA = "advisor/simulation/1"
_USUAL_BYTES = 4
"""Of a number that is exchanged."""
_ALONE = (Kind.SERVER, Kind.GROUPS)


def simulation_page(
    scenario: Scenario, result: Result, notes: Sequence[str], look: Look, *, whole: bool = False
) -> str:
    """The simulator's report on one strategy.

    Args:
        notes: on what it rests, in sentences.
        whole: with the range of the staleness, each worker's examples, and what was lost.
    """
    page = Page(look)
    page.add(headed(scenario), first=[("SIMULATED  ", Style.HEADING)])
    page.add(scenario.strategy.declared.says, first="  ")
    page.blank()
    page.labelled(figures(scenario, result, whole=whole))
    if result.timeline:
        page.heading("WHO WAITS FOR WHOM")
        timeline_lines(page, stretches(result.timeline), _shown_seconds(result.timeline))
    if result.loss:
        page.heading("LOSS")
        curve_lines(page, {str(scenario.strategy): result.loss})
    if result.diverged_at is not None:
        page.add(
            f"After {number_words(result.diverged_at, 's')} the loss is no number any more: the steps are too large.",
            first=[("  ! ", Style.CARE)],
        )
    page.section("WHAT IT RESTS ON", rests_on(scenario, notes))
    return page.text()


def simulation_json(scenario: Scenario, result: Result, notes: Sequence[str]) -> dict[str, Any]:
    """The document of `advisor simulate --strategy ... --format json`."""
    found = result.staleness
    return {
        "schema": SCHEMA,
        "strategy": result.strategy,
        "workers": result.workers,
        "steps": scenario.steps,
        "batch": scenario.batch,
        "seconds": result.seconds,
        "examples": result.examples,
        "examples_per_s": result.examples_per_s,
        "updates": result.updates,
        "staleness": {
            "median": found.median,
            "p95": found.p95,
            "mean": found.mean,
            "most": found.most,
            "histogram": [[one.least, one.most, one.count] for one in found.histogram],
        },
        "waiting_share": result.waiting_share,
        "bytes": None if scenario.sends_unknown else result.bytes,
        "loss": [list(point) for point in result.loss],
        "metric": {"name": result.metric_name, "values": [list(point) for point in result.metric]},
        "diverged_at": result.diverged_at,
        "failures": result.failures,
        "checkpoints": result.checkpoints,
        "lost_seconds": result.lost_seconds,
        "worker_examples": list(result.worker_examples),
        "timeline": [[one.worker, one.begin, one.end, one.doing.value] for one in result.timeline],
        "scenario": {
            "step_time": str(scenario.step_time),
            "mean_step_seconds": scenario.step_time.mean,
            "link_bytes_per_second": scenario.link.bytes_per_second,
            "latency": scenario.link.latency,
            "message_bytes": scenario.message_bytes,
            "straggler": scenario.straggler,
            "overlap": scenario.overlap if scenario.bucket_bytes is None else None,
            "seed": scenario.seed,
        },
        "exchange": {
            "value_bytes": scenario.value_bytes,
            "between_stages": _between(scenario),
            "bucket_bytes": scenario.bucket_bytes,
            "inner_link_bytes_per_second": scenario.inside.bytes_per_second,
            "servers": scenario.servers,
        },
        "notes": list(notes),
    }


def stretches(spans: Sequence[Span]) -> list[Stretch]:
    return [Stretch(f"worker {one.worker + 1}", one.begin, one.end, one.doing.value) for one in spans]


def alone_per_s(scenario: Scenario) -> float | None:
    """Examples a second of one worker with nobody to wait for; None where a step takes no time."""
    mean = scenario.step_time.mean
    return scenario.batch / mean if mean > 0 else None


def headed(scenario: Scenario) -> str:
    """The strategy with the number of workers, of steps and of examples."""
    workers = "1 worker" if scenario.workers == 1 else f"{scenario.workers:,} workers"
    each = "each on average" if scenario.strategy.kind in _ALONE else "each"
    return f"{scenario.strategy}: {workers}, {scenario.steps:,} steps {each}, of {scenario.batch:,} examples"


def figures(scenario: Scenario, result: Result, *, whole: bool) -> list[tuple[str, str]]:
    """Each quantity with its value in words."""
    found = [
        ("examples/s", _rate(scenario, result)),
        ("virtual time", f"{number_words(result.seconds, 's')} for {result.examples:,} examples"),
        ("waiting", f"{result.waiting_share:.1%} of the workers' time, for others, the exchange or the server"),
        ("sent", _sent(scenario, result)),
    ]
    if scenario.strategy.kind in _ALONE:
        found.append(("staleness", _stale(result, whole=whole)))
    if result.loss:
        name, value = result.metric_name, result.metric[-1][1] if result.metric else None
        ends = f"{result.loss[-1][1]:.4g}" + (f"; {name} {value:.4g}" if value is not None else "")
        found.append(("loss at the end", f"{ends}, on held-out examples"))
    if result.failures:
        lost = number_words(result.lost_seconds, "s")
        found.append(
            ("failures", f"{result.failures:,}; {lost} of the workers' time lost; {result.checkpoints:,} checkpoints")
        )
    if whole and result.worker_examples:
        least, most = min(result.worker_examples), max(result.worker_examples)
        found.append(("of each worker", f"{least:,} to {most:,} examples"))
    return found


def _rate(scenario: Scenario, result: Result) -> str:
    if result.examples_per_s is None:
        return "no time has passed"
    alone, rate = alone_per_s(scenario), result.examples_per_s
    said = f"{rate:,.0f}" if rate >= 100 else rounded(rate)
    said = f"at most {said}" if scenario.sends_unknown else said
    if alone is None:
        return said
    times = rate / alone
    return f"{said}, {rounded(times)} times those of one worker alone ({times / scenario.workers:.0%} of the best that could be)"


def _bits(scenario: Scenario) -> str:
    return "" if scenario.value_bytes == _USUAL_BYTES else f" in {8 * scenario.value_bytes} bits"


def _sent(scenario: Scenario, result: Result) -> str:
    if scenario.sends_unknown:
        besides = f"; besides them {number_words(result.bytes, 'bytes')} of gradients" if result.bytes else ""
        return f"not known: the bytes between the stages are not{besides}"
    return f"{number_words(result.bytes, 'bytes')} by all together"


def _between(scenario: Scenario) -> list[int] | None:
    """Of a pipeline: bytes that each stage but the last passes on for one worker's batch; None where they are not known."""
    if scenario.strategy.kind is not Kind.PIPELINE:
        return []
    return None if scenario.sends_unknown else list(scenario.passed)


def _stale(result: Result, *, whole: bool) -> str:
    found = result.staleness
    said = f"median {rounded(found.median)} updates, 95 % at most {rounded(found.p95)}"
    return f"{said}, mean {rounded(found.mean)}, at most {found.most:,}" if whole else said


def _step_words(found: StepTime) -> str:
    """The time of a step and how it varies: 500 ms; lognormal, median 12 ms, spread 0.05."""
    seconds = number_words(found.seconds, "s")
    match found.law:
        case Law.CONSTANT:
            return f"always {seconds}"
        case Law.SAMPLES:
            return f"measured, {number_words(found.mean, 's')} on average"
        case Law.EXPONENTIAL:
            return f"exponential, {seconds} on average"
        case Law.GAMMA:
            return f"gamma, {seconds} on average, spread {found.spread:g}"
    return f"lognormal, median {seconds}, spread {found.spread:g}"


def _shown_seconds(spans: Sequence[Span]) -> str:
    return number_words(max(one.end for one in spans) - min(one.begin for one in spans), "s")


def rests_on(scenario: Scenario, notes: Sequence[str]) -> list[str]:
    """In sentences: what was taken from the plan or assumed, and what was given."""
    rate, latency = scenario.link.bytes_per_second, scenario.link.latency
    carried = "without limit" if rate is None else number_words(rate, "bytes/s")
    waits = number_words(latency, "s") if latency else "0"
    says = [
        *notes,
        f"Time of a step: {_step_words(scenario.step_time)}. Links: {carried}, latency {waits}. "
        f"An exchange carries {number_words(scenario.message_bytes or 0, 'bytes')}{_bits(scenario)}. Seed {scenario.seed}.",
    ]
    if scenario.straggler > 1:
        says.append(f"The last worker takes {scenario.straggler:g} times as long.")
    says += [one for one in (_overlapping(scenario), _inside(scenario), _divided(scenario)) if one]
    faults = scenario.faults
    if faults.between_failures is not None:
        often, away = number_words(faults.between_failures, "s"), number_words(faults.restart, "s")
        saved = "No checkpoints are saved."
        if faults.checkpoint_every is not None:
            saved = f"A checkpoint is saved after every {number_words(faults.checkpoint_every, 's')} of work that is not lost."
        says.append(f"Each worker fails every {often} on average, and is back after {away}. {saved}")
    return says


def _overlapping(scenario: Scenario) -> str:
    """A sentence on the exchange of gradients while others are still computed."""
    if scenario.workers == 1 or scenario.strategy.name not in OVERLAPPED:
        return ""
    if scenario.strategy.kind is Kind.PIPELINE and scenario.workers <= scenario.strategy.whole("stages"):
        return ""  # a single copy of the network has nobody to exchange gradients with
    if scenario.overlap:
        return f"Gradients are exchanged during {scenario.overlap:.0%} of a step already (given)."
    if scenario.bucket_bytes is None or scenario.strategy.name not in IN_BUCKETS:
        return "No gradient is exchanged before all are computed."
    if len(bucket_shares(scenario)) == 1:
        return "All gradients fit into the first bucket of PyTorch, so none is exchanged before all are computed."
    return (
        f"Gradients are exchanged during the backward pass, {number_words(scenario.bucket_bytes, 'bytes')} at a time, as PyTorch "
        "does it; two thirds of a step are that pass (assumed). --overlap gives another share of a step, 0 for none."
    )


def _inside(scenario: Scenario) -> str:
    if scenario.group_link is None or scenario.strategy.kind is not Kind.GROUPS:
        return ""
    rate = scenario.group_link.bytes_per_second
    return f"Links inside groups: {'without limit' if rate is None else number_words(rate, 'bytes/s')}."


def _divided(scenario: Scenario) -> str:
    if scenario.servers == 1 or scenario.strategy.kind not in _ALONE:
        return ""
    return f"The weights are divided among {scenario.servers:,} servers, each with a link of its own."
