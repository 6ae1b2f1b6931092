"""Projects read the arrays that they were made for, and refuse data that they do not read when they are generated."""

from __future__ import annotations

from pathlib import Path

import numpy
import polars
import pytest
import torch

from advisor.datasets.inspect import inspect
from advisor.errors import InputError
from advisor.starter.blueprint import Blueprint, Layout, Targets
from advisor.starter.planning import blueprint_of
from advisor.starter.project import refuse_unreadable
from tests.starter.blueprints import blueprint, module, project
from tests.starter.projects import answer_column, complaints, plan_of, run

CHANCE = numpy.random.default_rng(3)
ANSWERS = numpy.arange(30) % 3
TWO = CHANCE.normal(size=(30, 2))


def planned(data: Path, network: str) -> Blueprint:
    """The blueprint of `advisor starter --data`."""
    found = inspect(data)
    told = [
        f"{name}={str(value).lower()}"
        for name, value in found.facts.items()
        if name.startswith(("data.m", "data.i", "task."))
    ]
    plan = plan_of(" ".join(told), network_type=network, network_hidden_units=[4], training_batch_size=8)
    made = blueprint_of(plan, data, inspection=found)
    refuse_unreadable(found, None, made)
    return made


PICTURES = {
    "grey": CHANCE.integers(0, 256, (30, 9, 9), numpy.uint8),
    "digits": CHANCE.integers(0, 17, (30, 8, 8)).astype(float),
    "coloured": CHANCE.integers(0, 256, (30, 9, 9, 3), numpy.uint8),
    "channels first": CHANCE.random((30, 3, 9, 9), numpy.float32),
    "transparent": CHANCE.integers(0, 256, (30, 9, 9, 4), numpy.uint8),
}


@pytest.mark.parametrize("network", ["cnn", "linear"])
@pytest.mark.parametrize("kind", PICTURES)
def test_pictures_in_npz(kind: str, network: str, tmp_path: Path) -> None:
    """The names are neither x nor y, and another array lies beside them."""
    pictures = PICTURES[kind]
    spare, names = numpy.ones((3, 3, 3)), numpy.array(["a", "b", "c"])
    numpy.savez(tmp_path / "data.npz", images=pictures, labels=ANSWERS, spare=spare, names=names)
    folder = project(tmp_path / "project", planned(tmp_path / "data.npz", network))
    run(folder, f"python train.py --data {tmp_path / 'data.npz'}{' --steps 2' if network == 'cnn' else ''}")
    numpy.savez(tmp_path / "new.npz", images=pictures[:4])
    run(folder, f"python predict.py --data {tmp_path / 'new.npz'}")
    found = polars.read_csv(folder / "predictions.csv")
    assert found.columns == ["row", "labels", "p_0", "p_1", "p_2"]
    assert set(answer_column(found).cast(str)) <= {"0", "1", "2"}
    assert complaints(folder) == ""


def test_pixels_have_the_same_brightness_as_in_a_file(tmp_path: Path) -> None:
    folder = project(tmp_path / "project", blueprint("cnn", Layout.PICTURE, Targets.CLASS))
    data = module(folder, "data")
    white, black = (data.picture_of(numpy.full((11, 11), value, numpy.uint8), 255.0) for value in (255, 0))
    assert torch.equal(white, torch.ones(1, 11, 11))
    assert torch.equal(black, -torch.ones(1, 11, 11))
    wide = data.picture_of(numpy.full((5, 20, 3), 8.0), 16.0)
    assert wide.shape == (1, 11, 11)
    assert wide.abs().max() < 1e-6


def test_series_in_npz_under_other_names(tmp_path: Path) -> None:
    series = CHANCE.normal(size=(30, 12, 2))
    numpy.savez(tmp_path / "data.npz", signals=series, kinds=ANSWERS, spare=numpy.ones(4))
    for network in ("lstm", "linear"):
        folder = project(tmp_path / network, planned(tmp_path / "data.npz", network))
        run(folder, f"python train.py --data {tmp_path / 'data.npz'}{' --steps 2' if network == 'lstm' else ''}")
        run(folder, f"python predict.py --data {tmp_path / 'data.npz'}")
        assert "kinds" in polars.read_csv(folder / "predictions.csv").columns
        assert complaints(folder) == ""


