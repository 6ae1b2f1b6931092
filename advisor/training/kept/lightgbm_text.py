"""A check of LightGBM's models, which are text: its own reader believes the numbers of nodes, inputs and categories."""

from __future__ import annotations

import re
from typing import Any

import numpy

_TREE = "Tree="
_CLASSES = re.compile(r"num_class:(\d{1,6})")


def check_lightgbm(text: Any) -> None:
    """Raises ValueError where a number leads out of its tree, or one tree is not where the sizes say."""
    if not isinstance(text, str):
        raise ValueError("a model of LightGBM is no text")
    start = text.find(f"\n{_TREE}") + 1
    header = _fields(text[:start] if start else text.partition("\nend of trees")[0])
    classes, each = _count(header, "num_class", 100_000), _count(header, "num_tree_per_iteration", 100_000)
    objective = header.get("objective", "")
    told = _CLASSES.search(objective)
    expected = int(told[1]) if told and objective.startswith("multiclass") else 1
    if not 1 <= classes == each == expected:
        raise ValueError("a model of LightGBM contradicts itself about its classes")
    inputs = _count(header, "max_feature_idx", 10_000_000) + 1
    raw, place = text[start:].encode() if start else b"", 0
    for size in header.get("tree_sizes", "").split():
        block = raw[place : place + int(size)].decode()
        place += int(size)
        if not block.startswith(_TREE) or block.count(_TREE) != 1 or int(size) <= 0:
            raise ValueError("a tree of LightGBM is not where it should be")
        _check_tree(_fields(block), inputs)
    if raw and not raw[place:].lstrip().startswith(b"end of trees"):
        raise ValueError("LightGBM has more trees than it says")


def _fields(lines: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in lines.splitlines():
        name, equals, value = line.partition("=")
        if equals and name in found:
            raise ValueError(f"a model of LightGBM says {name[:30]} twice")
        found[name] = value
    return found


def _count(fields: dict[str, str], name: str, most: int) -> int:
    value = int(fields.get(name, "0"))
    if not 0 <= value <= most:
        raise ValueError(f"a model of LightGBM has {name}={value}")
    return value


def _whole(fields: dict[str, str], name: str, count: int) -> Any:
    found = numpy.array(fields.get(name, "").split(), numpy.int64)
    if len(found) != count:
        raise ValueError(f"a tree of LightGBM has {len(found)} numbers in {name} for {count}")
    return found


def _check_tree(fields: dict[str, str], inputs: int) -> None:
    leaves, sets = _count(fields, "num_leaves", 2**31 - 1), _count(fields, "num_cat", 2**31 - 1)
    if leaves < 1 or fields.get("is_linear", "0") != "0" or len(fields.get("leaf_value", "").split()) != leaves:
        raise ValueError("a tree of LightGBM is none of ours")
    if leaves == 1:
        return
    places = numpy.arange(leaves - 1)
    for side in ("left_child", "right_child"):
        child = _whole(fields, side, len(places))
        if not numpy.where(child >= 0, (child > places) & (child < len(places)), ~child < leaves).all():
            raise ValueError("a tree of LightGBM has a node whose child is not behind it")
    features, kinds = _whole(fields, "split_feature", len(places)), _whole(fields, "decision_type", len(places))
    if features.min() < 0 or features.max() >= inputs:
        raise ValueError("a tree of LightGBM looks at an input that is not there")
    thresholds = numpy.array(fields.get("threshold", "").split(), numpy.float64)
    if len(thresholds) != len(places):
        raise ValueError("a tree of LightGBM has not one threshold for each node")
    named = thresholds[(kinds & 1) != 0]
    if len(named) and not ((named >= 0) & (named < sets)).all():
        raise ValueError("a tree of LightGBM looks for categories that are not there")
    if sets:
        ends = _whole(fields, "cat_boundaries", sets + 1)
        if ends[0] != 0 or (numpy.diff(ends) < 0).any():
            raise ValueError("a tree of LightGBM has categories in no order")
        _whole(fields, "cat_threshold", int(ends[-1]))
