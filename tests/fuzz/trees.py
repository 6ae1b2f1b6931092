"""Documents of JSON with values changed, and the JSON that no library writes: repeated keys, NaN, huge numbers."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from .values import numbers, str_of, texts

_OTHER_KINDS = (None, True, False, 0, -1, 1.5, "", "x", "7", [], {}, [None], [[]], {"": None}, [1, "a"], {"value": 1},
                float("nan"), float("inf"), 10**400, [[[[[[[[[[0]]]]]]]]]])  # fmt: skip


@dataclass
class Twice:
    """A mapping that repeats its first key with another value."""

    mapping: dict[str, Any]
    value: Any


def places(tree: Any, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Paths of everything in a document, its root left out."""
    found = [at] if at else []
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, child in items:
        found += places(child, (*at, key))
    return found


@st.composite
def mutated(draw: DrawFn, tree: Any, most: int = 3) -> Any:
    """The document with one to `most` of its values changed; leaves four times as often as branches."""
    changed = copy.deepcopy(tree)
    for _ in range(draw(st.integers(1, most))):
        everywhere = places(changed)
        leaves = [at for at in everywhere if not isinstance(_at(changed, at), dict | list | Twice)]
        if not everywhere:
            break
        pool = leaves if leaves and draw(st.integers(0, 4)) else everywhere
        _change(draw, changed, draw(st.sampled_from(pool)), everywhere)
    return changed


def _at(tree: Any, path: tuple[str | int, ...]) -> Any:
    for key in path:
        tree = tree[key]
    return tree


def _change(draw: DrawFn, tree: Any, at: tuple[str | int, ...], everywhere: list[tuple[str | int, ...]]) -> None:
    holder, key = _at(tree, at[:-1]), at[-1]
    old = holder[key]
    kind = draw(st.integers(0, 19))
    if kind < 12:
        holder[key] = draw(_same_kind(old, [_at(tree, other) for other in everywhere]))
    elif kind < 15:
        holder[key] = copy.deepcopy(draw(st.sampled_from(_OTHER_KINDS)))
    elif kind < 16:
        del holder[key]
    elif kind < 17:
        holder[key] = copy.deepcopy(_at(tree, draw(st.sampled_from(everywhere))))
    elif isinstance(holder, list):
        holder.insert(int(key), copy.deepcopy(old))
    elif kind < 18:
        holder[draw(texts(str(key)))] = holder.pop(key)
    elif len(at) > 1:
        above, name = _at(tree, at[:-2]), at[-2]
        above[name] = Twice(dict(holder), draw(st.sampled_from(_OTHER_KINDS)))


def _same_kind(value: Any, others: list[Any]) -> st.SearchStrategy[Any]:
    if isinstance(value, bool) or value is None:
        return st.sampled_from([True, False, None])
    if isinstance(value, int | float):
        return numbers(value)
    if isinstance(value, str):
        known = [other for other in others if isinstance(other, str)]
        return st.sampled_from(known) | texts(value)
    if isinstance(value, list):
        return st.sampled_from([value[::-1], value * 2, value[:1], value[1:], [], value * 50])
    if isinstance(value, dict):
        half = dict(list(value.items())[::2])
        return st.sampled_from([dict(reversed(value.items())), half, {}, {**value, "unheard of": 1}])
    return st.just(value)


def text(tree: Any) -> str:
    """The document as JSON in ASCII, strange values included."""
    if isinstance(tree, Twice):
        pairs = [*tree.mapping.items(), (next(iter(tree.mapping), "x"), tree.value)]
        return "{" + ", ".join(f"{json.dumps(key)}: {text(child)}" for key, child in pairs) + "}"
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {text(child)}" for key, child in tree.items()) + "}"
    if isinstance(tree, list):
        return "[" + ", ".join(text(child) for child in tree) + "]"
    if isinstance(tree, int) and not isinstance(tree, bool):
        return str_of(tree)
    return json.dumps(tree)


def written(tree: Any) -> bytes:
    """The document as the bytes of a file."""
    return f"{text(tree)}\n".encode("ascii")
