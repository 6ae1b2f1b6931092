"""The command `advisor`: finds the command, turns every failure into a message and an exit code."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from advisor import __version__
from advisor.cli import compare, explain, glossary, probe, profiles, recommend, report, rules, wizard
from advisor.cli.console import BAD_INPUT, DONE, FAILED, INTERRUPTED, error_panel, interactive, panel
from advisor.errors import InputError

app = typer.Typer(
    name="advisor",
    help="Recommends how to build and train a neural network, cites why, and settles its bets by measuring your machine.",
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("wizard", help="Asks what it needs to know, one question at a time, and ends with a plan.")(wizard.wizard)
app.command("recommend", help="Recommends from answers, flags and this machine.")(recommend.recommend)
app.command("explain", help="Why one topic is recommended as it is, why not otherwise, what would flip it.")(explain.explain)
app.command("compare", help="Two sets of answers, and where their plans differ.")(compare.compare)
app.command("glossary", help="The facts that can be stated and the values that they take.")(glossary.glossary)
app.command("report", help="A report from a plan that was saved as JSON.")(report.report)
app.add_typer(probe.app, name="probe")
app.add_typer(rules.app, name="rules", help="The rule base: list, show, check, test, coverage.")
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


def main() -> None:
    """Runs the command line. Exit codes: 0 done, 1 the work failed, 2 wrong usage or input, 130 interrupted."""
    sys.exit(_run())


def _run() -> int:
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except InputError as error:
        error_panel(error)
        return BAD_INPUT
    except (KeyboardInterrupt, typer.Abort):
        panel("Interrupted", ["What was saved before is kept."], style="yellow")
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nobody reads any more: no second complaint at exit
        return DONE
    except OSError as error:
        panel("The work failed", [f"{error.filename or 'output'}: {error.strerror or error}"])
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return FAILED
    except typer.Exit as exit_:
        return exit_.exit_code
    except Exception as error:
        return _usage_error(error)
    return code if isinstance(code, int) else DONE


def _usage_error(error: Exception) -> int:
    """Wrong usage as one panel; anything else is a fault of the program and keeps its traceback."""
    message = getattr(error, "format_message", None)
    if message is None:
        raise error
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "advisor"
    panel("This command cannot be understood", [str(message()), f"`{command} --help` shows what it takes."])
    return BAD_INPUT
