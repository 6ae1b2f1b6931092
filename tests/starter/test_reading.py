"""Generated projects read the data that their README asks for."""

from __future__ import annotations

import wave
from dataclasses import replace
from pathlib import Path

import numpy
import polars
import pytest
import torch

from advisor.datasets.inspect import inspect
from advisor.errors import InputError
from advisor.starter.blueprint import Layout, Targets
from advisor.starter.planning import blueprint_of
from advisor.starter.project import refuse_unreadable
from tests.starter.blueprints import blueprint, module, project
from tests.starter.projects import TABLE, complaints, generated, plan_of, run

WAVES = numpy.sin(numpy.arange(120) / 3)


def trained(project: Path, data: Path) -> torch.Size:
    """Trains for two steps on these data; the shape of the first matrix of weights."""
    run(project, f"python train.py --data '{data}' --steps 2")
    weights = torch.load(project / "runs" / "last.pt", weights_only=True)["network"]
    return next(value.shape for value in weights.values() if value.dim() > 1)


def table() -> polars.DataFrame:
    numbers = numpy.arange(60.0)
    return polars.DataFrame(
        {
            "size": [*[None] * 6, *numbers[6:]],
            "yes": numbers % 2 == 0,
            "colour": ["red", "green", None] * 20,
            "nothing": numbers * 0,
            "kind": ["b", "a", "a"] * 20,
        }
    )


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "jsonl", "json", "semicolons.csv"])
def test_tables_in_every_form(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"table.{ending}"
    match ending:
        case "csv":
            table().write_csv(file)
        case "tsv":
            table().write_csv(file, separator="\t")
        case "parquet":
            table().write_parquet(file)
        case "semicolons.csv":
            table().write_csv(file, separator=";")
        case _:
            table().write_ndjson(file)
    found = inspect(file)
    refuse_unreadable(found)  # `advisor starter --data` takes what the project reads
    plan = plan_of(TABLE, network_hidden_units=[4], training_batch_size=8)
    project = generated(tmp_path / "project", plan, delimiter=found.delimiter)
    assert trained(project, file) == (4, 7)  # three columns of numbers, a mark in the gap, two colours or none
    assert ("(semicolons)" in (project / "README.md").read_text()) is (ending == "semicolons.csv")


def test_a_format_that_projects_cannot_read_is_refused_with_a_remedy(tmp_path: Path) -> None:
    table().write_csv(tmp_path / "flowers.arff")
    with pytest.raises(InputError) as refusal:
        refuse_unreadable(replace(inspect(tmp_path / "flowers.arff"), format="ARFF"))
    (problem,) = refusal.value.problems
    assert (problem.where, "ARFF" in problem.what) == (str(tmp_path / "flowers.arff"), True)
    assert "Save the table as CSV" in problem.remedy


@pytest.mark.parametrize(
    ("name", "text", "what", "remedy"),
    [
        ("list.json", '[{"a": 1, "b": 2}, {"a": 3, "b": 4}]', "a list of objects", "JSON with one object a line"),
        ("a.csv", "a;b\n" + "1,5;2,5\n3,5;4,25\n" * 9, "'a' (such as '1,5') and 'b' (such as '2,5')", "decimal commas"),
        ("a.csv", 'a,b\n"1,500",2\n"2,500",3\n', "'a' (such as '1,500')", "save the table as Parquet"),
        ("a.csv", "# by hand\na,b\n1,2\n3,4\n", "separated by commas", "CSV (a header"),
        ("a.csv", "a,b\n" + '1, "x, y"\n2, "z, ""y"""\n' * 9, "separated by commas", "CSV (a header"),
        ("a.csv", "1,2\n3,4\n5,6\n", "without a header", "CSV (a header"),
        ("a.edges", "".join(f"{i} {i + 1}\n" for i in range(40)), "edges alone", "nodes.csv"),
    ],
)
def test_tables_written_in_ways_that_projects_cannot_read_are_refused(
    name: str, text: str, what: str, remedy: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as refusal:
        refuse_unreadable(inspect(tmp_path / name))
    (problem,) = refusal.value.problems
    assert (what in problem.what, remedy in problem.remedy) == (True, True), problem


def test_speech_in_a_table_is_written_as_projects_read_it(tmp_path: Path) -> None:
    rows = "".join(f'{number},"she said, ""no"" {number % 3}"\n' for number in range(40))
    (tmp_path / "said.csv").write_text("x,said\n" + rows)
    found = inspect(tmp_path / "said.csv")
    refuse_unreadable(found)
    assert set(found.columns[1].examples) == {f'she said, "no" {number}' for number in range(3)}


@pytest.mark.parametrize("kind", ["translate", "generate"])
def test_lines_of_text_need_not_be_a_table(kind: str, tmp_path: Path) -> None:
    (tmp_path / "pairs.txt").write_text("".join(f'the "{i}" cat\tla "{i}" chatte\n' for i in range(60)))
    found = inspect(tmp_path / "pairs.txt")
    facts = "data.modality=text data.examples=60 data.sequence_length=8 data.inputs=90"
    refuse_unreadable(found, None, blueprint_of(plan_of(f"task.kind={kind} {facts}")))
    with pytest.raises(InputError):
        refuse_unreadable(found, None, blueprint_of(plan_of(TABLE)))


def test_rows_that_look_like_edges_are_a_table_where_the_target_is_named(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("source,target\n" + "".join(f"{i},{i % 7}\n" for i in range(60)))
    assert inspect(tmp_path / "pairs.csv").format == "edge list"
    refuse_unreadable(inspect(tmp_path / "pairs.csv"), "target")


MISSED = ["Apnea", "None", "?", "Insomnia", ""]


@pytest.mark.parametrize("network", ["lstm", "linear"])
def test_texts_with_words_for_missing_classes(network: str, tmp_path: Path) -> None:
    lines = [[f"the patient number {n} slept for {n % 7} hours and {n % 5} minutes", MISSED[n % 5]] for n in range(60)]
    polars.DataFrame(lines, schema=["note", "kind"], orient="row").write_csv(tmp_path / "notes.csv")
    found = inspect(tmp_path / "notes.csv", "kind")
    facts = (
        "task.kind=classify task.outputs=3 data.modality=text data.inputs=30 data.sequence_length=12 data.examples=60"
    )
    plan = plan_of(f"{facts} project.pretrained_allowed=no", network_type=network, network_hidden_units=[4])
    made = blueprint_of(plan, tmp_path / "notes.csv", "kind", inspection=found)
    assert made.target_words == tuple(word for word in MISSED if word == "None")
    folder = project(tmp_path / "project", made)
    texts, answers, *_ = module(folder, "data").texts_in(tmp_path / "notes.csv")
    assert answers == [MISSED[n % 5] for n in range(60) if n % 5 not in (2, 4)]
    assert texts == [
        line[0] for line, answer in zip(lines, MISSED * 12, strict=True) if answer in ("Apnea", "None", "Insomnia")
    ]
    assert complaints(folder) == ""


@pytest.mark.parametrize("network", ["lstm", "linear"])
@pytest.mark.parametrize("target", ["class", "number"])
def test_series_with_words_for_missing_targets(network: str, target: str, tmp_path: Path) -> None:
    words = MISSED if target == "class" else ["1.5", "NA", "2", "unknown", "-3"]
    rows = {f"value {place}": numpy.sin(numpy.arange(60.0) * place) for place in range(1, 9)}
    polars.DataFrame({**rows, "kind": words * 12}).write_csv(tmp_path / "series.csv")
    supervised = Targets.CLASS if target == "class" else Targets.NUMBERS
    made = replace(blueprint(network, Layout.SERIES, supervised), target="kind", target_words=("None",))
    folder = project(tmp_path / "project", made)
    data = module(folder, "data").load(tmp_path / "series.csv", 0)
    kept = [word for word in words if word not in ("?", "", "NA", "unknown")]
    examples = len(data.train) + len(data.validation) if network == "lstm" else len(data.inputs)
    assert examples == 12 * len(kept)
    if target == "class":
        assert data.kept["answers"] == sorted(kept)
    assert complaints(folder) == ""


def test_arrays(tmp_path: Path) -> None:
    numpy.savez(tmp_path / "arrays.npz", x=numpy.random.default_rng(0).normal(size=(50, 3)), y=numpy.arange(50) % 3)
    project = generated(tmp_path / "project", plan_of(TABLE, network_hidden_units=[4], training_batch_size=8))
    assert trained(project, tmp_path / "arrays.npz") == (4, 3)


def test_the_target_is_the_column_that_was_named(tmp_path: Path) -> None:
    table().select("kind", "size", "yes").write_csv(tmp_path / "table.csv")
    plan = plan_of(TABLE, network_hidden_units=[4], training_batch_size=8)
    project = generated(tmp_path / "project", plan, target="kind")
    assert trained(project, tmp_path / "table.csv") == (4, 3)
    assert "The target column is `kind`." in (project / "README.md").read_text()


@pytest.mark.parametrize("network", ["ffn", "linear"])
def test_a_column_that_is_not_there_is_told_with_those_that_are(network: str, tmp_path: Path) -> None:
    table().write_csv(tmp_path / "table.csv")
    plan = plan_of(TABLE, network_type=network, network_hidden_units=[4])
    project = generated(tmp_path / "project", plan, target="kin\nd")
    with pytest.raises(SystemExit, match=r"no column 'kin\\nd': name the target, one of 'size', 'yes'.* as TARGET"):
        run(project, f"python train.py --data '{tmp_path / 'table.csv'}'")


def test_words_cannot_be_foretold_as_numbers(tmp_path: Path) -> None:
    table().write_csv(tmp_path / "table.csv")
    facts = "task.kind=regress task.outputs=1 data.modality=tabular data.inputs=4"
    project = generated(tmp_path / "project", plan_of(facts, network_type="ffn", network_hidden_units=[4]))
    with pytest.raises(SystemExit, match=r"The column 'kind' holds 'b', where .* numbers"):
        run(project, f"python train.py --data '{tmp_path / 'table.csv'}'")


@pytest.mark.parametrize(
    "name", ["missing.csv", "broken.parquet", "broken.jsonl", "broken.npz", "uneven.csv", "empty.csv", ""]
)
def test_a_file_that_is_no_table_is_told_in_one_line(name: str, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for broken in ("broken.parquet", "broken.jsonl", "broken.npz"):
        (tmp_path / "data" / broken).write_bytes(b"\x00\xff no table")
    (tmp_path / "data" / "uneven.csv").write_text("a,b\n1,2\n1,2,3,4\n")
    (tmp_path / "data" / "empty.csv").touch()
    project = generated(tmp_path / "project", plan_of(TABLE, network_hidden_units=[4]))
    with pytest.raises(SystemExit) as refusal:
        run(project, f"python train.py --data '{tmp_path / 'data' / name}'")
    assert f"{name} cannot be read as a table: " in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_graph_without_edges_is_told(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text("a,kind\n1,x\n2,y\n")
    facts = "task.kind=classify task.outputs=2 data.modality=graph data.inputs=1"
    project = generated(tmp_path / "project", plan_of(facts, network_type="gnn", network_hidden_units=[4]))
    with pytest.raises(SystemExit, match=r"edges\.csv cannot be read as a table"):
        run(project, f"python train.py --data '{tmp_path}'")


def test_several_classes_of_one_row(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("a,tags\n" + "".join(f"{i},{('x', 'x;y', 'z')[i % 3]}\n" for i in range(40)))
    facts = "task.kind=classify task.outputs=3 task.multilabel=yes data.modality=tabular data.inputs=1"
    plan = plan_of(facts, network_type="ffn", network_hidden_units=[4], training_batch_size=8)
    project = generated(tmp_path / "project", plan)
    assert trained(project, tmp_path / "table.csv") == (4, 1)
    last = torch.load(project / "runs" / "last.pt", weights_only=True)["network"]["layers.2.weight"]
    assert last.shape == (3, 4)


def test_a_series_becomes_windows_and_what_follows_them(tmp_path: Path) -> None:
    polars.DataFrame({"date": [f"d{i}" for i in range(120)], "sun": WAVES, "rain": -WAVES}).write_csv(
        tmp_path / "series.csv"
    )
    facts = "task.kind=forecast task.outputs=2 data.modality=time_series data.inputs=2 data.sequence_length=6"
    plan = plan_of(
        facts, network_type="lstm", network_hidden_units=[4], training_batch_size=8, training_optimizer="adam"
    )
    project = generated(tmp_path / "project", plan)
    assert trained(project, tmp_path / "series.csv") == (16, 2)  # four gates of four units, sun and rain


def test_windows_longer_than_the_series_are_refused_in_plain_words(tmp_path: Path) -> None:
    polars.DataFrame({"sun": WAVES[:20]}).write_csv(tmp_path / "series.csv")
    facts = "task.kind=forecast task.outputs=2 data.modality=time_series data.inputs=1 data.sequence_length=30"
    project = generated(tmp_path / "project", plan_of(facts, network_type="lstm", network_hidden_units=[4]))
    with pytest.raises(SystemExit, match="too few for windows of 30: lower STEPS"):
        run(project, f"python train.py --data {tmp_path / 'series.csv'}")


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_sounds_in_folders(width: int, tmp_path: Path) -> None:
    for number in range(12):
        folder = tmp_path / "sounds" / ("low", "high")[number % 2]
        folder.mkdir(parents=True, exist_ok=True)
        with wave.open(str(folder / f"{number}.wav"), "wb") as sound:
            sound.setnchannels(2)
            sound.setsampwidth(width)
            sound.setframerate(8000)
            sound.writeframes(bytes(range(96)) * 2)
    facts = "task.kind=classify task.outputs=2 data.modality=audio data.inputs=8 data.sequence_length=10"
    plan = plan_of(
        facts, network_type="lstm", network_hidden_units=[4], training_batch_size=4, training_optimizer="adam",
        data_pipeline=[],
    )  # fmt: skip
    project = generated(tmp_path / "project", plan)
    assert trained(project, tmp_path / "sounds") == (16, 8)
