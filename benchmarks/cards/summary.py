"""What a run found, for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from .parts import Outcome, Status


def of_checks(document: Any) -> tuple[str, list[str]]:
    tests = document["tests"]
    counts = {kind: sum(test["outcome"] == kind for test in tests) for kind in ("passed", "failed", "skipped")}
    problems = [f"{test['test']} failed" for test in tests if test["outcome"] == "failed"]
    return ", ".join(f"{count} {kind}" for kind, count in counts.items()), problems + [
        f"{name} did not end" for name in document["not_ended"]
    ]


def of_doctor(document: Any) -> tuple[str, list[str]]:
    return f"{len(document['findings'])} findings", []


def of_probes(document: Any) -> tuple[str, list[str]]:
    outcomes = document["outcomes"]
    if not outcomes:
        return "", ["nothing was measured: " + " ".join(sorted({one["reason"] for one in document["skipped"]}))]
    told = ", ".join(f"{one['probe']} {one['verdict']}" for one in outcomes if not one["failure"])
    return told, [f"{one['probe']}: {one['failure']}" for one in outcomes if one["failure"]]


def of_rates(document: Any) -> tuple[str, list[str]]:
    products = document["matmul_flops_per_second"]
    told = [f"{name} {rate / 1e12:.3g} TFLOP/s" for name, rate in products.items()]
    told += [
        f"{name.removesuffix('_bytes_per_second').replace('_', ' ')} {rate / 1e9:.3g} GB/s"
        for name, rate in document.items()
        if name.endswith("_bytes_per_second")
    ]
    return ", ".join(told), []


def complete(outcomes: Sequence[Outcome]) -> bool:
    return all(one.status in (Status.PASSED, Status.FAILED, Status.NO_CARD) for one in outcomes)


def as_json(run: Mapping[str, object], outcomes: Sequence[Outcome]) -> dict[str, object]:
    return {**run, "complete": complete(outcomes), "parts": [asdict(one) for one in outcomes]}


def as_markdown(run: Mapping[str, object], outcomes: Sequence[Outcome]) -> str:
    lines = ["# A run on a graphics card", "", *(f"- {name}: {value}" for name, value in run.items()), ""]
    lines += ["| part | outcome | seconds | found |", "| --- | --- | --- | --- |"]
    lines += [
        f"| {one.title} | {STATUS_WORDS.get(one.status, one.status)} | {one.seconds:.0f} | {one.found} |"
        for one in outcomes
    ]
    problems = [f"- {one.title}: {problem}" for one in outcomes for problem in one.problems]
    if problems:
        lines += ["", "## Problems", "", *problems]
    if not complete(outcomes):
        lines += ["", "Not complete: the same command goes on where this run ended."]
    return "\n".join(lines) + "\n"


STATUS_WORDS = {Status.NO_CARD: "not possible here: no card"}
