"""The options that commands share, each declared once: answers, data, machine, school, rule packs, format, output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NamedTuple, TypeVar

import typer

from advisor.cli.completing import complete_assignment, complete_machine, complete_model
from advisor.errors import InputError
from advisor.facts.answers import as_arguments
from advisor.facts.fact_base import Known, Source
from advisor.facts.values import to_text
from advisor.facts.vocabulary import Value
from advisor.report.proposed import problem_with_facts
from advisor.wording import shell_words

_SAID = (Source.ASKED, Source.INSPECTED)
_FOUND = (Source.DETECTED, Source.PUBLISHED)
Told = TypeVar("Told", bound=NamedTuple)
"""Options of a command."""


class SchoolName(StrEnum):
    TODAY = "today"
    SURVEY = "survey"


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"


class PageFormat(StrEnum):
    """Formats of a command that has a page to show in a browser too."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"


class PlainFormat(StrEnum):
    """Formats of a command that has no report to make."""

    TEXT = "text"
    JSON = "json"


def named_path(text: str) -> Path:
    """Refuse an empty name: nothing is not the folder that one is in, as Path takes it."""
    if not text.strip():
        raise typer.BadParameter("this names nothing. Name a file or a folder; `.` is the folder that you are in.")
    return Path(text)


TOLD: Mapping[str, str] = {
    "answers": "--answers",
    "sets": "--set",
    "data": "--data",
    "target": "--target",
    "model": "--model",
    "input": "--input",
    "python": "--python",
    "machine": "--machine",
    "school": "--school",
    "packs": "--rules",
}
"""The options that tell the facts, with their flags: commands that are proposed repeat them."""


def typed_again(options: NamedTuple, flags: Mapping[str, str]) -> str:
    """The options that are not as usual, as they are typed in a shell.

    Args:
        flags: by the name of an option.
    """
    return shell_words([word for flag, value in _named(options, flags) for word in (flag, value)])


def _named(options: NamedTuple, flags: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The options of this command that are not as usual, with their flags; one that was given several times comes as often."""
    for name, flag in flags.items():
        if name not in options._fields:
            continue
        value = getattr(options, name)
        if value != options._field_defaults.get(name):
            yield from ((flag, str(one)) for one in (value if isinstance(value, list) else [value]))


def once_more(options: Told, stated: Mapping[str, Value | None]) -> Told:
    """The options for a command that repeats them: answers out of a pipe cannot be read twice, and are stated one by one."""
    answers = getattr(options, "answers", None)
    if answers is None or (answers.is_file() and not answers.is_relative_to("/dev")):
        return options
    asked = [f"{name}={'unknown' if value is None else to_text(value)}" for name, value in stated.items()]
    again: Told = options._replace(answers=None, sets=asked)
    return again


def stated_again(facts: Mapping[str, Known]) -> str:
    """The arguments of a saved plan, as they are typed in a shell: facts that were stated or found in data, and the machine."""
    asked = as_arguments({name: known.value for name, known in facts.items() if known.source in _SAID})
    found = [known for name, known in facts.items() if name.startswith("machine.") and known.source in _FOUND]
    if any(known.source is Source.DETECTED for known in found):
        return asked
    profiles = {known.note.removeprefix("profile ") for known in found if known.note.startswith("profile ")}
    return f"{asked} --machine {profiles.pop() if len(profiles) == 1 else 'none'}".strip()


@contextmanager
def facts_repeated(options: NamedTuple) -> Iterator[None]:
    """Errors within it propose commands with the facts that this one was told. Only where these facts are in order."""
    try:
        yield
    except InputError as error:
        told = typed_again(options, TOLD)
        error.problems = tuple(problem_with_facts(problem, told) for problem in error.problems)
        raise


def handed_on(options: NamedTuple, flags: Mapping[str, str]) -> tuple[str, ...]:
    """The options that are not as usual, for a process of ours: each one word, so that no value is taken for a flag.

    Args:
        flags: by the name of an option.
    """
    return tuple(f"{flag}={value}" for flag, value in _named(options, flags))


def as_packs(packs: list[Path] | None) -> tuple[Path, ...]:
    """Rule packs as typer hands them over."""
    return tuple(packs or ())


Files = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[FILE]...", parser=named_path, show_default=False,
                   help="A file of answers (.yaml), data, or one of each: as --answers and --data."),
]  # fmt: skip
Answers = Annotated[Path | None, typer.Option("--answers", "--for", help="A file of answers (YAML).", metavar="FILE")]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", help="One fact, for example data.modality=image. Repeatable.", metavar="NAME=VALUE",
                 autocompletion=complete_assignment),
]  # fmt: skip
DataPath = Annotated[
    Path | None,
    typer.Option(
        "--data", help="A file or folder of data: what it is becomes facts.", metavar="PATH", parser=named_path
    ),
]
TargetColumn = Annotated[str | None, typer.Option("--target", help="Column (or array) to predict.", metavar="COLUMN")]
ModelName = Annotated[
    str | None,
    typer.Option("--model", metavar="NAME", autocompletion=complete_model,
                 help="The network: a name of `models list`, timm:NAME, config.json, .safetensors, or FILE.py:FUNCTION (run)."),
]  # fmt: skip
InputShape = Annotated[
    str | None, typer.Option("--input", metavar="SHAPE", help="What the model takes, for one example: 3x224x224.")
]
PythonPath = Annotated[
    Path | None,
    typer.Option("--python", metavar="PATH", parser=named_path, help="The Python in which the model's file works."),
]
MachineName = Annotated[
    str,
    typer.Option("--machine", help="auto: this one; none; a device; a measured machine; or a file of facts or of a profile.",
                 metavar="NAME", autocompletion=complete_machine),
]  # fmt: skip
SchoolOption = Annotated[
    SchoolName, typer.Option("--school", help="today's practice, or the survey of 2018 as written.")
]
Packs = Annotated[
    list[Path] | None, typer.Option("--rules", help="A folder of rules put on top. Repeatable.", metavar="DIR")
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Begin anew instead of going on where a stopped run ended.")]
FormatOption = Annotated[Format, typer.Option("--format", help="How to print it.")]
PageFormatOption = Annotated[PageFormat, typer.Option("--format", help="How to print it.")]
PlainFormatOption = Annotated[PlainFormat, typer.Option("--format", help="How to print it.")]
Output = Annotated[
    Path | None,
    typer.Option("--output", help="Write to this file; its ending (.json, .md, ...) is the format.", metavar="FILE"),
]
Whole = Annotated[bool, typer.Option("--all", "--details", help="Everything, with reasons, intervals and conditions.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the output file.")]
