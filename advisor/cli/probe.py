"""`advisor probe`: measures this machine for a plan and says what that changes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from advisor.cli.console import FAILED, look, panel, stderr, warn, write, write_json
from advisor.cli.data import TargetColumn
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
    tried,
)

if TYPE_CHECKING:
    from advisor.agent.agent import Revision
    from advisor.agent.journal import Journal
    from advisor.agent.trial import Judgement
    from advisor.machine.detection import Machine
    from advisor.probes.outcome import ProbeOutcome

TORCH_SECONDS = 20.0
"""For asking torch about the cards, out of the budget."""
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
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            help="The data, or their folder: facts are found in them, and files read on that disk.",
            metavar="PATH",
        ),
    ] = None,
    target: TargetColumn = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin anew instead of going on where a stopped run ended.")
    ] = False,
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
    inputs = _with_data(gather(answers, sets, "auto", school, packs), data, target)
    if output is not None:
        refuse_rewriting(output, answers)
        check_output(output, force)
    facts = inputs.facts
    if answers is None and not sets and inputs.inspection is None:
        stderr().print(f"Nothing was named with --for: measuring for {reference.TITLE}.")
        facts = facts.with_values(reference.FACTS, Source.ASKED)
    if save != "last":
        measurements_file(save)  # a name that cannot be used is said before anything is measured
    inputs = replace(inputs, facts=facts)
    folder = _folder(data)
    journal = _journal(inputs, only, seconds, folder, fresh)
    begun = time.monotonic()
    inputs = _looked_at_closely(inputs, folder)
    revision = _measure(inputs, seconds - (time.monotonic() - begun), only, save, folder, journal)
    _deliver(inputs, revision, format_, output, force, save)
    for outcome in revision.outcomes:
        if outcome.failure:
            warn(f"The probe {outcome.probe} did not finish", outcome.failure)
    if not revision.measured:
        if not revision.skipped and not revision.outcomes:
            panel("Nothing was measured", ["Every recommendation that a probe could judge is settled already."])
        raise typer.Exit(FAILED)


def _looked_at_closely(inputs: Inputs, folder: str | None) -> Inputs:
    """The machine with its caches, memory, clocks and disks; where it has a card, also whether torch can use it."""
    from advisor.facts.fact_base import Source
    from advisor.machine.detection import look_closer
    from advisor.machine.doctor_architecture import gpu_usable_by_torch
    from advisor.probes.ask_torch import ask_torch

    assert inputs.machine is not None  # noqa: S101 - gathered with machine auto
    machine = look_closer(inputs.machine, folders=(folder or str(Path.cwd()),))
    found = {name: value for name, value in machine.facts().items() if name in inputs.knowledge.vocabulary.facts}
    facts = inputs.facts.with_values(found, Source.DETECTED)
    if machine.gpus and "machine.gpu.usable_by_torch" in inputs.knowledge.vocabulary.facts:
        usable = gpu_usable_by_torch(machine, ask_torch(TORCH_SECONDS))
        if usable is not None:
            facts = facts.with_values({"machine.gpu.usable_by_torch": usable}, Source.DETECTED)
    return replace(inputs, machine=machine, facts=facts)


def _measure(
    inputs: Inputs, seconds: float, only: list[str] | None, save: str, folder: str | None, journal: Journal | None
) -> Revision:
    from advisor.agent.agent import settle
    from advisor.cli.progress import MeasuringProgress

    assert inputs.machine is not None  # noqa: S101
    machine = inputs.machine
    try:
        with MeasuringProgress(seconds) as progress:

            def listener(what: str, about: Any) -> None:
                progress(what, about)
                if what == "finished" and about.measured:
                    keep(machine, about, save, progress.line)

            return settle(
                inputs.knowledge,
                inputs.facts,
                machine,
                seconds,
                school=inputs.school,
                only=only,
                on_event=listener,
                folder=folder,
                journal=journal,
                trials=tried(inputs.facts),
            )
    except KeyboardInterrupt:
        if journal is not None and journal.outcomes:
            stderr().print("What is finished is kept: the same command goes on from there (--fresh begins anew).")
        raise
    finally:
        if journal is not None:
            journal.close(finished=False)


def _with_data(inputs: Inputs, data: Path | None, target: str | None) -> Inputs:
    """With what is found in the data. They may also be of a kind that cannot be inspected: their disk is measured then."""
    from advisor.cli.inputs import inspection_of, with_inspection
    from advisor.errors import InputError

    _folder(data)  # says where there is no such path
    try:
        inspection = inspection_of(data, target)
    except InputError as error:
        if target is not None:
            raise
        warn("No facts were found in these data", f"{error.title}: {error.problems[0].what}.")
        return inputs
    if inspection is None:
        return inputs
    facts = with_inspection(inputs.knowledge, inputs.facts, inspection)
    return replace(inputs, facts=facts, inspection=inspection)


def _folder(data: Path | None) -> str | None:
    """The folder on the disk that holds the data."""
    if data is None:
        return None
    from advisor.errors import input_error

    if not data.exists():
        raise input_error(
            "There are no such data", "the path does not exist", where=str(data), remedy="Check the path."
        )
    return str((data if data.is_dir() else data.parent).resolve())


def _journal(inputs: Inputs, only: list[str] | None, seconds: float, folder: str | None, fresh: bool) -> Journal | None:
    """The journal of this very question; without one measuring goes on and could not be resumed."""
    from advisor.agent.journal import Journal
    from advisor.agent.scope import torch_version
    from advisor.errors import InputError

    assert inputs.machine is not None  # noqa: S101
    known = {
        name: entry.value for name in sorted(inputs.facts.names()) if (entry := inputs.facts.known(name)) is not None
    }
    question = {
        "facts": {name: str(sorted(value) if isinstance(value, frozenset) else value) for name, value in known.items()},
        "only": sorted(only or ()),
        "seconds": seconds,
        "folder": folder,
        "school": inputs.school.value,
        "machine": inputs.machine.fingerprint,
        "torch": torch_version(),
        "rules": inputs.knowledge.digest,
    }
    try:
        journal = Journal.open(question)
    except InputError as error:
        warn("This run could not be resumed", str(error.problems[0]))
        return None
    if journal is None:
        warn("Another run measures the same", "Both will disturb each other; this one could not be resumed.")
    elif fresh:
        journal.forget()
    return journal


def keep(machine: Machine, outcome: ProbeOutcome, name: str, say: Callable[[str], None]) -> None:
    """Remembers one outcome, unless the machine was too busy for it to say anything.

    A state folder that cannot be written is a warning.
    """
    if outcome.conditions.too_busy and not outcome.facts():
        say(f"  {outcome.probe}: not kept for later plans, since other programs took much of the machine.")
        return
    from advisor.agent.memory import remember
    from advisor.errors import InputError

    try:
        remember(machine, [outcome], name)
    except InputError as error:
        warn("The measurement cannot be kept for later", str(error.problems[0]))


def _machine_page(inputs: Inputs, revision: Revision, name: str) -> str:
    """The machine as this run has seen it; what was compared stands above it."""
    from advisor.agent.machine_profile import grown
    from advisor.machine.profiles import find_device
    from advisor.report.machine_page import machine_page, machine_report

    assert inputs.machine is not None  # noqa: S101
    report = machine_report(grown(None, name, inputs.machine, "", revision.outcomes), find_device)
    return machine_page(replace(report, decisions=()), look())


def _deliver(inputs: Inputs, revision: Revision, format_: Format, output: Path | None, force: bool, save: str) -> None:
    from datetime import date

    from advisor.agent.trial import put_on_trial
    from advisor.machine.published import load_tables
    from advisor.report.markdown import report_text
    from advisor.report.measured import measured_markdown, measured_page
    from advisor.report.trial import trial_json, trial_markdown
    from advisor.resources import profiles_folder

    tables = load_tables(profiles_folder() / "published")
    judged = put_on_trial(inputs.knowledge, revision.after, _judging(inputs, revision), tables)
    if format_ is Format.JSON:
        document = {
            **revision.after.to_json(),
            "outcomes": [outcome.to_json() for outcome in revision.outcomes],
            "skipped": [{"probe": s.probe, "reason": s.reason, "open": s.open} for s in revision.skipped],
            "survey": trial_json(judged, inputs.knowledge)["survey"],
        }
        deliver_json(document, output, force)
        return
    if format_ is Format.MARKDOWN or output is not None:
        report = report_text(revision.after, inputs.knowledge, date.today().isoformat())
        parts = [report.rstrip(), *measured_markdown(revision), *trial_markdown(judged, inputs.knowledge)]
        deliver("\n".join(parts), output, force)
    if format_ is Format.TEXT:
        write(measured_page(revision, look()))
        if revision.measured:
            write(f"\n{_machine_page(inputs, revision, save)}")
            write(f"\n{_trial(judged)}")
        if output is not None:
            write(f"The report is in {output}.")


def _judging(inputs: Inputs, revision: Revision) -> list[ProbeOutcome]:
    """What counts for the plan as it is now, and what failed, for its reason."""
    from advisor.agent.scope import newest_in_scope, scope_of

    failed = [outcome for outcome in revision.outcomes if outcome.failure]
    return [*failed, *newest_in_scope(revision.outcomes, scope_of(revision.after, inputs.machine))]


def _trial(judged: Sequence[Judgement]) -> str:
    """What this machine has decided of the survey's claims, and how to see the others."""
    from advisor.report.page import Page
    from advisor.report.trial import decided_here, trial_lines

    page = Page(look())
    trial_lines(page, judged, decided_here(judged))
    page.blank()
    page.add("`advisor rules trial` lists the others too.")
    return page.text()


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
        problems = [
            Problem(
                "--only",
                f"{shorten(name)!r}",
                f"{did_you_mean(name, known)} `advisor probe list` has them all.".strip(),
            )
            for name in wrong
        ]
        raise InputError("There is no such probe", problems)


def check_output(output: Path, force: bool) -> None:
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
    from advisor.report.page import Page, Style

    if format_ is PlainFormat.JSON:
        entries = [
            {
                "name": p.name,
                "question": p.question,
                "topic": p.topic,
                "fact": p.fact,
                "seconds": p.cost_seconds,
                "unit": p.rate_unit,
                "opt_in": p.opt_in,
            }
            for p in PROBES
        ]
        write_json(entries)
        return
    page = Page(look())
    name, cost = max(len(p.name) for p in PROBES), 6
    widths = (name, cost, page.look.columns - name - cost - 4)
    for p in PROBES:
        decides = f" Decides {p.topic}." if p.topic else ""
        named = " Only when named with --only." if p.opt_in else ""
        about = f"{p.cost_seconds:>4.0f} s"
        page.columns((((p.name, Style.STRONG),), (about,), (f"{p.question}{decides}{named}",)), widths)
    page.blank()
    page.add("With the seconds that each takes about. `advisor probe --only NAME` runs one.")
    write(page.text())
