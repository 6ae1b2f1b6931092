"""The commands of `advisor`, of which only the one that is called is imported."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from advisor.cli.console import BAD_INPUT, interactive, panel
from advisor.version import __version__

COMMANDS = {
    "wizard": ("wizard.wizard", "Ask one question at a time and end with a plan."),
    "recommend": ("commands.planning.recommend", "Recommend from answers, flags and this machine."),
    "explain": ("commands.planning.explain", "Why one topic is advised as it is, and what would flip it."),
    "compare": ("commands.planning.compare", "Two sets of answers, and where their plans differ."),
    "inspect": ("commands.looking.inspect", "Facts about your data, and what is odd about them."),
    "try": ("commands.experiments.try_", "Try the plan on your data, the simplest models first."),
    "bench": ("commands.experiments.bench", "Time six networks of the 2016 benchmark on this machine."),
    "glossary": ("commands.planning.glossary", "Technical terms, facts and recommendations in plain words."),
    "report": ("commands.planning.report", "A report from a plan that was saved as JSON."),
    "starter": ("commands.planning.starter", "A small training project for the plan, which needs the advisor no more."),
    "doctor": ("commands.looking.doctor", "What this machine, its driver and its torch disagree on."),
    "probe": (
        "commands.experiments.probe",
        "Measure this machine for a plan, within a time budget, and advise again.",
    ),
    "probe list": ("commands.experiments.probe_list", "The probes: what each answers, and what it costs."),
    "rules": ("", "The rule base: list, show, check, test, coverage, docs; and the survey on trial."),
    "rules list": ("commands.rules.list_", "Every rule, or those of one topic or school."),
    "rules show": ("commands.rules.show", "One rule with its sources, errata and what overrules it."),
    "rules check": ("commands.rules.check", "Every problem and every oddity of the rule base."),
    "rules test": ("commands.rules.run_tests", "Run the tests that stand beside the rules."),
    "rules coverage": ("commands.rules.coverage", "Which rules the tests show firing, silent and unknown."),
    "rules docs": ("commands.rules.docs", "The whole rule base as a book in Markdown."),
    "rules trial": ("commands.rules.trial", "What became of the claims of the documents from which this grew."),
    "profiles": ("", "Known devices and measured machines."),
    "profiles list": ("commands.profiles.list_", "Every known device, and the machines measured on this host."),
    "profiles show": (
        "commands.profiles.show",
        "A device, or a machine that was measured (this: the last one here): figures and sources.",
    ),
    "profiles path": (
        "commands.profiles.path",
        "Where a device or a measured machine is kept; without a name, the folder of this host.",
    ),
    "profiles compare": ("commands.profiles.compare", "Is this machine slower than it was, or than another?"),
    "profiles export": (
        "commands.profiles.export",
        "A measured machine as JSON, for another computer or for others (--anonymous).",
    ),
}
"""By name: the module in advisor.cli, whose function of the same name is the command, and one line of help. Commands named
`NAME ...` belong to the group NAME; a group without a module only holds them."""


class Deferred(TyperCommand):
    """A command before it is called: a name and a line of help, without its module and its options."""

    def __init__(self, name: str) -> None:
        super().__init__(name.rpartition(" ")[2], help=COMMANDS[name][1], rich_markup_mode=None)
        self.whole_name = name

    def loaded(self) -> TyperCommand | TyperGroup:
        return command(self.whole_name)

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        return self.loaded().make_context(info_name, args, parent, **extra)


def program() -> TyperGroup:
    """The program with all its commands, none of which is imported yet."""
    app = typer.Typer(
        name="advisor",
        help="Recommends how to build and train a neural network, cites why, and settles its bets on your machine.",
        rich_markup_mode=None,  # plain help: 60 ms sooner, and brackets stay what they are
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(start)
    return _with_parts(app, "")


def command(name: str) -> TyperCommand | TyperGroup:
    """The command of this name with its options: imports its module."""
    module, help_ = COMMANDS[name]
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    if not any(other.startswith(f"{name} ") for other in COMMANDS):
        function = function_of(name)
        app.command(name.rpartition(" ")[2], help=inspect.getdoc(function) or help_)(function)
        built = typer.main.get_command(app)
        assert isinstance(built, TyperCommand)  # noqa: S101 - that is what one function gives
        return built
    function = function_of(name) if module else _nothing
    app.callback(help=help_, invoke_without_command=bool(module), no_args_is_help=not module)(function)
    return _with_parts(app, name)


def _with_parts(app: typer.Typer, name: str) -> TyperGroup:
    built = typer.main.get_command(app)
    assert isinstance(built, TyperGroup)  # noqa: S101 - that is what a callback gives
    for other in COMMANDS:
        if other.rpartition(" ")[0] == name:
            built.add_command(Deferred(other))
    return built


def function_of(name: str) -> Callable[..., Any]:
    """The function that does what a command says: imports its module."""
    module = importlib.import_module(f"advisor.cli.{COMMANDS[name][0]}")
    function: Callable[..., Any] = getattr(module, module.__name__.rpartition(".")[2])
    return function


def named(words: list[str]) -> str:
    """`advisor rules show`, of what was typed."""
    name = ""
    for word in words:
        longer = f"{name} {word}".strip()
        if longer not in COMMANDS:
            break
        name = longer
    return f"advisor {name}".strip()


def _nothing() -> None:
    """A group that only holds commands does nothing by itself."""


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"advisor {__version__}")
        raise typer.Exit


def start(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    if context.invoked_subcommand is not None:
        return
    if interactive():
        function_of("wizard")()
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
