"""`advisor bench`: the networks that were timed in 2016, on this machine, beside what was published of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import typer

from advisor.agent.events import MeasuringResumed
from advisor.cli.commands.options import Bench
from advisor.cli.console import FAILED, look, panel, warn, warn_once, write
from advisor.cli.delivering import deliver, deliver_json, shown_otherwise
from advisor.cli.main import GOES_ON, KEPT, end_interrupted
from advisor.cli.options import PlainFormat, typed_again
from advisor.cli.progress import MeasuringProgress
from advisor.cli.signals import told_to
from advisor.errors import InputError, Problem, did_you_mean, input_error
from advisor.files.output import check_output
from advisor.machine.profiles.published import load_tables
from advisor.networks.benchmark.six import EIGHT, SIX, BenchmarkNetwork
from advisor.report.page import Look
from advisor.report.survey.bench import BenchReport, bench_page
from advisor.report.survey.bench_brief import bench_brief
from advisor.report.survey.bench_json import bench_json
from advisor.resources import profiles_folder
from advisor.session.inputs import Inputs, gather
from advisor.session.measuring import open_journal, seconds_of, with_cards
from advisor.survey.bench import BenchEvent, Benchmark, Sweep
from advisor.survey.bench_findings import findings
from advisor.survey.claim_values import TABLE_4
from advisor.version import torch_version
from advisor.wording import shorten

MOST_THREADS, MOST_EXAMPLES = 1024, 100_000
REPEATED = {"threads": "--threads", "batch": "--batch"}
_MOST = 12
"""Numbers in a list: each is one setting to be timed."""


def bench(options: Bench) -> None:
    output = options.output
    chosen = [network.narrowed(options.width) for network in chosen_networks(options.networks or ())]
    tried = numbers(options.threads, "--threads", MOST_THREADS)
    sizes = numbers(options.batch, "--batch", MOST_EXAMPLES)
    seconds = seconds_of(options.budget)
    if output is not None:
        check_output(output, force=options.force)
    inputs = with_cards(gather(complain=warn_once, recall=False))
    run = _benchmark(inputs, chosen, tried, sizes, seconds, options.fresh)
    try:
        try:
            with told_to(run.stop.everything), BenchProgress(run.budget_seconds) as run.listener:
                run.measure()
        except KeyboardInterrupt:
            run.stop.everything()
        if run.anything or not run.stop.all:
            deliver_report(_report(inputs, run), options)
        if run.stop.all:
            end_interrupted(GOES_ON if run.resumable else "No sweep was finished, so nothing is kept.")
        if run.journal is not None:
            run.journal.close(finished=True)
    except KeyboardInterrupt:
        end_interrupted(GOES_ON if run.resumable else KEPT)
    finally:
        if run.journal is not None:
            run.journal.close(finished=False)
    if not run.anything:
        panel("Nothing was measured", sorted(_reasons(run)))
        raise typer.Exit(FAILED)


def chosen_networks(names: Sequence[str]) -> list[BenchmarkNetwork]:
    """The networks of these names in the order of the table, the six where none is named. Raises InputError."""
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
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    found = [int(part) for part in parts if part.isascii() and part.isdecimal() and len(part) < 10]
    if len(found) < len(parts) or not all(1 <= number <= most for number in found) or len(set(found)) > _MOST:
        remedy = f"Write at most {_MOST} whole numbers from 1 to {most} with commas between them, for example 1,2,4."
        raise input_error("This list cannot be used", f"{shorten(text)!r}", where=option, remedy=remedy)
    return tuple(sorted(set(found)))


def _benchmark(
    inputs: Inputs,
    networks: Sequence[BenchmarkNetwork],
    threads: tuple[int, ...] | None,
    batches: tuple[int, ...] | None,
    seconds: float,
    fresh: bool,
) -> Benchmark:
    assert inputs.machine is not None  # noqa: S101
    known = {name: entry.value for name in inputs.facts.names() if (entry := inputs.facts.known(name)) is not None}
    question = {
        "bench": [[network.name, network.inputs, network.hidden_units] for network in networks],
        "threads": threads,
        "batches": batches,
        "seconds": seconds,
        "machine": inputs.machine.fingerprint,
        "torch": torch_version(),
    }
    return Benchmark(
        networks,
        known,
        inputs.machine.fingerprint,
        seconds,
        threads,
        batches,
        journal=open_journal(question, fresh, warn),
        journal_stays=True,
    )


class BenchProgress(MeasuringProgress):
    """Says which network is timed; the same probe for another network is no second try."""

    keeps = False

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
                self.time.spent = spent
            case _:
                super().__call__(event)


def _reasons(run: Benchmark) -> set[str]:
    failures = {o.failure for result in run.results.values() for o in result.outcomes.values() if o.failure}
    return failures | {why for result in run.results.values() for why in result.skipped.values()}


def _report(inputs: Inputs, run: Benchmark) -> BenchReport:
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
        torch_version(),
    )


def deliver_report(report: BenchReport, options: Bench) -> None:
    """The first screen on the terminal; everything where it was asked for, and in a file."""
    output, force = options.output, options.force
    with shown_otherwise(lambda: bench_page(report, look())):
        if options.format_ is PlainFormat.JSON:
            deliver_json(bench_json(report), output, force)
        elif output is not None or options.whole:
            deliver(bench_page(report, look() if output is None else Look()), output, force)
        else:
            write(bench_brief(report, look(), typed_again(options, REPEATED)))
