"""`advisor bench`: the networks that were timed in 2016, on this machine, beside what was published of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from advisor.cli.console import FAILED, look, panel, warn
from advisor.cli.inputs import Force, Inputs, Output, PlainFormat, PlainFormatOption, deliver, deliver_json, gather
from advisor.cli.main import end_interrupted
from advisor.cli.measuring import NO_RESUMING

if TYPE_CHECKING:
    from advisor.agent.remembered.journal import Journal
    from advisor.networks.benchmark.six import BenchmarkNetwork
    from advisor.report.survey.bench import BenchReport
    from advisor.survey.bench import Benchmark

BUDGET = "6 min"
MOST_THREADS, MOST_EXAMPLES = 1024, 100_000
_MOST = 12
"""Numbers in a list: each is one setting to be timed."""


def complete_network(incomplete: str) -> list[str]:
    from advisor.networks.benchmark.six import EIGHT

    return [network.name for network in EIGHT if network.name.startswith(incomplete)]


def bench(
    networks: Annotated[
        list[str] | None,
        typer.Argument(
            help="fcn5, fcn8, alexnet, resnet50, lstm32, lstm64 (all of these if none is named), fcn5-2048, fcn8-2048.",
            metavar="[NETWORK]...",
            autocompletion=complete_network,
        ),
    ] = None,
    threads: Annotated[
        str | None,
        typer.Option(
            "--threads", help="Numbers of threads to try, such as 1,2,4; otherwise chosen by the cores.", metavar="LIST"
        ),
    ] = None,
    batch: Annotated[
        str | None,
        typer.Option(
            "--batch", help="Batch sizes to try, such as 16,64; otherwise half and twice the published.", metavar="LIST"
        ),
    ] = None,
    budget: Annotated[str, typer.Option("--budget", help="Time it may take, for example 60s or 10 min.")] = BUDGET,
    width: Annotated[float, typer.Option("--width", hidden=True, min=0.001, max=1.0)] = 1.0,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin anew instead of going on where a stopped run ended.")
    ] = False,
    format_: PlainFormatOption = PlainFormat.TEXT,
    output: Output = None,
    force: Force = False,
) -> None:
    from advisor.cli.measuring import check_output, parse_budget

    chosen = [network.narrowed(width) for network in chosen_networks(networks or ())]
    tried = numbers(threads, "--threads", MOST_THREADS)
    sizes = numbers(batch, "--batch", MOST_EXAMPLES)
    seconds = parse_budget(budget)
    if output is not None:
        check_output(output, force)
    inputs = _with_cards(gather(machine="auto"))
    run = _benchmark(inputs, chosen, tried, sizes, seconds, fresh)
    try:
        _measure(run)
    except KeyboardInterrupt:
        if run.anything:
            deliver_report(_report(inputs, run), format_, output, force)
        if run.journal is not None and run.journal.outcomes:
            end_interrupted("What is finished is kept: the same command goes on from there (--fresh begins anew).")
        end_interrupted("No sweep was finished, so nothing is kept.")
    finally:
        if run.journal is not None:
            run.journal.close(finished=False)
    deliver_report(_report(inputs, run), format_, output, force)
    if not run.anything:
        panel("Nothing was measured", sorted(_reasons(run)))
        raise typer.Exit(FAILED)


def chosen_networks(names: Sequence[str]) -> list[BenchmarkNetwork]:
    """The networks of these names in the order of the table, the six where none is named. Raises InputError."""
    from advisor.errors import InputError, Problem, did_you_mean
    from advisor.networks.benchmark.six import EIGHT, SIX
    from advisor.wording import shorten

    known = [network.name for network in EIGHT]
    wrong = [name for name in dict.fromkeys(names) if name not in known]
    if wrong:
        problems = [
            Problem("NETWORK", f"{shorten(name)!r}", did_you_mean(name, known) or f"Known: {', '.join(known)}.")
            for name in wrong
        ]
        raise InputError("There is no such network in the benchmark", problems)
    return [network for network in EIGHT if network.name in names] or list(SIX)


def numbers(text: str | None, option: str, most: int) -> tuple[int, ...] | None:
    """Whole numbers from 1 to `most` from `1,2,4`. Raises InputError."""
    from advisor.errors import input_error
    from advisor.wording import shorten

    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    found = [int(part) for part in parts if part.isascii() and part.isdecimal() and len(part) < 10]
    if len(found) < len(parts) or not all(1 <= number <= most for number in found) or len(set(found)) > _MOST:
        remedy = f"Write at most {_MOST} whole numbers from 1 to {most} with commas between them, for example 1,2,4."
        raise input_error("This list cannot be used", f"{shorten(text)!r}", where=option, remedy=remedy)
    return tuple(sorted(set(found)))


def _with_cards(inputs: Inputs) -> Inputs:
    """Where there are cards, also whether torch can use them."""
    from dataclasses import replace

    from advisor.cli.measuring import TORCH_SECONDS
    from advisor.facts.fact_base import Source
    from advisor.machine.doctor.architecture import gpu_usable_by_torch
    from advisor.probes.ask_torch import ask_torch

    assert inputs.machine is not None  # noqa: S101 - gathered with machine auto
    if not inputs.machine.gpus:
        return inputs
    usable = gpu_usable_by_torch(inputs.machine, ask_torch(TORCH_SECONDS))
    if usable is None:
        return inputs
    facts = inputs.facts.with_values({"machine.gpu.usable_by_torch": usable}, Source.DETECTED)
    return replace(inputs, facts=facts)


def _benchmark(
    inputs: Inputs,
    networks: Sequence[BenchmarkNetwork],
    threads: tuple[int, ...] | None,
    batches: tuple[int, ...] | None,
    seconds: float,
    fresh: bool,
) -> Benchmark:
    from advisor.survey.bench import Benchmark

    assert inputs.machine is not None  # noqa: S101
    known = {name: entry.value for name in inputs.facts.names() if (entry := inputs.facts.known(name)) is not None}
    question = {
        "bench": [[network.name, network.inputs, network.hidden_units] for network in networks],
        "threads": threads,
        "batches": batches,
        "seconds": seconds,
        "machine": inputs.machine.fingerprint,
        "torch": _torch_version(),
    }
    return Benchmark(
        networks,
        known,
        inputs.machine.fingerprint,
        seconds,
        threads,
        batches,
        journal=_journal(question, fresh),
    )


def _journal(question: Mapping[str, object], fresh: bool) -> Journal | None:
    """Without one measuring goes on and could not be resumed."""
    from advisor.agent.remembered.journal import Journal
    from advisor.errors import InputError

    try:
        journal = Journal.open(question)
    except InputError as error:
        warn(NO_RESUMING, str(error.problems[0]))
        return None
    if journal is None:
        warn("Another run measures the same", "Both will disturb each other; this one could not be resumed.")
    elif fresh:
        journal.forget()
    return journal


def _measure(run: Benchmark) -> None:
    from advisor.agent.events import MeasuringResumed
    from advisor.cli.progress import MeasuringProgress
    from advisor.survey.bench import BenchEvent, Sweep

    class BenchProgress(MeasuringProgress):
        """Says which network is timed; the same probe for another network is no second try."""

        def line(self, text: str) -> None:
            super().line(text.replace("the plan's own network", "this network"))

        def __call__(self, event: BenchEvent) -> None:
            match event:
                case Sweep():
                    self._run.clear()
                    self.line(f"{event.network.title} with {', '.join(map(str, event.settings))}")
                case MeasuringResumed(outcomes, spent):
                    many = sum(outcome.failure is None for outcome in outcomes)
                    self.line(
                        f"Going on where a stopped run ended: {many} sweep{'' if many == 1 else 's'} measured already."
                    )
                    self._deadline -= spent
                case _:
                    super().__call__(event)

    with BenchProgress(run.budget_seconds) as progress:
        run.listener = progress
        run.measure()


def _reasons(run: Benchmark) -> set[str]:
    failures = {o.failure for result in run.results.values() for o in result.outcomes.values() if o.failure}
    return failures | {why for result in run.results.values() for why in result.skipped.values()}


def _report(inputs: Inputs, run: Benchmark) -> BenchReport:
    from datetime import UTC, datetime

    from advisor.machine.profiles.published import load_tables
    from advisor.report.survey.bench import BenchReport
    from advisor.resources import profiles_folder
    from advisor.survey.bench_findings import findings
    from advisor.survey.claim_values import TABLE_4

    assert inputs.machine is not None  # noqa: S101
    tables = load_tables(profiles_folder() / "published")
    results = list(run.results.values())
    return BenchReport(
        results,
        findings(inputs.knowledge, inputs.facts, results, tables),
        inputs.knowledge,
        next((table for table in tables if table.name == TABLE_4), None),
        inputs.machine.cpu_model or "a processor that gives no name",
        inputs.machine.physical_cores,
        datetime.now(UTC).isoformat(timespec="seconds"),
        _torch_version(),
    )


def deliver_report(report: BenchReport, format_: PlainFormat, output: Path | None, force: bool) -> None:
    if format_ is PlainFormat.JSON:
        from advisor.report.survey.bench_json import bench_json

        deliver_json(bench_json(report), output, force)
        return
    from advisor.report.page import Look
    from advisor.report.survey.bench import bench_page

    deliver(bench_page(report, look() if output is None else Look()), output, force)


def _torch_version() -> str:
    from advisor.agent.settling.scope import torch_version

    return torch_version()
