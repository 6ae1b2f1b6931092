"""`advisor probe`: measures this machine for a plan and says what that changes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import date

import typer

from advisor.agent.agent import Revision
from advisor.agent.machines import reference
from advisor.agent.machines.remarks import Again
from advisor.agent.remembered.memory import LAST, measurements_file
from advisor.agent.remembered.profile import grown
from advisor.agent.settling.otherwise import fewer_examples
from advisor.children.stopping import Stop
from advisor.cli.commands.options import Probe
from advisor.cli.console import FAILED, look, panel, tell, warn, write
from advisor.cli.delivering import deliver, deliver_json, refuse_rewriting, shown_otherwise
from advisor.cli.gathering import inputs_of
from advisor.cli.main import GOES_ON, KEPT, end_interrupted
from advisor.cli.options import TOLD, Format, typed_again
from advisor.cli.progress import MeasuringProgress
from advisor.cli.signals import told_to
from advisor.errors import InputError, Problem, did_you_mean, input_error
from advisor.facts.fact_base import Source
from advisor.files.output import check_output
from advisor.machine.profiles.files import find_device
from advisor.probes.catalogue import PROBES
from advisor.report.found.brief import Asked, left_to_measure, measured_brief
from advisor.report.found.measured import measured_markdown, measured_page
from advisor.report.html.plan_report import plan_html
from advisor.report.machine.page import machine_page, machine_report
from advisor.report.page import Page
from advisor.report.plan.markdown import report_text
from advisor.report.proposed import with_facts
from advisor.report.survey.claims import claim_lines, claims_json, claims_markdown, decided_here, told_of
from advisor.session.data import Mismatch, folder_of
from advisor.session.evidence import evidence, judged
from advisor.session.measuring import Measured, ResumableInterrupt, measuring, seconds_of
from advisor.session.usual_network import with_usual_network
from advisor.survey.judged_claims import Judgement
from advisor.wording import shorten

REPEATED = {
    "answers": "--answers", "sets": "--set", "data": "--data", "target": "--target", "save": "--save", "school": "--school",
    "packs": "--rules", "model": "--model", "input": "--input", "python": "--python",
}  # fmt: skip
"""Options of a command that repeats a run, besides its probes and its time."""


def probe(options: Probe) -> None:
    save, output = options.save, options.output
    seconds = seconds_of(options.budget)
    _check_names(options.only)
    if save != LAST:
        _check_save(save)
    folder = None if options.data is None else folder_of(options.data)
    begun = time.monotonic()
    inputs = inputs_of(options, mismatch=Mismatch.TOLERATED, seconds=seconds)
    spent = time.monotonic() - begun if options.model is not None else 0.0  # its code may take as long as it likes
    if output is not None:
        refuse_rewriting(output, options.answers)
        check_output(output, force=options.force)
    again = Again(typed_again(options, REPEATED), complete=True)
    usual = options.answers is None and not options.sets and options.model is None and inputs.inspection is None
    if usual:
        tell(f"No answers were named: measuring for {reference.TITLE}.")
        inputs = replace(inputs, facts=inputs.facts.with_values(reference.FACTS, Source.ASKED))
    else:
        inputs, network = with_usual_network(inputs)
        if network:
            usual = True
            tell(f"The plan has no network yet: measuring with {network}.")
    asked = Asked(typed_again(options, TOLD), again, tuple(options.only or ()), usual=usual)
    stop = Stop()
    try:
        with ExitStack() as delivered:
            with told_to(stop.everything), MeasuringProgress(seconds - spent) as progress:
                run = measuring(
                    inputs, seconds, complain=warn, only=options.only, folder=folder, save=save, fresh=options.fresh,
                    spent=spent, on_event=progress, stop=stop,
                )  # fmt: skip
                found = delivered.enter_context(run)
            if stop.all:
                end_interrupted(GOES_ON if found.resumable else KEPT)
            _tell(found, options, asked)
    except ResumableInterrupt:
        end_interrupted(GOES_ON)
    if not found.revision.measured:
        raise typer.Exit(FAILED)


def _tell(found: Measured, options: Probe, asked: Asked) -> None:
    revision = found.revision
    unsaved = (
        bool(revision.measured)
        and not found.kept
        and not any(one.worth_keeping for one in revision.outcomes[: revision.resumed])
    )
    if any(fewer_examples(revision.after, one) is None for one in found.kept):
        asked = replace(asked, saved=_saved(options.save))
    asked = replace(asked, unsaved=unsaved)
    with shown_otherwise(lambda: measured_page(revision, look())):
        _deliver(found, options, asked, lambda: _machine_page(found, options.save, not unsaved, asked.again))
    for outcome in revision.outcomes:
        if outcome.failure and options.format_ is not Format.TEXT:  # which tells it
            warn(f"The probe {outcome.probe} did not finish", outcome.failure)
    if unsaved:
        again = left_to_measure(revision, asked) or asked.again.command(asked.only, options.budget)
        _say_unsaved(revision, options.save, again)
    if not revision.skipped and not revision.outcomes:
        panel("Nothing was measured", ["Every recommendation that a probe could judge is settled already."])


def _saved(name: str) -> str:
    """A sentence on where the results are, and what uses them."""
    if name == LAST:
        return "Saved: later plans for this machine count on it."
    return f"Saved under the name {name}: `advisor profiles show {name}`."


def _say_unsaved(revision: Revision, save: str, command: str) -> None:
    """Once, after everything else: that nothing of this run was kept, why, and how to repeat it."""
    name = "" if save == LAST else f" under the name {save}"
    busy = not any(one.worth_keeping for one in revision.measured)
    why = "Other programs kept the CPU busy." if busy else "The results could not be written, as told above."
    when = "Measure again when the machine is idle" if busy else "Measure again"
    warn(f"Nothing was saved{name}", f"{why} {when}: {command}")


def _machine_page(found: Measured, name: str, kept: bool, again: Again) -> str:
    """The machine as this run has seen it, kept under this name; what was compared stands above it."""
    assert found.inputs.machine is not None  # noqa: S101 - it was measured
    profile = grown(None, name, found.inputs.machine, "", found.revision.outcomes)
    report = machine_report(profile, find_device, again)
    return machine_page(replace(report, decisions=()), look(), is_kept=kept)


def _deliver(found: Measured, options: Probe, asked: Asked, seen: Callable[[], str]) -> None:
    format_, output, force = options.format_, options.output, options.force
    revision, machine, knowledge = found.revision, found.inputs.machine, found.inputs.knowledge
    today = date.today().isoformat()
    claims = told_of(judged(revision.after, machine, revision.outcomes), asked.facts)
    if format_ is Format.JSON:
        document = {
            **revision.after.to_json(),
            "outcomes": [outcome.to_json() for outcome in revision.outcomes],
            "skipped": [{"probe": s.probe, "reason": s.reason, "open": s.open} for s in revision.skipped],
            "survey": claims_json(claims, knowledge)["survey"],
        }
        deliver_json(document, output, force)
    elif format_ is Format.HTML:
        shown = evidence(revision.after, machine, revision.outcomes, revision.skipped)
        deliver(plan_html(revision.after, knowledge, today, shown), output, force)
    elif format_ is Format.MARKDOWN or output is not None:
        report = report_text(revision.after, knowledge, today)
        parts = [report.rstrip(), *measured_markdown(revision), *claims_markdown(claims, knowledge)]
        deliver("\n".join(parts), output, force)
    if format_ is Format.TEXT or output is not None:
        if not options.whole:
            write(measured_brief(revision, look(), asked))
        else:
            write(measured_page(revision, look()))
            if revision.measured:
                write(f"\n{seen()}")
                write(f"\n{_trial(claims, asked.facts)}")
        if output is not None:
            write(f"The report is in {output}.")


def _trial(judged: Sequence[Judgement], told: str) -> str:
    """The survey's claims that this machine has decided, and how to see the others."""
    page = Page(look())
    claim_lines(page, judged, decided_here(judged))
    page.blank()
    page.add(f"{with_facts('`advisor rules trial`', told)} lists the others too.")
    return page.text()


def _check_names(names: list[str] | None) -> None:
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
    """Say before measuring that a name cannot be used: it is no plain word, or `--machine` takes it for a device's."""
    measurements_file(name)
    device = find_device(name)
    if device is not None:
        what = f"{name!r} stands for {device.title} in `--machine {name}`"
        remedy = f"Choose another name, such as my-{name}."
        raise input_error("This name cannot be used", what, where="--save", remedy=remedy)
