"""The inputs that commands share: answers, single facts, the machine, the school, rule packs."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from advisor.errors import InputError, Problem

if TYPE_CHECKING:
    from advisor.facts.fact_base import FactBase
    from advisor.facts.vocabulary import Value
    from advisor.inference.advise import Detail
    from advisor.inference.plan import Plan
    from advisor.knowledge.model import Knowledge, School
    from advisor.machine.detection import Machine


class SchoolName(StrEnum):
    TODAY = "today"
    SURVEY = "survey"


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


class PlainFormat(StrEnum):
    """What commands print that have no report to make."""

    TEXT = "text"
    JSON = "json"


def _complete_assignment(incomplete: str) -> list[str]:
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
    from advisor.resources import profiles_folder

    names = sorted(path.stem for path in (profiles_folder() / "devices").glob("*.yaml"))
    return [name for name in names if name.startswith(incomplete)]


def _complete_machine(incomplete: str) -> list[str]:
    return [*(name for name in ("auto", "none") if name.startswith(incomplete)), *complete_device(incomplete)]


Answers = Annotated[Path | None, typer.Option("--answers", help="A file of answers (YAML).", metavar="FILE")]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", help="One fact, for example data.modality=image. Repeatable.", metavar="NAME=VALUE",
                 autocompletion=_complete_assignment),
]  # fmt: skip
MachineName = Annotated[
    str,
    typer.Option("--machine", help="auto: detect this one; none; a device's name; or a file of facts.", metavar="NAME",
                 autocompletion=_complete_machine),
]  # fmt: skip
SchoolOption = Annotated[
    SchoolName, typer.Option("--school", help="today's practice, or the survey of 2018 as written.")
]
Packs = Annotated[
    list[Path] | None, typer.Option("--rules", help="A folder of rules put on top. Repeatable.", metavar="DIR")
]
FormatOption = Annotated[Format, typer.Option("--format", help="How to print it.")]
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


def gather(
    answers: Path | None = None,
    sets: Sequence[str] | None = None,
    machine: str = "auto",
    school: SchoolName = SchoolName.TODAY,
    packs: Sequence[Path] | None = None,
) -> Inputs:
    """Reads all inputs. Raises InputError with the problems of answers and flags together."""
    from advisor.facts.answers import TITLE, parse_assignment, read_answers
    from advisor.facts.fact_base import Source
    from advisor.knowledge.model import School

    knowledge = knowledge_for(tuple(packs or ()))
    vocabulary = knowledge.vocabulary
    problems: list[Problem] = []
    stated: dict[str, Value | None] = {}
    titles: list[str] = []
    if answers is not None:
        try:
            stated.update(read_answers(vocabulary, answers))
        except InputError as error:
            problems.extend(error.problems)
            titles.append(error.title)
    for text in sets or ():
        try:
            name, value = parse_assignment(vocabulary, text)
            stated[name] = value
        except InputError as error:
            problems.extend(error.problems)
            titles.append(error.title)
    if problems:
        raise InputError(titles[0] if len(set(titles)) == 1 else TITLE, problems)
    facts, detected = machine_facts(knowledge, machine)
    facts = facts.with_values(stated, Source.ASKED)
    facts = with_published(knowledge, facts)
    return Inputs(knowledge, facts, School(school.value), detected)


def plan_of(inputs: Inputs, detail: Detail | None = None) -> Plan:
    """The plan for these inputs; what was measured on this machine before counts where it is in scope.

    What cannot be read of earlier measurements is a warning.
    """
    from advisor.inference.advise import FULL, advise

    if inputs.machine is None:
        return advise(inputs.knowledge, inputs.facts, inputs.school, detail or FULL)
    from advisor.agent.memory import recall
    from advisor.agent.scope import advise_here
    from advisor.cli.console import warn

    outcomes, problems = recall(inputs.machine)
    for problem in problems:
        warn(problem.title, str(problem.problems[0]))
    return advise_here(inputs.knowledge, inputs.facts, inputs.machine, outcomes, inputs.school, detail or FULL)


def machine_facts(knowledge: Knowledge, name: str) -> tuple[FactBase, Machine | None]:
    """The facts of the machine that was named: detected here, from a device profile, or from a file."""
    from advisor.facts.fact_base import FactBase, Source

    if name == "none":
        return FactBase(), None
    if name == "auto":
        from advisor.machine.detection import detect

        machine = detect()
        return FactBase.of(known_only(knowledge, machine.facts()), Source.DETECTED), machine
    return named_machine(knowledge, name), None


def named_machine(knowledge: Knowledge, name: str) -> FactBase:
    """A machine with one card or processor of this profile, or the facts of a file. Raises InputError."""
    from advisor.errors import did_you_mean, input_error, shorten
    from advisor.facts.answers import read_answers
    from advisor.facts.fact_base import FactBase, Source
    from advisor.machine.devices import DeviceKind
    from advisor.machine.profiles import find_device, load_devices, published_facts
    from advisor.resources import profiles_folder

    devices = load_devices(profiles_folder() / "devices")
    device = find_device(name, devices)
    if device is not None:
        facts = dict(published_facts(device))
        if device.kind is DeviceKind.GPU:
            facts |= {"machine.gpu.count": 1, "machine.gpu.name": device.name}
        published = known_only(knowledge, facts)
        return FactBase().with_values(published, Source.PUBLISHED, note=f"profile {device.name}")
    try:
        if Path(name).exists():
            return FactBase().with_values(read_answers(knowledge.vocabulary, Path(name)), Source.ASKED)
    except OSError:  # too long for a file name
        pass
    hint = did_you_mean(name, ["auto", "none", *devices])
    remedy = f"{hint} `advisor profiles list` shows the devices.".strip()
    what = f"{shorten(name)!r} is neither a device nor a file"
    raise input_error("There is no such machine", what, where="--machine", remedy=remedy)


def with_published(knowledge: Knowledge, facts: FactBase) -> FactBase:
    """Published figures of the GPU that is named, beneath everything that was asked or detected."""
    from advisor.facts.fact_base import Source

    name = facts.known("machine.gpu.name")
    if name is None:
        return facts
    from advisor.machine.profiles import find_device, published_facts

    device = find_device(str(name.value))
    if device is None:
        return facts
    published = known_only(knowledge, published_facts(device))
    return facts.with_values(published, Source.PUBLISHED, note=f"profile {device.name}")


def known_only(knowledge: Knowledge, values: Mapping[str, Value]) -> dict[str, Value]:
    """The values whose facts this rule base declares."""
    return {name: value for name, value in values.items() if name in knowledge.vocabulary.facts}


def deliver(text: str, output: Path | None, force: bool) -> None:
    """A result to the file that was named, or to stdout."""
    from advisor.cli.console import write
    from advisor.files import write_text

    if output is None:
        write(text)
    else:
        write_text(output, text if text.endswith("\n") else f"{text}\n", force=force)


def deliver_json(value: object, output: Path | None, force: bool) -> None:
    """JSON to the file that was named, or to stdout."""
    from advisor.cli.console import write_json
    from advisor.files import write_text
    from advisor.report.json_plan import json_text

    if output is None:
        write_json(value)
    else:
        write_text(output, f"{json_text(value)}\n", force=force)
