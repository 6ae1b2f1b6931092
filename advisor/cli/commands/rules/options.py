"""The options of commands of the rule base; see `advisor.cli.commands.options`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from advisor.cli import options as shared
from advisor.cli.completing import complete_rule, complete_topic
from advisor.cli.options import PlainFormat, SchoolName


class RulesList(NamedTuple):
    topic: Annotated[str | None, typer.Option("--topic", autocompletion=complete_topic, help="Only this topic.")] = None
    school: Annotated[SchoolName | None, typer.Option("--school", help="Only this school.")] = None
    packs: shared.Packs = None
    format_: shared.PlainFormatOption = PlainFormat.TEXT


class RulesShow(NamedTuple):
    rule_id: Annotated[str, typer.Argument(metavar="RULE-ID", autocompletion=complete_rule)]
    packs: shared.Packs = None
    format_: shared.PlainFormatOption = PlainFormat.TEXT


class RulesCheck(NamedTuple):
    packs: shared.Packs = None
    format_: shared.PlainFormatOption = PlainFormat.TEXT
    today: Annotated[str | None, typer.Option("--today", metavar="YYYY-MM-DD", help="Judge dates as of this day.")] = (
        None
    )


class RulesTest(NamedTuple):
    packs: shared.Packs = None


class RulesCoverage(NamedTuple):
    packs: shared.Packs = None
    format_: shared.PlainFormatOption = PlainFormat.TEXT


class RulesDocs(NamedTuple):
    packs: shared.Packs = None
    output: shared.Output = None
    force: shared.Force = False
    compare: Annotated[
        Path | None, typer.Option("--check", metavar="FILE", help="Only say whether this file is up to date.")
    ] = None


class RulesTrial(NamedTuple):
    files: shared.Files = None
    answers: shared.Answers = None
    sets: shared.Sets = None
    data: shared.DataPath = None
    target: shared.TargetColumn = None
    model: shared.ModelName = None
    input: shared.InputShape = None
    python: shared.PythonPath = None
    machine: shared.MachineName = "auto"
    packs: shared.Packs = None
    format_: shared.PlainFormatOption = PlainFormat.TEXT
