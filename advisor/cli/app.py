"""The commands of `advisor`: options are imported for the help of a command, and its work when it is called."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Sequence
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from advisor.cli.console import BAD_INPUT, interactive, panel
from advisor.cli.helping import ExampledCommand, GroupedCommands
from advisor.version import __version__

COMMANDS = {
    "wizard": ("wizard.wizard:wizard", "Ask one question at a time and end with a plan."),
    "serve": ("wizard.serve:serve", "The wizard in a browser, for this computer only, until Ctrl-C."),
    "recommend": ("commands.planning.report:recommend", "Recommend from answers, flags and this machine."),
    "explain": ("commands.planning.explain:explain", "Explain one recommendation and what would change it."),
    "compare": ("commands.planning.compare:compare", "Compare the plans for two sets of answers."),
    "inspect": ("commands.looking.inspect:inspect", "Inspect your data: facts about it, and what is odd."),
    "try": ("commands.experiments.try_:try_", "Try the plan on your data, the simplest models first."),
    "apply": ("commands.experiments.apply:apply", "Predict for new data with a model that try has saved."),
    "bench": ("commands.experiments.bench:bench", "Time six networks of the 2016 benchmark on this machine."),
    "sync": ("commands.experiments.sync:sync", "Train under several strategies with workers of this machine."),
    "simulate": (
        "commands.experiments.simulate:simulate",
        "Simulate training on more machines than you have.",
    ),
    "glossary": ("commands.planning.glossary:glossary", "Technical terms, facts and recommendations in plain words."),
    "report": ("commands.planning.report:report", "A report from a plan that was saved as JSON."),
    "starter": (
        "commands.planning.starter:starter",
        "Generate a standalone training project for the plan.",
    ),
    "doctor": ("commands.looking.doctor:doctor", "Check that your GPU, driver and PyTorch work together."),
    "probe": (
        "commands.experiments.probe:probe",
        "Measure this machine for the plan, and advise again.",
    ),
    "probe list": ("commands.experiments.probe_list:probe_list", "The probes: what each answers, and what it costs."),
    "help": ("commands.looking.help_:help_", "A command, or a topic such as answers, data, models, output."),
    "rules": ("", "The rule base: list, show, check, test; the survey on trial."),
    "rules list": ("commands.rules.showing:list_", "Every rule, or those of one topic or school."),
    "rules show": ("commands.rules.showing:show", "One rule with its sources, errata and what overrules it."),
    "rules check": ("commands.rules.checking:check", "Every problem and every oddity of the rule base."),
    "rules test": ("commands.rules.checking:run_tests", "Run the tests that stand beside the rules."),
    "rules coverage": ("commands.rules.checking:coverage", "Which rules the tests show firing, silent and unknown."),
    "rules docs": ("commands.rules.docs:docs", "The whole rule base as a book in Markdown."),
    "rules trial": ("commands.rules.trial:trial", "What became of the claims of the documents from which this grew."),
    "models": ("", "Published networks: their weights, operations and layers."),
    "models list": ("commands.models.showing:list_", "Every published network that is known by name."),
    "models show": ("commands.models.showing:show", "One network, by name, file or function: size and parts."),
    "profiles": ("", "Known devices and measured machines."),
    "profiles list": ("commands.profiles.showing:list_", "Every known device, and the machines measured here."),
    "profiles show": (
        "commands.profiles.showing:show",
        "A device, or a measured machine (this: the last one here).",
    ),
    "profiles path": (
        "commands.profiles.kept:path",
        "The file of a device or a measured machine, or their folder.",
    ),
    "profiles compare": (
        "commands.profiles.compare:compare",
        "Is this machine slower than it was, or than another?\n\n"
        "With two names or files: two machines. With one and --since DATE: before that day against since then. With one\n"
        "alone: the last day that was measured against the days before.",
    ),
    "profiles export": (
        "commands.profiles.showing:export",
        "A measured machine as JSON, for others (--anonymous).",
    ),
}
"""By name: the function in advisor.cli that does the work, and the help. Its options are the class named like it in
`commands/options.py`, or in that of the folder of its group. Commands named `NAME ...` belong to the group NAME; a group
without work only holds them."""


class Deferred(TyperCommand):
    """A command before it is called: a name and a line of help, without its module and its options."""

    def __init__(self, name: str) -> None:
        super().__init__(name.rpartition(" ")[2], help=COMMANDS[name][1], rich_markup_mode=None)
        self.whole_name = name

    def loaded(self, args: Sequence[str] = ()) -> TyperCommand | TyperGroup:
        return command(self.whole_name, args)

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        return self.loaded(args).make_context(info_name, args, parent, **extra)


def program() -> TyperGroup:
    """The program with all its commands, none of which is imported yet."""
    app = typer.Typer(
        name="advisor",
        cls=GroupedCommands,
        help="Recommends how to build and train a neural network, cites why, and settles its bets on your machine.",
        rich_markup_mode=None,  # plain help: 60 ms sooner, and brackets stay what they are
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(start)
    return _with_parts(app, "")


def command(name: str, args: Sequence[str] = ()) -> TyperCommand | TyperGroup:
    """The command of this name with its options, which are imported; what follows it (`args`) may name one below it."""
    work, help_ = COMMANDS[name]
    app = typer.Typer(add_completion=False, cls=GroupedCommands, rich_markup_mode=None)
    if work and not (args and f"{name} {args[0]}" in COMMANDS):
        app.command(name.rpartition(" ")[2], cls=ExampledCommand, help=help_)(_callback(name))
        built = typer.main.get_command(app)
        assert isinstance(built, ExampledCommand)  # noqa: S101 - that is what one function gives
        built.whole_name = name
        return built
    app.callback(help=help_, no_args_is_help=True)(lambda: None)
    return _with_parts(app, name)


def _callback(name: str) -> Callable[..., None]:
    """A function that takes the options of a command, as typer reads them, and runs it."""

    def call(context: typer.Context, **typed: object) -> None:
        sources = {option: context.get_parameter_source(option) for option in typed}
        named = frozenset(option for option, how in sources.items() if how and how.name != "DEFAULT")
        run(name, named=named, **typed)

    options, kind = options_of(name), inspect.Parameter.KEYWORD_ONLY
    hints = get_type_hints(options, include_extras=True)
    taken = [inspect.Parameter("context", kind, annotation=typer.Context)]
    for option in options._fields:
        default = options._field_defaults.get(option, inspect.Parameter.empty)
        taken.append(inspect.Parameter(option, kind, default=default, annotation=hints[option]))
    call.__signature__ = inspect.Signature(taken)  # type: ignore[attr-defined]
    return call


def _with_parts(app: typer.Typer, name: str) -> TyperGroup:
    built = typer.main.get_command(app)
    assert isinstance(built, GroupedCommands)  # noqa: S101 - that is what a callback gives
    built.whole_name = name
    for other in COMMANDS:
        if other.rpartition(" ")[0] == name:
            built.add_command(Deferred(other))
    return built


def options_of(name: str) -> Any:
    """The class of a command's options."""
    folder = COMMANDS[name][0].rpartition(":")[0].rpartition(".")[0]
    place = folder if folder == f"commands.{name.partition(' ')[0]}" else "commands"
    return pkgutil.resolve_name(f"advisor.cli.{place}.options:{name.title().replace(' ', '')}")


def run(name: str, /, *, named: frozenset[str] = frozenset(), **typed: object) -> None:
    """Do what a command says: imports the module of its work. `named` are the options that somebody typed."""
    from advisor.cli.typed import made_plain  # 10 ms, which no help needs

    options = made_plain(options_of(name)(**typed), named)
    pkgutil.resolve_name(f"advisor.cli.{COMMANDS[name][0]}")(options)


def named(words: list[str]) -> str:
    """`advisor rules show`, of what was typed."""
    names = [name for most in range(1, len(words) + 1) if (name := " ".join(words[:most])) in COMMANDS]
    return " ".join(["advisor", *names[-1:]])


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
        run("wizard")
        return
    panel(
        "There is no terminal for the wizard",
        [
            "Without one, use a command that needs none:",
            "  advisor recommend --answers FILE      a plan from answers",
            "  advisor recommend --set NAME=VALUE    a plan from single facts",
            "  advisor probe FILE                    measure this machine for that plan",
            "  advisor wizard --plain                the wizard line by line, also through a pipe",
        ],
    )
    raise typer.Exit(BAD_INPUT)
