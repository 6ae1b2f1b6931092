"""Edge lists: a table of pairs of nodes is a graph, and no table of examples."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy
import polars
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from advisor.datasets import fingerprint
from advisor.datasets.dataset import Column, Inspection, Kind, Remark, Weight

ENDS = (
    ("source", "target"), ("src", "dst"), ("src", "dest"), ("from", "to"), ("u", "v"), ("head", "tail"), ("node1", "node2"),
    ("fromnodeid", "tonodeid"), ("id1", "id2"), ("follower", "followee"), ("citing", "cited"), ("parent", "child"),
)  # fmt: skip
"""Names of the columns of both ends, in lower case without blanks and underscores."""
WEIGHTS = frozenset({"weight", "w", "value", "count", "time", "timestamp", "type", "label", "sign", "rating"})
SUFFIXES = frozenset({".edges", ".edgelist"})
SHARED = 0.3
"""Share of one column's values that stand in the other, where neither names nor the file say that these are nodes."""
MOST_COLUMNS = 4
_UNNAMED = re.compile(r"column_\d+")
"""Names of columns in a file without a header."""


def inspect_edges(path: Path, frame: polars.DataFrame, columns: Sequence[Column]) -> Inspection | None:
    """Inspect the graph whose edges a table lists; None where it lists something else.

    `frame` holds its rows, all or a sample; the counts are of these rows.
    """
    ends = _ends(path, frame, columns)
    if ends is None:
        return None
    pairs = frame.select(ends).cast(polars.String).drop_nulls()
    remedy = "If it is a table of examples, name the column to predict with --target."
    nodes, edges, remarks = measured(pairs, remedy)
    size = path.stat().st_size
    return Inspection(
        path=str(path),
        format="edge list",
        modality="graph",
        examples=nodes,
        facts={
            "data.modality": "graph", "data.examples": nodes, "data.bytes": max(1, size), "data.splittable": False,
        },
        fingerprint=fingerprint.of_file(path, None),
        columns=tuple(columns),
        inputs=ends,
        remarks=remarks,
        bytes=size,
        memory_bytes=16 * edges,
    )  # fmt: skip


def _ends(path: Path, frame: polars.DataFrame, columns: Sequence[Column]) -> tuple[str, str] | None:
    """The two columns that name nodes."""
    if not 2 <= len(columns) <= MOST_COLUMNS or frame.is_empty():
        return None
    first, second, *rest = columns
    if not (_names_nodes(first) and _names_nodes(second)):
        return None
    plain = tuple(column.name.casefold().replace(" ", "").replace("_", "") for column in (first, second))
    if plain in ENDS or path.suffix.casefold() in SUFFIXES:
        return first.name, second.name
    unnamed = all(_UNNAMED.fullmatch(column.name) for column in columns)
    weighted = all(column.name.casefold() in WEIGHTS for column in rest)
    if (unnamed or weighted) and _share_nodes(frame[first.name], frame[second.name], unnamed=unnamed):
        return first.name, second.name
    return None


def _names_nodes(column: Column) -> bool:
    return column.kind in (Kind.WHOLE, Kind.CATEGORY, Kind.IDENTIFIER, Kind.TEXT)


def _share_nodes(one: polars.Series, other: polars.Series, *, unnamed: bool) -> bool:
    """True where many different values stand in both, in pairs that nearly all differ. Whole numbers also do so by chance (age
    and weight), so they must have no names of their own and leave few gaps."""
    if one.dtype != other.dtype:
        return False
    left, right = one.drop_nulls().unique(), other.drop_nulls().unique()
    if min(len(left), len(right)) < 20:
        return False
    shared = left.is_in(right.implode()).sum() / min(len(left), len(right))
    different = polars.DataFrame({"a": one, "b": other}).unique().height / len(one)
    nodes = one.dtype == polars.String or (unnamed and _numbers_of_nodes(left, right))
    return shared >= SHARED and different > 0.95 and nodes


def _numbers_of_nodes(left: polars.Series, right: polars.Series) -> bool:
    """True where whole numbers are used up nearly without gaps, as numbers of nodes are and measurements are not."""
    if not left.dtype.is_integer():
        return False
    together = polars.concat([left, right]).unique()
    low, high = together.min(), together.max()
    return isinstance(low, int) and isinstance(high, int) and len(together) > (high - low + 1) / 4


def measured(pairs: polars.DataFrame, remedy: str = "") -> tuple[int, int, tuple[Remark, ...]]:
    """The numbers of nodes and edges, and what is to be said of the graph that these pairs of names make."""
    names, ends = numpy.unique(numpy.concatenate([one.to_numpy() for one in pairs]).astype(str), return_inverse=True)
    start, end = numpy.split(ends, 2)
    nodes, edges = len(names), len(start)
    degrees = numpy.bincount(ends, minlength=nodes)
    mean = degrees.mean() if nodes else 0.0
    what = f"This lists the edges of a graph: {edges:,} edges between {nodes:,} nodes, {mean:.1f} a node and at most "
    remarks = [
        Remark(f"{what}{degrees.max(initial=0):,}.", remedy=remedy, columns=tuple(pairs.columns)),
        Remark("Graphs cannot be tried here yet; the facts serve advice, and the task must be stated (task.kind)."),
    ]
    links = coo_array((numpy.ones(edges, numpy.int8), (start, end)), shape=(nodes, nodes))
    components, component_of = connected_components(links, directed=False)
    if components > 1:
        what = f"The graph falls into {components:,} parts that no edge joins; the largest has "
        remarks.append(Remark(f"{what}{numpy.bincount(component_of).max():,} nodes."))
    loops = int((start == end).sum())
    if loops:
        what = f"Edges that join a node with itself: {loops:,}."
        remarks.append(Remark(what, Weight.WARNING, "Leave them out unless they mean something."))
    low, high = numpy.minimum(start, end), numpy.maximum(start, end)
    repeated = edges - len(numpy.unique(low * nodes + high))
    if repeated:
        what = f"Edges that stand more than once, in one direction or the other: {repeated:,}."
        remarks.append(Remark(what, remedy="Where direction means nothing, list each pair once."))
    return nodes, edges, tuple(remarks)
