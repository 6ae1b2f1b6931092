"""A file has the class that trials on the same folder give it, however deep it lies."""

from __future__ import annotations

import wave
from collections.abc import Callable
from pathlib import Path

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from advisor.datasets.inspect import inspect
from advisor.datasets.media.folder_labels import labels_of
from advisor.errors import InputError
from advisor.starter.blueprint import Layout, Targets
from advisor.starter.project import refuse_unreadable
from tests.starter.blueprints import blueprint, module, project


@pytest.mark.parametrize(
    ("names", "labels", "divisions"),
    [
        (["cat/1.png", "dog/1.png"], ["cat", "dog"], []),
        (["train/cat/1.png", "test/dog/1.png"], ["cat", "dog"], ["test", "train"]),
        (["data/cat/1.png", "data/dog/1.png"], ["cat", "dog"], []),
        (["cat/left/1.png", "cat/2.png", "dog/right/far/3.png"], ["cat", "cat", "dog"], []),
        (["cat/1.png", "2.png"], ["cat", ""], []),
        (["1.png", "2.png"], ["", ""], []),
    ],
)
def test_classes_follow_from_folders(names: list[str], labels: list[str], divisions: list[str]) -> None:
    assert labels_of(names) == (labels, divisions)


@given(st.lists(st.sampled_from(["cat", "dog", "cow"]), min_size=1), st.data())
def test_folders_below_those_of_classes_change_nothing(labels: list[str], data: st.DataObject) -> None:
    below = data.draw(st.lists(st.sampled_from(["", "a/", "a/b/"]), min_size=len(labels), max_size=len(labels)))
    names = [f"{label}/{deep}{number}.png" for number, (label, deep) in enumerate(zip(labels, below, strict=True))]
    if min(below) == "" or len(set(labels)) > 1:
        assert labels_of(names) == (labels, [])


def picture(file: Path) -> None:
    Image.fromarray(numpy.full((8, 8), 90, numpy.uint8)).save(file)


def sound(file: Path) -> None:
    with wave.open(str(file), "wb") as made:
        made.setparams((1, 2, 8000, 0, "NONE", ""))
        made.writeframes(bytes(1800))


def text(file: Path) -> None:
    file.write_text("good news and sun")


@pytest.mark.parametrize("network", ["transformer", "gradient_boosting"])
@pytest.mark.parametrize(
    ("layout", "suffix", "write"),
    [(Layout.PICTURE, "png", picture), (Layout.SOUND, "wav", sound), (Layout.TOKENS, "txt", text)],
)
def test_projects_take_the_same_classes(
    network: str, layout: Layout, suffix: str, write: Callable[[Path], None], tmp_path: Path
) -> None:
    names = [
        f"{label}/{deep}{number}.{suffix}" for label in ("cat", "dog") for deep in ("", "left/") for number in (1, 2, 3)
    ]
    for name in [*names, f"0.{suffix}"]:  # the last one has no class
        (tmp_path / "data" / name).parent.mkdir(parents=True, exist_ok=True)
        write(tmp_path / "data" / name)
    folder = project(tmp_path / "project", blueprint(network, layout, Targets.CLASS))
    data = module(folder, "data").load(tmp_path / "data", 0)
    assert data.kept["answers"] == ["cat", "dog"]
    examples = len(data.train) + len(data.validation) if network == "transformer" else len(data.inputs)
    assert examples == len(names)


def test_a_folder_without_classes_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    picture(tmp_path / "data" / "1.png")
    folder = project(tmp_path / "project", blueprint("cnn", Layout.PICTURE, Targets.CLASS))
    with pytest.raises(SystemExit, match="has no folder for each class"):
        module(folder, "data").load(tmp_path / "data", 0)


def test_a_project_that_would_learn_from_classes_is_refused_where_there_are_none(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for number in range(5):
        picture(tmp_path / "data" / f"{number}.png")
    found = inspect(tmp_path / "data")
    with pytest.raises(InputError, match="no folders divide these files into classes"):
        refuse_unreadable(found, None, blueprint("cnn", Layout.PICTURE, Targets.CLASS))
    refuse_unreadable(found, None, blueprint("autoencoder", Layout.PICTURE, Targets.ITSELF))
