"""YAML texts with values changed where they stand, so that all around them stays as somebody wrote it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import yaml
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from .values import texts


@dataclass(frozen=True)
class Span:
    """A scalar's place in a text, and the nearest key above it."""

    start: int
    end: int
    text: str
    key: str = ""


def spans(text: str) -> list[Span]:
    """The values of a document: scalars of mappings and lists, without keys."""
    found: list[Span] = []

    def walk(node: yaml.Node, key: str) -> None:
        if isinstance(node, yaml.MappingNode):
            for name, child in node.value:
                walk(child, str(name.value))
        elif isinstance(node, yaml.SequenceNode):
            for child in node.value:
                walk(child, key)
        elif isinstance(node, yaml.ScalarNode):
            found.append(Span(node.start_mark.index, node.end_mark.index, node.value, key))

    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if root is not None:
        walk(root, "")
    return found


def quoted(text: str) -> str:
    """A text as a scalar in double quotes, every character of it escaped that YAML does not take as it is."""
    plain = "".join(c if c.isprintable() and c not in '"\\' and ord(c) < 0xD800 else f"\\U{ord(c):08x}" for c in text)
    return f'"{plain}"'


def any_text(span: Span) -> SearchStrategy[str]:
    return texts(span.text)


@st.composite
def mutated_values(
    draw: DrawFn, text: str, most: int = 3, instead: Callable[[Span], SearchStrategy[str]] = any_text
) -> str:
    """The text with one to `most` of its values changed.

    Args:
        instead: draws what may stand in place of a value.
    """
    chosen = draw(st.lists(st.sampled_from(spans(text)), min_size=1, max_size=most, unique=True))
    for span in sorted(chosen, key=lambda span: -span.start):
        value = draw(instead(span))
        plain = value.replace("_", "").isalnum() or draw(st.integers(0, 7)) == 0
        text = text[: span.start] + (value if plain else quoted(value)) + text[span.end :]
    return text
