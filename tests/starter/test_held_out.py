"""Texts in folders are read, and every class has its share among the examples that are held out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy
import polars
import pytest
import torch

from advisor.starter.blueprint import Layout, Targets
from tests.starter.blueprints import blueprint, module, project
from tests.starter.projects import complaints, run

TOKENS = [
    ("cnn", Targets.CLASS),
    ("linear", Targets.CLASS),
    ("linear", Targets.NUMBERS),
    ("autoencoder", Targets.CLASS),
]


def texts(folder: Path) -> Path:
    """A folder of ten texts, with a folder in it for each of two classes, which are numbers, too."""
    for number in range(10):
        file = folder / ("1.5" if number % 2 else "3") / f"{number}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("bad bad weather" if number % 2 else "good news, good")
    return folder


@pytest.mark.parametrize(("network", "targets"), TOKENS)
def test_texts_lie_in_a_folder_for_each_class(network: str, targets: Targets, tmp_path: Path) -> None:
    folder = project(tmp_path / "project", blueprint(network, Layout.TOKENS, targets))
    data = module(folder, "data").load(texts(tmp_path / "texts"), 0)
    if network == "linear":
        names = data.kept["answers"]
        answers = [float(names[answer]) if names else answer for answer in data.targets]
        found = {(text[:3], answer) for text, answer in zip(data.inputs, answers, strict=True)}
        assert found == {("bad", 1.5), ("goo", 3.0)}
    else:
        assert (len(data.train), len(data.validation), data.outputs) == (7, 3, 2)
    run(folder, f"python train.py --data '{tmp_path / 'texts'}'{'' if network == 'linear' else ' --steps 2'}")
    assert complaints(folder) == ""


def test_lines_of_all_texts_of_a_folder_are_examples(tmp_path: Path) -> None:
    folder = project(tmp_path / "project", blueprint("transformer", Layout.TOKENS, Targets.NEXT_TOKEN))
    data = module(folder, "data").load(texts(tmp_path / "texts"), 0)
    assert len(data.train) + len(data.validation) == 10
    assert complaints(folder) == ""


@pytest.mark.parametrize(
    ("network", "targets"), [("cnn", Targets.CLASS), ("linear", Targets.CLASS), ("lstm", Targets.NEXT_TOKEN)]
)
def test_a_folder_without_texts_is_told(network: str, targets: Targets, tmp_path: Path) -> None:
    folder = project(tmp_path / "project", blueprint(network, Layout.TOKENS, targets))
    (tmp_path / "nothing").mkdir()
    with pytest.raises(SystemExit, match="There are no texts"):
        module(folder, "data").load(tmp_path / "nothing", 0)


KINDS = ["a"] * 60 + ["b"] * 30 + ["c"] * 10
"""Of which a fifth is held out: 12, 6 and 2."""


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("network", ["ffn", "linear"])
def test_of_each_class_of_a_table_the_same_share_is_held_out(network: str, seed: int, tmp_path: Path) -> None:
    polars.DataFrame({"size": range(100), "kind": KINDS}).write_csv(tmp_path / "table.csv")
    folder = project(tmp_path / "project", blueprint(network, Layout.TABLE, Targets.CLASS))
    data = module(folder, "data").load(tmp_path / "table.csv", seed)
    if network == "linear":
        assert Counter(data.kept["answers"][number] for number in data.targets[data.held_out]) == {
            "a": 12,
            "b": 6,
            "c": 2,
        }
        assert sorted([*data.known, *data.held_out]) == list(range(100)) == data.inputs["number 0"].to_list()
    else:
        assert Counter(int(kind) for _, kind in data.validation) == {0: 12, 1: 6, 2: 2}
        assert len(data.train) == 80
        sizes = torch.cat([data.train.tensors[0], data.validation.tensors[0]]).flatten()
        assert len(set(sizes.tolist())) == 100


@pytest.mark.parametrize(("layout", "network"), [(Layout.SERIES, "lstm"), (Layout.SERIES, "linear")])
def test_of_each_class_of_series_the_same_share_is_held_out(layout: Layout, network: str, tmp_path: Path) -> None:
    numpy.savez(tmp_path / "series.npz", x=numpy.ones((100, 4, 1)), y=numpy.array(KINDS))
    folder = project(tmp_path / "project", blueprint(network, layout, Targets.CLASS))
    data = module(folder, "data").load(tmp_path / "series.npz", 0)
    answers = data.targets[data.held_out] if network == "linear" else data.validation.tensors[1].numpy()
    assert sorted(Counter(answers.tolist()).values()) == [2, 6, 12]


@pytest.mark.parametrize(
    ("layout", "network"), [(Layout.PICTURE, "cnn"), (Layout.SOUND, "lstm"), (Layout.TOKENS, "cnn")]
)
def test_a_class_of_one_example_is_no_hindrance(layout: Layout, network: str, tmp_path: Path) -> None:
    folder = project(tmp_path / "project", blueprint(network, layout, Targets.CLASS))
    divided = module(folder, "data").divided
    known, new = divided(torch.tensor([0] * 9 + [1]), 0)
    assert (len(known), len(new)) == (7, 3)
    assert sorted([*known.tolist(), *new.tolist()]) == list(range(10))


@pytest.mark.parametrize(
    ("network", "steps"), [("diffusion", "step 200 of 200"), ("rbm", "step 1000 of 1000"), ("vae", "")]
)
def test_making_pictures_tells_how_far_it_is(network: str, steps: str, tmp_path: Path) -> None:
    folder = project(tmp_path / "project", blueprint(network, Layout.PICTURE, Targets.ITSELF))
    run(folder, "python train.py --steps 1")
    said = run(folder, "python generate.py --number 2")
    assert "Making 2 pictures" in said
    assert steps in said
    assert f"2 pictures in {folder / 'made'}" in said
