"""`advisor starter`, run as from a shell."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.program import advisor, refused
from tests.starter.projects import TABLE, complaints, environment

SETS = [word for fact in TABLE.split() for word in ("--set", fact)]
TREES = [word.replace("sparse_ids=yes", "sparse_ids=no") for word in SETS]
DIGITS = ("task.kind=classify", "task.outputs=10", "data.modality=image", "data.inputs=64", "data.examples=1797")


def test_from_a_saved_plan(tmp_path: Path) -> None:
    plan, project = tmp_path / "plan.json", tmp_path / "project"
    assert advisor("recommend", "--machine", "none", *SETS, "--format", "json", "--output", plan).code == 0
    done = advisor("starter", "--plan", plan, "--output", project)
    assert (done.code, done.err) == (0, "")
    assert "README.md" in done.out
    assert complaints(project) == ""

    assert "the folder is not empty" in refused("starter", "--plan", plan, "--output", project)
    assert advisor("starter", "--plan", plan, "--output", project, "--force").code == 0
    assert "a saved plan was made from answers" in refused("starter", "--plan", plan, *SETS, "--output", project)


def test_from_facts_without_a_plan(tmp_path: Path) -> None:
    done = advisor("starter", "--machine", "none", *SETS, "--output", tmp_path / "project")
    assert done.code == 0, done.err
    assert "HIDDEN_UNITS" in (tmp_path / "project" / "settings.py").read_text()


def test_texts_that_look_like_a_table_are_read_by_lines(tmp_path: Path) -> None:
    texts, stated = tmp_path / "lines.txt", ("--set", "task.kind=translate", "--set", "data.modality=text")
    texts.write_text("".join(f'the "{i}" cat\tla "{i}" chatte\n' for i in range(60)))
    done = advisor("starter", "--machine", "none", "--data", texts, *stated, "--output", tmp_path / "project")
    assert done.code == 0, done.err


def test_data_are_looked_at_beside_a_saved_plan_too(tmp_path: Path) -> None:
    plan, new = tmp_path / "plan.json", tmp_path / "new"
    assert advisor("recommend", "--machine", "none", *SETS, "--format", "json", "--output", plan).code == 0
    (tmp_path / "list.json").write_text('[{"a": 1, "b": 2}, {"a": 3, "b": 4}]')
    said = refused("starter", "--plan", plan, "--data", tmp_path / "list.json", "--output", new)
    assert "JSON with one object a line" in " ".join(said.split())
    assert not new.exists()

    (tmp_path / "a.csv").write_text("a;b\n" + "1;2\n3;4\n" * 9)
    described = ("starter", "--plan", plan, "--data", tmp_path / "a.csv", "--output", new)
    assert "it is not known what to predict" in refused(*described)
    assert advisor(*described, "--target", "b").code == 0
    assert 'else ";"' in (new / "data.py").read_text()

    (tmp_path / "graph").mkdir()
    for name in ("nodes.csv", "edges.csv"):
        (tmp_path / "graph" / name).write_text("a,b\n1,2\n")
    said = refused("starter", "--plan", plan, "--data", tmp_path / "graph", "--output", new, "--force")
    assert "cannot read" in said
    elsewhere = tmp_path / "not here yet"
    assert advisor("starter", "--plan", plan, "--data", elsewhere, "--output", new, "--force").code == 0


def test_a_file_that_is_no_plan(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text("[]")
    assert "This plan cannot be used" in refused(
        "starter", "--plan", tmp_path / "plan.json", "--output", tmp_path / "new"
    )
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("network", [True, False], ids=["a network", "trees"])
def test_what_would_be_trained_is_told_in_one_line_and_nothing_is(network: bool, tmp_path: Path) -> None:
    """The figures are those of the plan."""
    facts = [word for fact in DIGITS for word in ("--set", fact)] if network else TREES
    plan, project = tmp_path / "plan.json", tmp_path / "project"
    advisor("recommend", "--machine", "none", *facts, "--format", "json", "--output", plan)
    assert advisor("starter", "--plan", plan, "--output", project).code == 0
    before = sorted(project.rglob("*"))

    line = [sys.executable, "train.py", "--describe"]
    done = subprocess.run(line, cwd=project, env=environment(), check=True, capture_output=True, text=True)

    told = json.loads(done.stdout)
    assert done.stdout.count("\n") == 1
    assert [path for path in sorted(project.rglob("*")) if "__pycache__" not in path.parts] == before
    advised = json.loads(plan.read_text())
    if not network:
        assert (told["model"], told["parameters"]) == ("gradient_boosting", None)
        return
    assert told["parameters"] == told["trained_parameters"] == advised["figures"]["network.size"]["value"]
    assert told["multiply_adds_per_example"] == advised["figures"]["compute.macs"]["value"]
    assert told["batch"] == advised["recommendations"]["training.batch_size"]["value"]
    assert told["batch"] == told["micro_batch"] * told["accumulation"]
    assert told["precision"] == advised["recommendations"]["training.precision"]["value"]


def test_what_a_project_makes_otherwise_is_told_on_the_terminal_too(tmp_path: Path) -> None:
    done = advisor("starter", "--machine", "none", "--set", "task.kind=classify", "--set", "data.modality=image", "--output",
                   tmp_path / "project")  # fmt: skip
    assert done.code == 0
    assert "The project differs from the plan" in done.err
    assert "The plan does not know" in " ".join(done.err.split())


def test_a_plan_that_no_project_can_keep_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    said = refused(
        "starter", "--machine", "none", *SETS, "--set", "training.adaptation=lora", "--output", tmp_path / "new"
    )
    assert "names no network that has them" in " ".join(said.split())
    said = refused("starter", "--machine", "none", "--model", "llama-3.1-70b", "--set", "task.kind=generate", "--set",
                   "training.adaptation=full", "--set", "project.pretrained_allowed=yes", "--set", "machine.gpu.count=8",
                   "--set", "machine.gpu.memory_bytes=80 GiB", "--output", tmp_path / "new")  # fmt: skip
    assert "project keeps all states on each device" in " ".join(said.split())
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("stated", [(), ("--set", "task.kind=regress"), ("--set", "task.kind=detect_anomalies")])
def test_a_table_whose_target_nobody_names_is_refused_with_columns_that_it_could_be(
    stated: tuple[str, ...], tmp_path: Path
) -> None:
    rows = "".join(f"{number % 7},{number % 5},{number * 0.37:.2f}\n" for number in range(60))
    (tmp_path / "house.csv").write_text(f"a,b,price\n{rows}")
    said = refused("starter", "--data", tmp_path / "house.csv", *stated, "--output", tmp_path / "new")
    assert "it is not known what to predict" in said
    assert "Name it with --target. It could be 'price'. The columns are a, b and price." in " ".join(said.split())
    assert not (tmp_path / "new").exists()
