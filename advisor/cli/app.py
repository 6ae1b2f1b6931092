"""The commands of `advisor`, and what it does without one."""

from __future__ import annotations

from typing import Annotated

import typer

from advisor import __version__
from advisor.cli.console import BAD_INPUT, interactive, panel
from advisor.cli.experiments import bench, probe, try_
from advisor.cli.looking import doctor, inspect, profiles
from advisor.cli.planning import compare, explain, glossary, recommend, report, starter
from advisor.cli.rules import rules
from advisor.cli.rules import trial as rules_trial
from advisor.cli.wizard import wizard

app = typer.Typer(
    name="advisor",
    help="Recommends how to build and train a neural network, cites why, and settles its bets on your machine.",
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: 60 ms sooner, and brackets stay what they are
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("wizard", help="Asks one question at a time and ends with a plan.")(wizard.wizard)
app.command("recommend", help="Recommends from answers, flags and this machine.")(recommend.recommend)
app.command("explain", help="Why one topic is advised as it is, and what would flip it.")(explain.explain)
app.command("compare", help="Two sets of answers, and where their plans differ.")(compare.compare)
app.command("inspect", help="What your data hold: facts, and what is odd about them.")(inspect.inspect)
app.command("try", help="Tries the plan on your data, the simplest models first.")(try_.try_)
app.command("bench", help="Times six networks of the 2016 benchmark on this machine.")(bench.bench)
app.command("glossary", help="Technical terms, facts and recommendations in plain words.")(glossary.glossary)
app.command("report", help="A report from a plan that was saved as JSON.")(report.report)
app.command("starter", help="A small training project for the plan, which needs the advisor no more.")(starter.starter)
app.command("doctor", help="What this machine, its driver and its torch disagree on.")(doctor.doctor)
app.add_typer(probe.app, name="probe")
rules.app.command("trial", help="What became of the claims of the documents from which this grew.")(rules_trial.trial)
app.add_typer(
    rules.app, name="rules", help="The rule base: list, show, check, test, coverage, docs; and the survey on trial."
)
app.add_typer(profiles.app, name="profiles", help="Known devices and measured machines.")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"advisor {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    if context.invoked_subcommand is not None:
        return
    if interactive():
        wizard.wizard()
        return
    panel(
        "There is no terminal for the wizard",
        [
            "Without one, use a command that needs none:",
            "  advisor recommend --answers FILE      a plan from answers",
            "  advisor recommend --set NAME=VALUE    a plan from single facts",
            "  advisor probe --for FILE              measure this machine for that plan",
            "  advisor wizard --plain                the wizard line by line, also through a pipe",
        ],
    )
    raise typer.Exit(BAD_INPUT)