def test_a_table_in_npz_beside_other_arrays(tmp_path: Path) -> None:
    numpy.savez(
        tmp_path / "data.npz", data=CHANCE.normal(size=(30, 4)), target=ANSWERS, names=numpy.array(list("abcd"))
    )
    for network in ("ffn", "linear"):
        folder = project(tmp_path / network, planned(tmp_path / "data.npz", network))
        run(folder, f"python train.py --data {tmp_path / 'data.npz'}{' --steps 2' if network == 'ffn' else ''}")
        run(folder, f"python predict.py --data {tmp_path / 'data.npz'}")
        assert polars.read_csv(folder / "predictions.csv").columns == ["row", "target", "p_0", "p_1", "p_2"]


SHAPES = {"images": (30, 9, 9, 3), "series": (30, 5, 2), "rows": (30, 4)}
ONE_HOT = numpy.eye(3)[ANSWERS]


@pytest.mark.parametrize("network", ["cnn", "linear"])
@pytest.mark.parametrize(("kind", "dtype"), [("images", "int64"), ("series", "bool"), ("rows", "float32")])
def test_rows_with_a_single_one_are_classes(kind: str, dtype: str, network: str, tmp_path: Path) -> None:
    """The project learns the same from them as from the numbers of the classes."""
    data = CHANCE.normal(size=SHAPES[kind])
    numpy.savez(tmp_path / "rows.npz", data=data, labels=ONE_HOT.astype(dtype))
    numpy.savez(tmp_path / "numbers.npz", data=data, labels=ANSWERS)
    model = "ffn" if kind == "rows" and network == "cnn" else network
    folder = project(tmp_path / "project", planned(tmp_path / "rows.npz", model))
    for name in ("rows", "numbers"):
        few = "" if model == "linear" else " --steps 2"
        run(folder, f"python train.py --data {tmp_path / name}.npz{few} --output {name}")
        weights = f"--model {name}/model.skops" if model == "linear" else f"--weights {name}/best.pt"
        run(folder, f"python predict.py --data {tmp_path / name}.npz {weights} --output {name}.csv")
    assert (folder / "rows.csv").read_bytes() == (folder / "numbers.csv").read_bytes()
    assert polars.read_csv(folder / "rows.csv").columns == ["row", "labels", "p_0", "p_1", "p_2"]
    assert complaints(folder) == ""


@pytest.mark.parametrize("network", ["cnn", "linear"])
@pytest.mark.parametrize("kind", SHAPES)
def test_other_targets_than_one_for_each_example_are_refused_before_a_training(
    kind: str, network: str, tmp_path: Path
) -> None:
    data = CHANCE.normal(size=SHAPES[kind])
    numpy.savez(tmp_path / "data.npz", data=data, labels=ANSWERS)
    model = "ffn" if kind == "rows" and network == "cnn" else network
    folder = project(tmp_path / "project", planned(tmp_path / "data.npz", model))
    for labels in (1 - ONE_HOT, TWO, ANSWERS[:20], numpy.array(1), ONE_HOT[:20]):
        numpy.savez(tmp_path / "other.npz", data=data, labels=labels)
        with pytest.raises(SystemExit) as refusal:
            run(folder, f"python train.py --data {tmp_path / 'other.npz'}")
        assert str(refusal.value).startswith(
            ("There are 30 examples and targets of", "There is no column 'labels'")
        ) or ("cannot be read as a table" in str(refusal.value))


@pytest.mark.parametrize(
    ("arrays", "facts", "what"),
    [
        ({"images": PICTURES["grey"]}, "task.kind=classify data.modality=image task.outputs=3", "no array says"),
        ({"x": PICTURES["grey"], "y": ANSWERS}, "task.kind=segment data.modality=image task.outputs=3", "no masks"),
        ({"x": PICTURES["grey"], "y": ANSWERS}, "task.kind=classify data.modality=audio task.outputs=3", "for audio"),
        ({"x": PICTURES["grey"], "y": ANSWERS}, "task.kind=classify data.modality=text task.outputs=3", "for texts"),
        ({"x": CHANCE.normal(size=(30, 9, 2)), "y": ANSWERS}, "task.kind=forecast data.modality=time_series", "many series"),
        *[
            ({"x": CHANCE.normal(size=shape), "y": several}, f"task.kind={task} data.modality={modality}", "several")
            for shape, modality in (((30, 9), "tabular"), ((30, 9, 9), "image"), ((30, 9, 2), "time_series"))
            for several, task in (
                (TWO, "regress"), (1 - ONE_HOT, "classify task.outputs=3 task.multilabel=true"),
                (ONE_HOT[:, :2] > 0, "classify task.outputs=2 task.multilabel=true"), (3 * ONE_HOT, "regress"),
            )
        ],
    ],
)  # fmt: skip
def test_what_the_project_would_not_read_is_refused(
    arrays: dict[str, numpy.ndarray], facts: str, what: str, tmp_path: Path
) -> None:
    numpy.savez(tmp_path / "data.npz", allow_pickle=True, **arrays)
    found = inspect(tmp_path / "data.npz")
    made = blueprint_of(plan_of(facts), tmp_path / "data.npz", inspection=found)
    with pytest.raises(InputError) as refusal:
        refuse_unreadable(found, None, made)
    (problem,) = refusal.value.problems
    assert (what in problem.what, problem.where) == (True, str(tmp_path / "data.npz")), problem
    assert problem.remedy


