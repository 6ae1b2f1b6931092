"""The benchmark of 2016 on this machine as JSON, with every sample and every published row of its networks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.networks.counts import counted
from advisor.probes.probe import Setting
from advisor.probes.settings.batch import BATCH
from advisor.probes.settings.cores import THREADS
from advisor.probes.settings.variants import CPU, DEVICE
from advisor.report.survey.bench import BenchReport
from advisor.survey.bench import Measured, workload
from advisor.survey.bench_findings import ERRATA, Figure, published_of, refused, seconds, settings, speed_up
from advisor.survey.judged_claims import Judgement

SCHEMA = "advisor/bench/1"


def bench_json(report: BenchReport) -> dict[str, Any]:
    """The document `advisor/bench/1`."""
    return {
        "schema": SCHEMA,
        "date": report.date,
        "machine": report.machine,
        "physical_cores": report.physical_cores,
        "torch": report.torch,
        "networks": [_network_json(report, result) for result in report.results],
        "findings": [
            {"claim": name, "text": next(iter(judged.values())).claim.text, "networks": _verdicts(judged)}
            for name, judged in report.found.judged.items()
        ],
        "not_judged": dict(report.found.not_judged),
        "table": [
            {
                "claim": one.claim.id, "text": one.claim.text, "verdict": one.verdict or "not_judged",
                "errata": list(one.claim.erratum),
                "figures": {figure.title: figure.value.median for figure in one.figures},
            }
            for one in report.found.table
        ],
        "errata": {key: report.knowledge.errata[key].text for key in ERRATA if key in report.knowledge.errata},
    }  # fmt: skip


def _verdicts(judged: Mapping[str, Judgement]) -> dict[str, Any]:
    return {
        name: {
            "verdict": one.verdict or "not_judged",
            "why": one.why,
            "measured": one.measured.to_json() if one.measured else None,
        }
        for name, one in judged.items()
    }


def _network_json(report: BenchReport, result: Measured) -> dict[str, Any]:
    network, model = result.network, counted(result.network)
    return {
        "name": network.name,
        "title": network.title,
        "network": workload(network).describe(),
        "batch": network.batch_size,
        "parameters": model.parameters,
        "macs_per_example": model.multiply_adds,
        "threads": _sweep_json(result, THREADS.name, 1),
        "batches": _sweep_json(result, BATCH.name, network.batch_size),
        "devices": _sweep_json(result, DEVICE.name, CPU),
        "skipped": dict(result.skipped),
        "scaling": [
            {
                "fewer": one.fewer, "more": one.more, "beyond_cores": one.beyond_cores, "speed_up": _figure_json(one.here),
                "published": None if one.published is None
                else dict(zip(("least", "mean", "most"), one.published, strict=True)) | {"cases": one.published_cases},
            }
            for one in report.scalings(result)
        ],
        "published": [
            {
                "framework": one.framework, "device": one.device, "threads": one.threads, "batch": one.batch,
                "seconds": one.value, "doubt": one.doubt,
            }
            for one in published_of(network, report.table)
        ],
        "outcomes": [outcome.to_json() for outcome in result.outcomes.values()],
    }  # fmt: skip


def _sweep_json(result: Measured, probe: str, over: Setting) -> list[dict[str, Any]]:
    """Every setting with its seconds a step and how many times as fast as `over` it is; refused ones with the reason."""
    rows: list[dict[str, Any]] = []
    for setting in settings(result, probe):
        time, ratio = seconds(result, probe, setting), speed_up(result, probe, over, setting)
        if time is not None:
            faster = _figure_json(ratio) if ratio is not None and setting != over else None
            rows.append({"setting": setting, "seconds": _figure_json(time), "speed_up": faster})
    return [*rows, *({"setting": s, "skipped": why} for s, why in refused(result, probe).items())]


def _figure_json(figure: Figure) -> dict[str, Any]:
    once = figure.low is None or figure.high is None  # so that nothing is known of its spread
    return {"median": figure.median, "low": figure.low, "high": figure.high, "n": figure.n, "run_once": once}
