"""A folder of nodes.csv and edges.csv is a graph: a project reads it and trains, or is refused with a reason."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy
import polars
import pytest

from advisor.datasets.dataset import Task
from advisor.datasets.inspect import inspect
from advisor.errors import InputError
from advisor.starter.project import refuse_unreadable
from tests.cli.program import advisor, refused
from tests.starter.blueprints import module
from tests.starter.projects import run

NODES = 60
PLAIN = {"from": list(range(NODES - 1)), "to": list(range(1, NODES))}


def graph(folder: Path, edges: Mapping[str, Any] = PLAIN, separator: str = ",", **columns: Any) -> Path:
    """Nodes of two kinds on a line, which their two numbers tell."""
    chance = numpy.random.default_rng(1)
    kind = numpy.arange(NODES) % 2
    nodes = {
        "size": chance.normal(size=NODES) + 3 * kind,
        "heat": chance.normal(size=NODES),
        "colour": ["red", "green", "blue"] * (NODES // 3),
        **columns,
        "kind": numpy.where(kind == 1, "left", "right"),
    }
    folder.mkdir(exist_ok=True)
    polars.DataFrame(nodes).write_csv(folder / "nodes.csv", separator=separator)
    polars.DataFrame(edges).write_csv(folder / "edges.csv")
    return folder


def test_the_nodes_are_the_examples_and_their_numbers_the_inputs(tmp_path: Path) -> None:
    found = inspect(graph(tmp_path / "graph"), "kind")
    assert (found.format, found.modality, found.task) == ("graph folder", "graph", Task.CLASSIFY)
    assert (found.examples, found.inputs, found.classes) == (NODES, ("size", "heat"), ("left", "right"))
    assert found.facts["data.inputs"] == 2
    told = " ".join(remark.what for remark in found.remarks)
    assert "59 edges between 60 nodes" in told
    assert "leaves out: 'colour'" in told
    refuse_unreadable(found)


FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "counted from 1": ({"edges": {"a": range(1, NODES), "b": range(2, NODES + 1)}}, "counted from 0 to 59"),
    "names": ({"edges": {"a": ["x", "y"], "b": ["y", "z"]}}, "holds 'x' in row 1, where the number of a row"),
    "a gap": ({"edges": {"a": [0, None], "b": [1, 2]}}, "holds a gap in row 2, where the number of a row"),
    "halves": ({"edges": {"a": [0.5, 1], "b": [1, 2]}}, "holds '0.5' in row 1, where the number of a row"),
    "below 0": ({"edges": {"a": [0, -1], "b": [1, 2]}}, "holds '-1' in row 2, where the number of a row"),
    "one column": ({"edges": {"a": [0, 1]}}, "edges.csv has a single column"),
    "semicolons": ({"separator": ";"}, "nodes.csv is written in another way"),
    "infinite": ({"edges": {"a": ["0", "1", "inf"], "b": [1, 2, 3]}}, "'a' of edges.csv holds 'inf' in row 3"),
    "no number": ({"edges": {"a": [0, 1], "b": ["1", "nan"]}}, "'b' of edges.csv holds 'nan' in row 2"),
    "reversed": ({"node": range(NODES - 1, -1, -1)}, "may name nodes by their 'node'"),
    "shifted": (
        {"node": range(1, NODES + 1), "edges": {"a": range(1, NODES - 1), "b": range(2, NODES)}},
        "may name nodes by their 'node'",
    ),
    "shuffled": ({"vertex": numpy.random.default_rng(2).permutation(NODES)}, "may name nodes by their 'vertex'"),
    "padded": ({"key": [f"{one:04}" for one in range(NODES - 1, -1, -1)]}, "may name nodes by their 'key'"),
    "decimal": ({"nr": [float(one) for one in range(NODES - 1, -1, -1)]}, "may name nodes by their 'nr'"),
    "few edges": (
        {"nr": range(5, NODES + 5), "edges": {"a": [7, 8], "b": [8, 9]}},
        "may name nodes by their 'nr'",
    ),
    "ids": ({"node_id": range(NODES - 1, -1, -1)}, "may name nodes by their 'node_id'"),
    "words": ({"size": ["big", "small"] * 30, "heat": ["hot", "cold"] * 30}, "no column of nodes.csv holds numbers"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_graph_that_a_project_cannot_read_is_refused_with_the_reason(fault: str, tmp_path: Path) -> None:
    changed, said = FAULTS[fault]
    found = inspect(graph(tmp_path / "graph", **changed), "kind")
    assert any(said in remark.what for remark in found.remarks)
    with pytest.raises(InputError, match="A project cannot read these data") as refusal:
        refuse_unreadable(found)
    assert said in refusal.value.problems[0].what
    assert "row numbers" in refusal.value.problems[0].remedy


def test_ids_that_are_the_row_numbers_are_no_feature(tmp_path: Path) -> None:
    found = inspect(graph(tmp_path / "graph", node_id=range(NODES)), "kind")
    assert found.inputs == ("size", "heat")
    refuse_unreadable(found)


@pytest.mark.parametrize("first", [0, 1])
def test_a_column_that_counts_the_rows_is_no_feature_under_any_name(first: int, tmp_path: Path) -> None:
    found = inspect(graph(tmp_path / "graph", node=range(first, NODES + first)), "kind")
    assert found.inputs == ("size", "heat")
    assert any("count its rows, and that a generated project leaves out: 'node'" in one.what for one in found.remarks)
    refuse_unreadable(found)


def test_numbers_with_repeats_or_beside_the_edges_are_features(tmp_path: Path) -> None:
    ages = numpy.random.default_rng(3).integers(0, 30, NODES)
    found = inspect(graph(tmp_path / "graph", age=ages, days=range(4000, 4000 + 3 * NODES, 3)), "kind")
    assert found.inputs == ("size", "heat", "age", "days")
    refuse_unreadable(found)


def test_the_examples_of_a_graph_are_its_nodes(tmp_path: Path) -> None:
    data = graph(tmp_path / "graph")
    assert "DATA  60 nodes of a graph, " in advisor("inspect", data).out
    planned = advisor("recommend", "--machine", "none", "--data", data, "--target", "kind").out
    assert "sort 60 nodes of a graph into 2 classes" in planned


def test_a_project_of_a_folder_reads_it_trains_and_tells_the_size_of_its_network(tmp_path: Path) -> None:
    data, project = graph(tmp_path / "graph", node_id=range(NODES)), tmp_path / "project"
    machine = ("--machine", "none", "--data", data, "--target", "kind")
    assert advisor("starter", *machine, "--output", project).code == 0
    loaded = module(project, "data").load(data, 0)
    assert (loaded.features.shape, loaded.outputs) == ((NODES, 2), 2)
    run(project, f"python train.py --data {data} --steps 3 --batch-size 16")
    run(project, f"python predict.py --data {data}")
    assert len(polars.read_csv(project / "predictions.csv")) == NODES
    described = json.loads(run(project, f"python train.py --describe --data {data}"))
    plan = json.loads(advisor("recommend", *machine, "--format", "json").out)
    widths = plan["recommendations"]["network.hidden_units"]["value"]
    assert f"HIDDEN_UNITS = ({', '.join(map(str, widths))})" in (project / "settings.py").read_text()
    assert described["parameters"] > 2 * widths[0]


def test_try_and_plans_of_other_data_refuse_a_graph(tmp_path: Path) -> None:
    data = graph(tmp_path / "graph")
    assert "networks on graphs cannot be tried yet" in refused("try", "--data", data, "--target", "kind")
    other = ("--machine", "none", "--set", "data.modality=tabular", "--output", tmp_path / "new")
    said = refused("starter", "--data", data, "--target", "kind", *other)
    assert "its project does not read the format graph folder" in " ".join(said.split())


def test_a_network_of_another_size_than_the_plan_counts_is_told(tmp_path: Path) -> None:
    facts = ("task.kind=classify", "data.modality=graph", "data.inputs=8", "task.outputs=3", "data.examples=500")
    sets = [word for fact in (*facts, "network.parameters=1000000") for word in ("--set", fact)]
    done = advisor("starter", "--machine", "none", *sets, "--output", tmp_path / "project")
    assert done.code == 0, done.err
    assert "1,000,000 weights" in (tmp_path / "project" / "README.md").read_text()
