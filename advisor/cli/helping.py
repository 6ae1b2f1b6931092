"""Help: commands in groups, each on one line, and examples that run as they are printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from typer.core import TyperCommand, TyperGroup

from advisor.cli.topics import TOPICS

GROUPS = {
    "Plan": ("wizard", "serve", "recommend", "explain", "compare", "report"),
    "Your data": ("inspect",),
    "Measure": ("probe", "try", "apply", "bench", "doctor"),
    "Several workers": ("sync", "simulate"),
    "Build": ("starter",),
    "Look up": ("glossary", "models", "profiles", "rules", "help"),
}
REST = "More"
"""The heading of commands that are in no group."""

_PICTURES = "--set task.kind=classify --set data.modality=image"
_TOY = """seq 300 | awk 'BEGIN {print "x,y"} {print $1 % 17 "," ($1 % 17 > 8)}' > toy.csv"""
EXAMPLES: Mapping[str, Sequence[str]] = {
    "": ("advisor", f"advisor recommend {_PICTURES}", "advisor help answers"),
    "wizard": ("advisor wizard --plain", "advisor wizard --plain --set data.modality=image"),
    "serve": ("advisor serve", "advisor serve --no-open --port 8080"),
    "recommend": (
        f"advisor recommend {_PICTURES}",
        "advisor recommend --set data.modality=text --machine l4 --output plan.html",
    ),
    "explain": ("advisor explain network.type --set data.modality=image --why-not ffn",),
    "compare": (
        "echo 'data.modality: image' > my.yaml",
        "advisor compare my.yaml --what-if data.modality=text",
    ),
    "report": (f"advisor recommend {_PICTURES} --output plan.json", "advisor report plan.json --output plan.html"),
    "inspect": (_TOY, "advisor inspect toy.csv --target y"),
    "probe": (
        "advisor probe --set data.modality=tabular --only threads --budget 30s",
        "advisor probe list",
    ),
    "probe list": ("advisor probe list",),
    "try": (_TOY, "advisor try toy.csv --target y --budget 30s"),
    "apply": (
        _TOY,
        "advisor try toy.csv --target y --budget 30s --save model",
        "advisor apply model --data toy.csv --output predictions.csv",
    ),
    "bench": (
        "advisor bench fcn5 --threads 1,2 --budget 2min",
        "advisor bench lstm32 --budget 2min --output bench.json",
    ),
    "sync": (
        "advisor sync --strategies synchronous,local_sgd --budget 40s",
        "advisor sync --strategies synchronous,downpour --link 100Mbit/s --budget 40s",
    ),
    "simulate": (
        "advisor simulate --strategy synchronous --workers 64 --step-time exponential:1s --link 10Gbit/s",
        "advisor simulate --strategy local_sgd:every=16 --workers 8 --step-time constant:20ms --link 100Mbit/s",
    ),
    "doctor": ("advisor doctor",),
    "starter": (f"advisor starter {_PICTURES} --set data.inputs=3072 --set task.outputs=10 --output project",),
    "glossary": ('advisor glossary "batch size"', "advisor glossary --all"),
    "models": ("advisor models list",),
    "models list": ("advisor models list",),
    "models show": ("advisor models show resnet50",),
    "profiles": ("advisor profiles list",),
    "profiles list": ("advisor profiles list",),
    "profiles show": ("advisor profiles show rtx-4090",),
    "profiles path": ("advisor profiles path",),
    "profiles compare": (
        "advisor probe --only matmul --budget 30s --save morning",
        "advisor probe --only matmul --budget 30s --save evening",
        "advisor profiles compare morning evening",
    ),
    "profiles export": ("advisor probe --only threads --budget 30s", "advisor profiles export --output machine.json"),
    "rules": ("advisor rules list --topic network.type",),
    "rules list": ("advisor rules list --topic network.type",),
    "rules show": ("advisor rules show network.type.visual-cnn",),
    "rules check": ("advisor rules check",),
    "rules test": ("advisor rules test",),
    "rules coverage": ("advisor rules coverage",),
    "rules docs": ("advisor rules docs --output rules.md",),
    "rules trial": ("advisor rules trial",),
    "help": ("advisor help answers", "advisor help recommend"),
}
"""By the name of a command: what can be typed, in this order, in an empty folder."""


class ExampledCommand(TyperCommand):
    """A command whose help ends with examples."""

    whole_name = ""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        write_examples(self.whole_name, formatter)


class GroupedCommands(TyperGroup):
    """A group of commands whose help gives each a line of its own, under headings where it is the whole program."""

    whole_name = ""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        shown = {name: _first_line(below.help) for name, below in self.commands.items() if not below.hidden}
        headings = GROUPS if not self.whole_name else {"Commands": tuple(shown)}
        grouped = {name for names in headings.values() for name in names}
        rest = tuple(name for name in shown if name not in grouped)
        width = max(map(len, shown))
        for heading, names in [*headings.items(), (REST, rest)]:
            rows = [(name.ljust(width), shown[name]) for name in names if name in shown]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        if not self.whole_name:
            with formatter.section("Topics (advisor help TOPIC)"):
                formatter.write_text(", ".join(TOPICS))
        write_examples(self.whole_name, formatter)


def _first_line(help_: str | None) -> str:
    return (help_ or "").partition("\n")[0]


def write_examples(name: str, formatter: Any) -> None:
    """Examples of a command, unbroken, so that they can be copied."""
    examples = EXAMPLES.get(name, ())
    if examples:
        with formatter.section("Examples" if len(examples) > 1 else "Example"):
            for line in examples:
                formatter.write(f"{'':>{formatter.current_indent}}{line}\n")