def test_words_in_bytes_are_read_in_utf_8(tmp_path: Path) -> None:
    words = numpy.array([word.encode() for word in ("grün", "grän")])[numpy.arange(30) % 2]
    numpy.savez(tmp_path / "data.npz", data=CHANCE.normal(size=(30, 4)), target=words)
    folder = project(tmp_path / "project", planned(tmp_path / "data.npz", "linear"))
    run(folder, f"python train.py --data {tmp_path / 'data.npz'}")
    run(folder, f"python predict.py --data {tmp_path / 'data.npz'}")
    assert {"p_grün", "p_grän"} < set(polars.read_csv(folder / "predictions.csv").columns)


@pytest.mark.parametrize("network", ["cnn", "linear"])
@pytest.mark.parametrize("shape", [(30, 9, 9), (30, 5, 2), (30, 4)])
def test_arrays_with_words_for_missing_classes(shape: tuple[int, ...], network: str, tmp_path: Path) -> None:
    """None is a class of its own here; rows without one are left out, as trials leave them out."""
    words = numpy.array([("Apnea", "None", "")[n % 3] for n in range(30)])
    numpy.savez(tmp_path / "data.npz", data=CHANCE.normal(size=shape), target=words)
    model = "ffn" if len(shape) == 2 and network == "cnn" else network
    made = planned(tmp_path / "data.npz", model)
    assert made.target_words == ("None",)
    folder = project(tmp_path / "project", made)
    run(folder, f"python train.py --data {tmp_path / 'data.npz'}{' --steps 2' if model != 'linear' else ''}")
    run(folder, f"python predict.py --data {tmp_path / 'data.npz'}")
    found = polars.read_csv(folder / "predictions.csv")
    assert [name for name in found.columns if name.startswith("p_")] == ["p_Apnea", "p_None"]
    assert len(found) == 30
    assert complaints(folder) == ""


@pytest.mark.parametrize("network", ["cnn", "linear"])
def test_missing_targets_of_numbers_are_left_out(network: str, tmp_path: Path) -> None:
    gaps = numpy.where(numpy.arange(30) % 3 == 0, numpy.nan, numpy.arange(30.0))
    numpy.savez(tmp_path / "data.npz", images=PICTURES["grey"], target=gaps)
    folder = project(tmp_path / "project", planned(tmp_path / "data.npz", network))
    pictures, answers = module(folder, "data").pictures_in(tmp_path / "data.npz")
    assert (len(pictures), answers) == (20, [float(n) for n in range(30) if n % 3])


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("table.npz", "it holds something else. Arrays are saved with numpy.savez"),
        ("empty.npy", "it holds something else"),
        ("objects.npz", "it holds Python objects"),
    ],
)
@pytest.mark.parametrize("shape", [(30, 9, 9), (30, 5, 2), (30, 4)])
def test_other_files_are_refused_in_words_for_people(
    shape: tuple[int, ...], name: str, why: str, tmp_path: Path
) -> None:
    numpy.savez(tmp_path / "data.npz", data=CHANCE.normal(size=shape), target=ANSWERS)
    (tmp_path / "table.npz").write_text("a,b\n1,2\n")
    (tmp_path / "empty.npy").touch()
    numpy.savez(tmp_path / "objects.npz", data=numpy.array([None, "a"]), target=ANSWERS)
    folder = project(tmp_path / "project", planned(tmp_path / "data.npz", "linear"))
    with pytest.raises(SystemExit) as refusal:
        run(folder, f"python train.py --data {tmp_path / name}")
    assert why in str(refusal.value)
    assert "pickle" not in str(refusal.value)
