"""`advisor probe`: measures this machine for a plan and says what that changes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from advisor.cli.console import FAILED, panel, say, stderr, warn, write, write_json
from advisor.cli.inputs import (
    Force,
    Format,
    FormatOption,
    Inputs,
    Output,
    Packs,
    PlainFormat,
    PlainFormatOption,
    SchoolName,
    SchoolOption,
    Sets,
    deliver,
    deliver_json,
    gather,
    refuse_rewriting,
)

if TYPE_CHECKING:
    from advisor.agent.agent import Revision
    from advisor.machine.detection import Machine

TOO_BUSY = 0.25
"""Share of the processors taken by other programs, from which on a result says little of the machine at rest."""

SHORTEST, LONGEST = 1, 86400
"""What `--budget` may be, in seconds."""

app = typer.Typer(invoke_without_command=True)


@app.callback(help="Measures this machine for a plan, within a time budget, and advises again.")
def probe(
    context: typer.Context,
    budget: Annotated[str, typer.Option("--budget", help="Time it may take, for example 60s or 2 min.")] = "60s",
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Only this probe. Repeatable.", metavar="NAME")
    ] = None,
    answers: Annotated[
        Path | None, typer.Option("--for", help="The answers whose plan is measured.", metavar="ANSWERS")
    ] = None,
    sets: Sets = None,
    save: Annotated[str, typer.Option("--save", help="Keep the result under this name.", metavar="NAME")] = "last",
    school: SchoolOption = SchoolName.TODAY,
    packs: Packs = None,
    format_: FormatOption = Format.TEXT,
    output: Output = None,
    force: Force = False,
) -> None:
    if context.invoked_subcommand is not None:
        return
    from advisor.agent import reference
    from advisor.agent.memory import measurements_file
    from advisor.facts.fact_base import Source

    seconds = parse_budget(budget)
    _check_names(only)
    inputs = gather(answers, sets, "auto", school, packs)
    if output is not None:
        refuse_rewriting(output, answers)
        _check_output(output, force)
    facts = inputs.facts
    if answers is None and not sets:
        stderr().print(f"Nothing was named with --for: measuring for {reference.TITLE}.")
        facts = facts.with_values(reference.FACTS, Source.ASKED)
    if save != "last":
        measurements_file(save)  # a name that cannot be used is said before anything is measured
    assert inputs.machine is not None  # noqa: S101 - gathered with machine auto
    revision = _measure(Inputs(inputs.knowledge, facts, inputs.school, inputs.machine), seconds, only, save)
    _deliver(inputs, revision, format_, output, force)
    for skipped in revision.skipped:
        warn(f"The probe {skipped.probe} was not run", skipped.reason)
    for outcome in revision.outcomes:
        if outcome.failure:
            warn(f"The probe {outcome.probe} did not finish", outcome.failure)
    if not revision.measured:
        if not revision.skipped and not revision.outcomes:
            panel("Nothing was measured", ["Every recommendation that a probe could judge is settled already."])
        raise typer.Exit(FAILED)


def _measure(inputs: Inputs, seconds: float, only: list[str] | None, save: str) -> Revision:
    from advisor.agent.agent import settle

    assert inputs.machine is not None  # noqa: S101
    machine = inputs.machine

    def listener(what: str, about: Any) -> None:
        announce(what, about)
        if what == "finished" and about.measured:
            keep(machine, about, save)

    return settle(inputs.knowledge, inputs.facts, machine, seconds, school=inputs.school, only=only, on_event=listener)


def keep(machine: Machine, outcome: Any, name: str = "last") -> None:
    """Remembers one outcome, unless the machine was too busy for it to hold later on.

    A state folder that cannot be written is a warning.
    """
    if (outcome.conditions.others_share or 0.0) > TOO_BUSY:
        stderr().print(f"  {outcome.probe}: not kept for later plans, since other programs took much of the machine.")
        return
    from advisor.agent.memory import remember
    from advisor.errors import InputError

    try:
        remember(machine, [outcome], name)
    except InputError as error:
        warn("The measurement cannot be kept for later", str(error.problems[0]))


def announce(what: str, about: Any) -> None:
    """Progress on stderr."""
    if what == "started":
        probe, seconds = about
        stderr().print(f"{probe.name}: {probe.question} (up to {seconds:.0f} s)")
    elif what == "finished":
        stderr().print(f"{about.probe}: {about.verdict.value.replace('_', ' ')}")
        for warning in about.conditions.warnings:
            stderr().print(f"  {warning}")


def _deliver(inputs: Inputs, revision: Revision, format_: Format, output: Path | None, force: bool) -> None:
    from datetime import date

    from advisor.report.changes import change_lines
    from advisor.report.markdown import report_text

    if format_ is Format.JSON:
        document = {
            **revision.after.to_json(),
            "outcomes": [outcome.to_json() for outcome in revision.outcomes],
            "skipped": [{"probe": skipped.probe, "reason": skipped.reason} for skipped in revision.skipped],
        }
        deliver_json(document, output, force)
        return
    if format_ is Format.MARKDOWN or output is not None:
        deliver(report_text(revision.after, inputs.knowledge, date.today().isoformat()), output, force)
    if format_ is Format.TEXT:
        for line in change_lines(revision.after):
            say(line)
        if output is not None:
            write(f"The report is in {output}.")


def parse_budget(text: str) -> float:
    """Seconds from `60s`, `2 min`, or a bare number of seconds. Raises InputError."""
    from advisor.errors import InputError, input_error, shorten
    from advisor.facts.values import parse_value
    from advisor.facts.vocabulary import Fact, FactType

    fact = Fact("--budget", "", FactType.NUMBER, unit="hours", minimum=SHORTEST / 3600, maximum=LONGEST / 3600)
    spelled = f"{text.strip()} s" if text.strip()[-1:].isdigit() else text
    try:
        hours = parse_value(fact, spelled, where="--budget")
    except InputError:
        hours = None
    if not isinstance(hours, float):
        remedy = f"Write for example 60s or 2 min; from {SHORTEST} to {LONGEST} seconds."
        raise input_error("This is no time to measure in", f"{shorten(text)!r}", where="--budget", remedy=remedy)
    return hours * 3600


def _check_names(names: list[str] | None) -> None:
    from advisor.errors import InputError, Problem, did_you_mean, shorten
    from advisor.probes.catalogue import PROBES

    known = [probe.name for probe in PROBES]
    wrong = [name for name in names or () if name not in known]
    if wrong:
        problems = [Problem("--only", f"{shorten(name)!r}", did_you_mean(name, known)) for name in wrong]
        raise InputError("There is no such probe", problems)


def _check_output(output: Path, force: bool) -> None:
    """Says before measuring what could not be written afterwards."""
    from advisor.errors import input_error

    title = "The output cannot be written"
    if output.exists() and not force:
        raise input_error(title, "the file exists", where=str(output), remedy="Name another file or add --force.")
    if not output.parent.is_dir():
        raise input_error(title, "there is no such folder", where=str(output.parent), remedy="Create it first.")


@app.command("list", help="The probes: what each answers, and what it costs.")
def list_(format_: PlainFormatOption = PlainFormat.TEXT) -> None:
    from advisor.probes.catalogue import PROBES

    if format_ is PlainFormat.JSON:
        entries = [
            {"name": p.name, "question": p.question, "topic": p.topic, "fact": p.fact, "seconds": p.cost_seconds}
            for p in PROBES
        ]
        write_json(entries)
        return
    for p in PROBES:
        write(f"{p.name}: {p.question} ({p.topic}, about {p.cost_seconds:.0f} s)")
