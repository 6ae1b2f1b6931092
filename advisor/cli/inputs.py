"""The inputs that commands share: answers, single facts, the data, the machine, the school, rule packs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from advisor.errors import InputError, Problem

if TYPE_CHECKING:
    from advisor.datasets.dataset import Inspection
    from advisor.facts.fact_base import FactBase
    from advisor.facts.vocabulary import Value
    from advisor.inference.advise import Detail
    from advisor.inference.plan import Plan
    from advisor.knowledge.model import Knowledge, School
    from advisor.machine.detection.detection import Machine
    from advisor.probes.outcome import Outcome
    from advisor.report.page import Look


class SchoolName(StrEnum):
    TODAY = "today"
    SURVEY = "survey"


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"


class PageFormat(StrEnum):
    """What commands print that have a page to show in a browser too."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"


class PlainFormat(StrEnum):
    """What commands print that have no report to make."""

    TEXT = "text"
    JSON = "json"


def complete_assignment(incomplete: str) -> list[str]:
    name, equals, value = incomplete.partition("=")
    vocabulary = knowledge_for(()).vocabulary
    if not equals:
        return [f"{fact}=" for fact in vocabulary.facts if fact.startswith(name)]
    fact = vocabulary.facts.get(name)
    choices = fact.choice_names if fact else ()
    return [f"{name}={choice}" for choice in choices if choice.startswith(value)]


def complete_topic(incomplete: str) -> list[str]:
    return [name for name in knowledge_for(()).topics if name.startswith(incomplete)]


def complete_rule(incomplete: str) -> list[str]:
    return [rule.id for rule in knowledge_for(()).rules if rule.id.startswith(incomplete)]


def complete_device(incomplete: str) -> list[str]:
    from advisor.resources import device_files

    return [path.stem for path in device_files() if path.stem.startswith(incomplete)]


def _complete_machine(incomplete: str) -> list[str]:
    return [*(name for name in ("auto", "none") if name.startswith(incomplete)), *complete_device(incomplete)]


