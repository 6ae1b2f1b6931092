"""Files of answers, read by the commands that plan."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from ..case import Case, Format
from ..yaml_values import mutated_values, quoted
from .stated import assignments

_FILE = "answers.yaml"
_OF_FACTS = ("These answers exclude each other",)
"""Is said of facts, which a file and `--set` may have stated together."""
_COMMANDS = (
    ("recommend", "--machine", "none", "--answers", _FILE),
    ("recommend", "--machine", "none", "--answers", _FILE, "--format", "json"),
    ("recommend", "--machine", "none", "--answers", _FILE, "--format", "markdown"),
    ("recommend", "--machine", "none", "--answers", _FILE, "--school", "survey"),
    ("recommend", "--machine", _FILE),
    ("explain", "network.type", "--machine", "none", "--answers", _FILE),
)


def _texts() -> list[str]:
    examples = Path(__file__).resolve().parents[3] / "examples"
    return [(examples / "digits.yaml").read_text("utf-8")]


def valid() -> Sequence[Case]:
    return [Case(command, {_FILE: text.encode()}) for text in _texts() for command in _COMMANDS]


@st.composite
def _written(draw: DrawFn) -> str:
    """Facts as a file states them: flat or nested by group, quoted or not."""
    lines: dict[str, list[str]] = {}
    for name, value in draw(assignments()):
        group, _, rest = name.partition(".")
        text = value if value.isalnum() or draw(st.integers(0, 7)) == 0 else quoted(value)
        nested = draw(st.integers(0, 3)) == 0
        lines.setdefault(f"{group}:" if nested else "", []).append(f"  {rest}: {text}" if nested else f"{name}: {text}")
    return "\n".join(line for group, held in lines.items() for line in ([group] if group else []) + held) + "\n"


@st.composite
def mutated(draw: DrawFn) -> Case:
    text = draw(_written() if draw(st.integers(0, 3)) else mutated_values(draw(st.sampled_from(_texts()))))
    content = text.encode("utf-8", "surrogatepass")
    return Case(draw(st.sampled_from(_COMMANDS)), {_FILE: content}, names=(_FILE, *_OF_FACTS))


FORMATS = [Format("answers", valid, mutated, accepted_share=0.45)]
