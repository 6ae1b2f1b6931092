"""`advisor probe`: measures this machine for a plan and says what that changes."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from advisor.cli.console import FAILED, look, panel, stderr, warn, write, write_json
from advisor.cli.data import TargetColumn, named_path
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
from advisor.cli.main import end_interrupted
from advisor.cli.measuring import (
    check_output,
    folder_of,
    keep,
    looked_at_closely,
    open_journal,
    parse_budget,
    with_data,
)

if TYPE_CHECKING:
    from advisor.agent.agent import Revision
    from advisor.agent.remembered.journal import Journal
    from advisor.probes.outcome import Outcome
    from advisor.survey.judged_claims import Judgement

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
            parser=named_path,
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
    from advisor.agent.machines import reference
    from advisor.agent.machines.remarks import Again
    from advisor.facts.fact_base import Source

    seconds = parse_budget(budget)
    _check_names(only)
    if save != "last":
        _check_save(save)
    inputs = with_data(gather(answers, sets, "auto", school, packs), data, target)
    if output is not None:
        refuse_rewriting(output, answers)
        check_output(output, force)
    facts = inputs.facts
    given = _options(answers, sets, data, target, save, school, packs)
    if answers is None and not sets and inputs.inspection is None:
        stderr().print(f"Nothing was named with --for: measuring for {reference.TITLE}.")
        facts = facts.with_values(reference.FACTS, Source.ASKED)
    inputs = replace(inputs, facts=facts)
    folder = folder_of(data)
    journal = open_journal(inputs, only, seconds, folder, fresh)
    begun = time.monotonic()
    inputs = looked_at_closely(inputs, folder)
    kept: list[Outcome] = []
    revision = _measure(inputs, seconds - (time.monotonic() - begun), only, save, folder, journal, kept)
    unsaved = (
        revision.measured and not kept and not any(one.worth_keeping for one in revision.outcomes[: revision.resumed])
    )
    _deliver(inputs, revision, format_, output, force, _Saved(save, not unsaved, given))
    for outcome in revision.outcomes:
        if outcome.failure:
            warn(f"The probe {outcome.probe} did not finish", outcome.failure)
    if unsaved:
        _say_unsaved(revision, save, Again(given, complete=True).command(only or (), budget))
    if not revision.measured:
        if not revision.skipped and not revision.outcomes:
            panel("Nothing was measured", ["Every recommendation that a probe could judge is settled already."])
        raise typer.Exit(FAILED)


def _measure(
    inputs: Inputs,
    seconds: float,
    only: list[str] | None,
    save: str,
    folder: str | None,
    journal: Journal | None,
    kept: list[Outcome],
) -> Revision:
    """Every outcome is saved at once; those that were are added to `kept`."""
    from advisor.agent.agent import settle
    from advisor.agent.events import MeasuringEvent, ProbeFinished
    from advisor.cli.progress import MeasuringProgress

    assert inputs.machine is not None  # noqa: S101
    machine = inputs.machine
    try:
        with MeasuringProgress(seconds) as progress:

            def listener(event: MeasuringEvent) -> None:
                progress(event)
                if isinstance(event, ProbeFinished) and event.outcome.measured:
                    outcome = event.outcome
                    if keep(machine, outcome, save, progress.line):
                        kept.append(outcome)

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
            end_interrupted("What is finished is kept: the same command goes on from there (--fresh begins anew).")
        raise
    finally:
        if journal is not None:
            journal.close(finished=False)


def _options(
    answers: Path | None,
    sets: list[str] | None,
    data: Path | None,
    target: str | None,
    save: str,
    school: SchoolName,
    packs: list[Path] | None,
) -> str:
    """What the run was given besides its probes and its time, as it is written in a shell."""
    words = ["--for", str(answers)] if answers is not None else []
    words += [word for text in sets or () for word in ("--set", text)]
    words += ["--data", str(data)] if data is not None else []
    words += ["--target", target] if target is not None else []
    words += ["--save", save] if save != "last" else []
    words += ["--school", school.value] if school is not SchoolName.TODAY else []
    words += [word for pack in packs or () for word in ("--rules", str(pack))]
    return shlex.join(words)


def _say_unsaved(revision: Revision, save: str, command: str) -> None:
    """Once, after everything else: that nothing of this run was kept, why, and how to repeat it."""
    name = "" if save == "last" else f" under the name {save}"
    busy = not any(one.worth_keeping for one in revision.measured)
    why = "Other programs took much of the machine." if busy else "The results could not be written, as told above."
    when = "When they rest, measure again" if busy else "Measure again"
    warn(f"Nothing was saved{name}", f"{why} {when}: {command}")


@dataclass(frozen=True, slots=True)
class _Saved:
    """Under which name this run's outcomes are kept, if they are, and the options that repeat the run."""

    name: str
    done: bool
    options: str


