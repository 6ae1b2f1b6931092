from __future__ import annotations

from pathlib import Path

import networkx
import numpy
import pytest

from advisor.datasets.dataset import Inspection
from advisor.datasets.inspect import inspect
from advisor.datasets.loading import load
from advisor.errors import InputError
from tests.datasets.made import write_csv


def remarks_of(found: Inspection) -> str:
    return "\n".join(remark.what for remark in found.remarks)


def write_club(path: Path) -> Path:
    edges = [(f"member{a}", f"member{b}") for a, b in networkx.karate_club_graph().edges]
    return write_csv(path, ["source", "target"], edges)


def test_pairs_of_nodes_are_a_graph(tmp_path: Path) -> None:
    found = inspect(write_club(tmp_path / "club.csv"))
    assert (found.format, found.modality) == ("edge list", "graph")
    assert found.facts["data.examples"] == 34
    assert found.facts["data.splittable"] is False
    assert "78 edges between 34 nodes, 4.6 a node and at most 17" in remarks_of(found)
    assert "parts" not in remarks_of(found)


def test_parts_loops_and_repeated_edges_are_said(tmp_path: Path) -> None:
    edges = [("a", "b"), ("b", "a"), ("b", "c"), ("d", "e"), ("e", "e")]
    said = remarks_of(inspect(write_csv(tmp_path / "g.csv", ["from", "to"], edges)))
    assert "falls into 2 parts that no edge joins; the largest has 3 nodes" in said
    assert "Edges that join a node with itself: 1." in said
    assert "Edges that stand more than once, in one direction or the other: 1." in said


def test_numbered_nodes_without_a_header_are_a_graph(tmp_path: Path) -> None:
    graph = networkx.gnm_random_graph(60, 300, seed=1)
    path = tmp_path / "g.csv"
    path.write_text("".join(f"{a},{b},{0.1 * a + b:.2f}\n" for a, b in graph.edges))
    assert inspect(path).format == "edge list"


def test_two_columns_of_small_numbers_are_a_table_where_they_have_names(tmp_path: Path) -> None:
    draw = numpy.random.default_rng(0)
    rows = draw.integers(0, 100, (300, 2)).tolist()
    assert inspect(write_csv(tmp_path / "t.csv", ["hours", "marks"], rows)).format == "delimited text"


def test_two_columns_of_measurements_are_a_table(tmp_path: Path) -> None:
    draw = numpy.random.default_rng(0)
    rows = draw.integers(0, 100_000, (300, 2)).tolist()
    assert inspect(write_csv(tmp_path / "t.csv", ["height", "weight"], rows)).format == "delimited text"


def test_a_target_makes_it_a_table(tmp_path: Path) -> None:
    path = write_club(tmp_path / "club.csv")
    assert inspect(path, "target").format == "delimited text"


def test_graphs_are_not_tried_yet(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="graphs cannot be tried yet"):
        load(inspect(write_club(tmp_path / "club.csv")), most_examples=10)
