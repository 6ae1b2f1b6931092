"""Folders of a graph: nodes.csv with a row of values for each node, and edges.csv with the two nodes of each edge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy
import polars

from advisor.datasets import fingerprint
from advisor.datasets.dataset import Examples, Inspection, Kind, Remark, Task, Weight
from advisor.datasets.reader import Reader
from advisor.datasets.readers.delimited_text import sample_of
from advisor.datasets.refusals import unlearnable
from advisor.datasets.tables.inspection import inspect_table
from advisor.datasets.tables.table import TableSample
from advisor.facts.vocabulary import Value
from advisor.wording import join_first, shorten

FORMAT = "graph folder"
NODES, EDGES = "nodes.csv", "edges.csv"
REMEDY = (
    f"{EDGES} needs two columns with the row numbers of {NODES}, counted from 0, and both files commas between columns."
)
_OF_THE_TARGET = ("task.kind", "task.outputs", "task.multilabel", "data.labelled_fraction", "data.imbalance")
_NUMBERS = (Kind.NUMBER, Kind.WHOLE, Kind.YES_NO)


@dataclass(frozen=True, slots=True)
class GraphReading:
    """A graph in two tables, as a generated project reads it."""

    features: tuple[str, ...]
    """Columns of nodes that hold numbers."""
    fault: str = ""
    """The reason why no project can read it; empty for none."""

    def load(self, inspection: Inspection, most_examples: int, seed: int) -> Examples:
        """Raise InputError: no trial learns from graphs yet."""
        what = "networks on graphs cannot be tried yet"
        raise unlearnable(inspection.path, what, "`advisor starter --data` writes a project that trains one.")


def is_graph(folder: Path) -> bool:
    return (folder / NODES).is_file() and (folder / EDGES).is_file()


def inspect(folder: Path, target: str | None, task: Task | None) -> Inspection:
    """Inspect the nodes as a table, with the target in it, and the edges as pairs of its rows."""
    nodes, edges = sample_of(folder / NODES), sample_of(folder / EDGES)
    found = inspect_table(folder / NODES, nodes, target, task)
    counting = [name for name in found.inputs if _counts_rows(nodes, name)]
    usable = [one for one in found.columns if one.name in found.inputs and one.name not in counting]
    features = tuple(one.name for one in usable if one.kind in _NUMBERS and _holds_numbers(nodes.frame[one.name]))
    fault = next(_faults(found, nodes, edges, features), "")
    files = [folder / NODES, folder / EDGES]
    size = sum(file.stat().st_size for file in files)
    facts: dict[str, Value] = {
        name: found.facts[name] for name in _OF_THE_TARGET if found.target and name in found.facts
    }
    facts |= {"data.inputs": len(features)} if features else {}
    facts |= {
        "data.modality": "graph", "data.examples": nodes.rows, "data.bytes": max(1, size), "data.splittable": False,
    }  # fmt: skip
    listing = ((f"{file.name} {found.target or ''}", file.stat().st_size) for file in files)
    return Inspection(
        path=str(folder),
        format=FORMAT,
        modality="graph",
        examples=nodes.rows,
        facts=facts,
        fingerprint=fingerprint.of_listing(listing, files=files),
        target=found.target,
        task=found.task if found.target else None,
        classes=found.classes,
        columns=found.columns,
        inputs=features,
        remarks=(
            *found.remarks,
            *_remarks([one.name for one in usable], counting, features=features, fault=fault, edges=edges),
        ),
        sampled=found.sampled or edges.sampled,
        bytes=size,
        memory_bytes=4 * len(features) * nodes.rows + 16 * edges.rows,
        reading=GraphReading(features, fault),
        task_remedy=f"Name a column of {NODES} with --target.",
    )


def _holds_numbers(column: polars.Series) -> bool:
    """True for a column that a project reads as numbers, too: no word stands among them."""
    return bool(column.drop_nulls().cast(polars.Float64, strict=False).is_not_null().all())


def _counts_rows(nodes: TableSample, name: str) -> bool:
    """True for a column that grows by one from row to row: it names the nodes and describes none."""
    column = nodes.frame[name]
    if not nodes.whole or len(column) < 2 or column.null_count() or not _holds_numbers(column):
        return False
    return bool((numpy.diff(column.cast(polars.Float64).to_numpy()) == 1).all())


def _faults(found: Inspection, nodes: TableSample, edges: TableSample, features: tuple[str, ...]) -> Iterator[str]:
    """Reasons why no project can read this graph."""
    if edges.frame.width < 2:
        yield f"{EDGES} has a single column"
        return
    for name, table, plain in ((NODES, nodes, found.plain), (EDGES, edges, edges.plain)):
        if not plain or table.delimiter != ",":
            yield f"{name} is written in another way than plain CSV ({table.written})"
    for name, text in found.spelt.items():
        where = f"the column {shorten(name, 40)!r} of {NODES}"
        yield f"{where} has numbers such as {shorten(text, 20)!r}, and a project reads digits and a decimal point alone"
    if not features:
        yield f"no column of {NODES} holds numbers that describe a node"
    ends = edges.frame.get_columns()[:2]
    for column in ends:
        where = f"the column {shorten(column.name, 40)!r} of {EDGES}"
        numbers = column.cast(polars.Float64, strict=False)
        whole = numbers.is_finite() & (numbers == numbers.round()) & (numbers >= 0)
        wrong = (~whole.fill_null(value=False)).arg_true()
        if len(wrong):
            first = column[wrong[0]]
            held = "a gap" if first is None else repr(shorten(str(first), 40))
            row = f" in row {wrong[0] + 1:,}" if edges.whole else ""
            yield f"{where} holds {held}{row}, where the number of a row of {NODES} is needed"
            return
        most = int(numbers.to_numpy().max())
        if nodes.whole and most >= nodes.rows:
            yield f"{where} holds {most:,}, and the {nodes.rows:,} rows of {NODES} are counted from 0 to {nodes.rows - 1:,}"
            return
    if nodes.whole:
        yield from _other_numbers(
            found, nodes, numpy.concatenate([one.cast(polars.Float64).to_numpy() for one in ends])
        )


def _other_numbers(found: Inspection, nodes: TableSample, ends: numpy.ndarray) -> Iterator[str]:
    """A fault where a column numbers the nodes in another order than that of the rows, and edges may mean its numbers."""
    for column in nodes.frame:
        if column.name != found.target and not column.null_count() and _holds_numbers(column):
            numbers = column.cast(polars.Float64).to_numpy()
            names = len(numpy.unique(numbers)) == len(numbers) and numpy.isin(ends, numbers).all()
            if names and (numbers != numpy.arange(len(numbers))).any():
                name = repr(shorten(column.name, 40))
                yield f"{EDGES} may name nodes by their {name}, which are not the row numbers from 0"


def _remarks(
    usable_names: list[str], counting: list[str], *, features: tuple[str, ...], fault: str, edges: TableSample
) -> Iterator[Remark]:
    from advisor.datasets.tables import graphs  # scipy's graphs take 0.2 s

    if edges.frame.width >= 2:
        ends = edges.frame.select(edges.frame.columns[:2]).cast(polars.String).drop_nulls()
        yield from graphs.measured(ends)[2] if len(ends) else ()
    if fault:
        yield Remark(f"A generated project cannot read this graph: {fault}.", Weight.WARNING, REMEDY)
    if counting:
        named = join_first([repr(shorten(name, 40)) for name in counting], 3)
        yield Remark(f"Columns of {NODES} that count its rows, and that a generated project leaves out: {named}.")
    others = [name for name in usable_names if name not in features]
    if others:
        named = join_first([repr(shorten(name, 40)) for name in others], 3)
        what = f"Columns of {NODES} that hold no numbers, and that a generated project leaves out: {named}."
        yield Remark(what, Weight.WARNING, "Write them as numbers: of categories a column of 0 and 1 for each.")


READER = Reader("a graph (nodes.csv and edges.csv)", frozenset(), inspect, recognise_folder=is_graph)