Answers = Annotated[Path | None, typer.Option("--answers", help="A file of answers (YAML).", metavar="FILE")]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", help="One fact, for example data.modality=image. Repeatable.", metavar="NAME=VALUE",
                 autocompletion=complete_assignment),
]  # fmt: skip
MachineName = Annotated[
    str,
    typer.Option("--machine", help="auto: this one; none; a device; a measured machine; or a file of facts or of a profile.",
                 metavar="NAME", autocompletion=_complete_machine),
]  # fmt: skip
SchoolOption = Annotated[
    SchoolName, typer.Option("--school", help="today's practice, or the survey of 2018 as written.")
]
Packs = Annotated[
    list[Path] | None, typer.Option("--rules", help="A folder of rules put on top. Repeatable.", metavar="DIR")
]
FormatOption = Annotated[Format, typer.Option("--format", help="How to print it.")]
PageFormatOption = Annotated[PageFormat, typer.Option("--format", help="How to print it.")]
PlainFormatOption = Annotated[PlainFormat, typer.Option("--format", help="How to print it.")]
Output = Annotated[Path | None, typer.Option("--output", help="Write to this file instead.", metavar="FILE")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the output file.")]


@functools.cache
def knowledge_for(packs: tuple[Path, ...]) -> Knowledge:
    from advisor.knowledge.cache import load_cached
    from advisor.resources import rules_folder

    return load_cached(rules_folder(), packs)


@dataclass(frozen=True)
class Inputs:
    """Everything a plan is made from."""

    knowledge: Knowledge
    facts: FactBase
    school: School
    machine: Machine | None
    outcomes: tuple[Outcome, ...] | None = None
    """What was measured on the machine, oldest first; None where that is what this host remembers."""
    inspection: Inspection | None = None
    """Of the data that were named."""
    trials: tuple[Outcome, ...] | None = None
    """What was tried on these data, oldest first; None where that is what this host remembers."""


def gather(
    answers: Path | None = None,
    sets: Sequence[str] | None = None,
    machine: str = "auto",
    school: SchoolName = SchoolName.TODAY,
    packs: Sequence[Path] | None = None,
    what_if: Sequence[str] | None = None,
    data: Path | None = None,
    target: str | None = None,
    *,
    strict: bool = False,
) -> Inputs:
    """Reads all inputs; what is supposed (`what_if`) goes before what is stated, and both before what `data` show.

    A task that the data do not allow is a warning, or where `strict` an InputError. A named card that no profile describes
    is a warning. Raises InputError with the problems of answers and flags together, and where the data cannot be inspected.
    """
    from advisor.cli.machines import named_machine, unknown_card, with_published
    from advisor.facts.answers import TITLE, parse_assignments, read_answers
    from advisor.facts.fact_base import Source
    from advisor.knowledge.model import School

    knowledge = knowledge_for(tuple(packs or ()))
    vocabulary, topics = knowledge.vocabulary, knowledge.topics
    problems: list[Problem] = []
    stated: dict[str, Value | None] = {}
    titles: list[str] = []
    readers: list[Callable[[], Mapping[str, Value | None]]] = [
        lambda: read_answers(vocabulary, answers, topics) if answers is not None else {},
        lambda: parse_assignments(vocabulary, sets or (), "--set", topics),
        lambda: parse_assignments(vocabulary, what_if or (), "--what-if", topics),
    ]
    for read in readers:
        try:
            stated.update(read())
        except InputError as error:
            problems.extend(error.problems)
            titles.append(error.title)
    if problems:
        raise InputError(titles[0] if len(set(titles)) == 1 else TITLE, problems)
    inspection = _as_told(inspection_of(data, target), stated.get("task.kind"), strict)
    found = named_machine(knowledge, machine)
    known = found.facts if inspection is None else with_inspection(knowledge, found.facts, inspection)
    facts = with_published(knowledge, known.with_values(stated, Source.ASKED))
    card = unknown_card(facts)
    if card is not None:
        warn_of_card(str(card))
    return Inputs(knowledge, facts, School(school.value), found.machine, found.outcomes, inspection)


def inspection_of(data: Path | None, target: str | None) -> Inspection | None:
    """What is found in the data, None where none were named. Raises InputError."""
    if data is None:
        if target is not None:
            from advisor.errors import input_error

            what = "it names a column, but no data are named"
            raise input_error("There are no data", what, where="--target", remedy="Add --data PATH.")
        return None
    from advisor.cli.data import inspected

    return inspected(data, target)


def _as_told(inspection: Inspection | None, task: Value | None, strict: bool) -> Inspection | None:
    """Read for the task that somebody states; where that cannot be, a warning says so, or an InputError (`advisor try`)."""
    if inspection is None or inspection.task is None or task is None or task == inspection.task:
        return inspection
    from advisor.cli.data import read_for
    from advisor.datasets.dataset import FORETELLING

    if task not in FORETELLING:
        return inspection
    try:
        return read_for(inspection, str(task))
    except InputError as error:
        from advisor.cli.console import warn

        title = "The answers and the data do not fit together"
        if strict:
            raise InputError(title, error.problems) from None
        warn(title, str(error.problems[0]))
        return inspection


def with_inspection(knowledge: Knowledge, facts: FactBase, inspection: Inspection) -> FactBase:
    """The facts with what the data show, beneath what anybody states."""
    from advisor.facts.fact_base import Source

    found = {**inspection.facts, "data.fingerprint": inspection.fingerprint}
    declared = {name: value for name, value in found.items() if name in knowledge.vocabulary.facts}
    return facts.with_values(declared, Source.INSPECTED)


@functools.cache  # said once, however often it comes up
def warn_of_card(what: str) -> None:
    from advisor.cli.console import warn

    warn("Nothing is known of this card", what)


def plan_of(inputs: Inputs, detail: Detail | None = None) -> Plan:
    """The plan for these inputs; what was measured on this machine, or tried on these data, counts where it is in scope."""
    from advisor.agent.settling.scope import advise_here
    from advisor.inference.advise import FULL

    outcomes = list(inputs.outcomes or ())
    if inputs.outcomes is None and inputs.machine is not None:
        outcomes = recalled(inputs.machine)
    outcomes += tried(inputs.facts) if inputs.trials is None else inputs.trials
    return advise_here(inputs.knowledge, inputs.facts, inputs.machine, outcomes, inputs.school, detail or FULL)


def recalled(machine: Machine) -> list[Outcome]:
    """What was measured on this machine before; what cannot be read of it is a warning."""
    from advisor.agent.remembered.memory import recall

    return _warned(*recall(machine))


def tried(facts: FactBase) -> list[Outcome]:
    """What was tried on the data that these facts were found in; what cannot be read of it is a warning."""
    from advisor.agent.trials.outcomes import recall_trials

    return _warned(*recall_trials(facts))


def _warned(outcomes: list[Outcome], problems: Sequence[InputError]) -> list[Outcome]:
    from advisor.cli.console import warn

    for problem in problems:
        warn(problem.title, str(problem.problems[0]))
    return outcomes


_ANSWERS_STAY = "this is the file that the answers come from, and it is never rewritten"


def refuse_rewriting(output: Path | None, *read: Path | None, what: str = _ANSWERS_STAY) -> None:
    """An output may not be one of the files that were read, `--force` or not. Raises InputError."""
    from advisor.errors import input_error

    for path in read:
        try:
            same = output is not None and path is not None and output.exists() and output.samefile(path)
        except (OSError, ValueError):  # one of them is no file
            continue
        if same:
            raise input_error("The output cannot be written", what, where=str(output), remedy="Name another file.")


def deliver(text: str, output: Path | None, force: bool) -> None:
    """A result to the file that was named, or to stdout."""
    from advisor.cli.console import write
    from advisor.files import write_text

    if output is None:
        write(text)
    else:
        write_text(output, text if text.endswith("\n") else f"{text}\n", force=force)


def deliver_page(
    format_: PageFormat,
    output: Path | None,
    force: bool,
    *,
    as_json: Callable[[], object],
    as_html: Callable[[str], str],
    as_text: Callable[[Look], str],
) -> None:
    """A result in the wanted form. Only that one is made: pages in HTML, which take a date, need libraries of their own."""
    from datetime import date

    from advisor.cli.console import look
    from advisor.report.page import Look

    if format_ is PageFormat.JSON:
        deliver_json(as_json(), output, force)
    elif format_ is PageFormat.HTML:
        deliver(as_html(date.today().isoformat()), output, force)
    else:
        deliver(as_text(look() if output is None else Look()), output, force)


def deliver_json(value: object, output: Path | None, force: bool) -> None:
    """JSON to the file that was named, or to stdout."""
    from advisor.cli.console import write_json
    from advisor.files import write_text
    from advisor.report.plan.json_plan import json_text

    if output is None:
        write_json(value)
    else:
        write_text(output, f"{json_text(value)}\n", force=force)