def _machine_page(inputs: Inputs, revision: Revision, saved: _Saved) -> str:
    """The machine as this run has seen it; what was compared stands above it."""
    from advisor.agent.machines.remarks import Again
    from advisor.agent.remembered.profile import grown
    from advisor.machine.profiles.files import find_device
    from advisor.report.machine.page import machine_page, machine_report

    assert inputs.machine is not None  # noqa: S101
    profile = grown(None, saved.name, inputs.machine, "", revision.outcomes)
    report = machine_report(profile, find_device, Again(saved.options, complete=True))
    return machine_page(replace(report, decisions=()), look(), is_kept=saved.done)


def _deliver(
    inputs: Inputs, revision: Revision, format_: Format, output: Path | None, force: bool, saved: _Saved
) -> None:
    from datetime import date

    from advisor.cli.evidence import evidence, judged
    from advisor.report.found.measured import measured_markdown, measured_page
    from advisor.report.plan.markdown import report_text
    from advisor.report.survey.claims import claims_json, claims_markdown

    if format_ is Format.HTML:
        from advisor.report.html.plan_report import plan_html

        shown = evidence(revision.after, inputs.machine, revision.outcomes, revision.skipped)
        deliver(plan_html(revision.after, inputs.knowledge, date.today().isoformat(), shown), output, force)
        return
    claims = judged(revision.after, inputs.machine, revision.outcomes)
    if format_ is Format.JSON:
        document = {
            **revision.after.to_json(),
            "outcomes": [outcome.to_json() for outcome in revision.outcomes],
            "skipped": [{"probe": s.probe, "reason": s.reason, "open": s.open} for s in revision.skipped],
            "survey": claims_json(claims, inputs.knowledge)["survey"],
        }
        deliver_json(document, output, force)
        return
    if format_ is Format.MARKDOWN or output is not None:
        report = report_text(revision.after, inputs.knowledge, date.today().isoformat())
        parts = [report.rstrip(), *measured_markdown(revision), *claims_markdown(claims, inputs.knowledge)]
        deliver("\n".join(parts), output, force)
    if format_ is Format.TEXT:
        write(measured_page(revision, look()))
        if revision.measured:
            write(f"\n{_machine_page(inputs, revision, saved)}")
            write(f"\n{_trial(claims)}")
        if output is not None:
            write(f"The report is in {output}.")


def _trial(judged: Sequence[Judgement]) -> str:
    """What this machine has decided of the survey's claims, and how to see the others."""
    from advisor.report.page import Page
    from advisor.report.survey.claims import claim_lines, decided_here

    page = Page(look())
    claim_lines(page, judged, decided_here(judged))
    page.blank()
    page.add("`advisor rules trial` lists the others too.")
    return page.text()


def _check_names(names: list[str] | None) -> None:
    from advisor.errors import InputError, Problem, did_you_mean
    from advisor.probes.catalogue import PROBES
    from advisor.wording import shorten

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


def _check_save(name: str) -> None:
    """Says before measuring that a name cannot be used: it is no plain word, or `--machine` takes it for a device's."""
    from advisor.agent.remembered.memory import measurements_file
    from advisor.errors import input_error
    from advisor.machine.profiles.files import find_device

    measurements_file(name)
    device = find_device(name)
    if device is not None:
        what = f"{name!r} stands for {device.title} in `--machine {name}`"
        remedy = f"Choose another name, such as my-{name}."
        raise input_error("This name cannot be used", what, where="--save", remedy=remedy)


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
