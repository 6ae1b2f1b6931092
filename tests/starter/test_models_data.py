"""Data readers of generated projects: pictures, masks, texts, trees and graphs as people keep them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy
import polars
import pytest
import torch
from PIL import Image

from advisor.starter.blueprint import Layout, Targets
from tests.starter.blueprints import blueprint, module, project
from tests.starter.projects import run


def picture(path: Path, grey: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(numpy.full((6, 9), grey, dtype=numpy.uint8)).save(path)


def test_pictures_lie_in_a_folder_for_each_class(tmp_path: Path) -> None:
    for number in range(10):
        picture(tmp_path / "data" / ("dark" if number % 2 else "light $(rm) {{ x }}") / f"{number}.png", 10 * number)
    (tmp_path / "data" / "notes.txt").write_text("no picture")
    folder = project(tmp_path / "project", blueprint("cnn", Layout.PICTURE, Targets.CLASS))
    data = module(folder, "data").load(tmp_path / "data", 0)
    assert (len(data.train), len(data.validation), data.outputs) == (7, 3, 2)
    assert {dots.shape for dots, _ in data.train} == {(1, 11, 11)}
    assert {(round(shade(dots)) // 10 % 2, int(target)) for dots, target in data.train} == {(1, 0), (0, 1)}
    run(folder, f"python train.py --steps 2 --data '{tmp_path / 'data'}'")


def shade(dots: torch.Tensor) -> float:
    return float(dots[0, 0, 0] * 127.5 + 127.5)


@pytest.mark.parametrize(
    ("targets", "names", "outputs", "first"),
    [
        (Targets.FLAGS, ["cat;dog", "dog", "bird"], 3, [0.0, 1.0, 1.0]),
        (Targets.FLAGS, ["yes", "no"], 1, [1.0]),
        (Targets.NUMBERS, ["3.5", "1.5"], 1, [3.5]),
    ],
)
def test_names_of_folders_may_be_several_classes_or_numbers(
    targets: Targets, names: list[str], outputs: int, first: list[float], tmp_path: Path
) -> None:
    folder = project(tmp_path / "project", blueprint("cnn", Layout.PICTURE, targets))
    answers, found = module(folder, "data").answers_of(names)
    assert len(found) == outputs
    assert answers[0].tolist() == pytest.approx(first)


def test_masks_are_named_as_their_pictures(tmp_path: Path) -> None:
    for number in range(6):
        picture(tmp_path / "data" / "pictures" / f"{number}.jpg", 40 * number)
        if number != 3:
            picture(tmp_path / "data" / "masks" / f"{number}.png", number % 3)
    folder = project(
        tmp_path / "project", blueprint("unet", Layout.PICTURE, Targets.MASK, augmentation=True, cached=True)
    )
    data = module(folder, "data").load(tmp_path / "data", 0)
    assert len(data.train) + len(data.validation) == 5
    for dots, mask in data.train:
        assert mask.shape == (11, 11)
        assert round(shade(dots) / 40) % 3 == mask[0, 0]


def test_a_mask_with_a_class_too_many_is_told(tmp_path: Path) -> None:
    picture(tmp_path / "mask.png", 3)
    folder = project(tmp_path / "project", blueprint("unet", Layout.PICTURE, Targets.MASK))
    with pytest.raises(ValueError, match=r"value 3, which stands for no class. In settings\.py, set OUTPUTS to 4"):
        module(folder, "data").mask_of(tmp_path / "mask.png")


def test_a_folder_without_pictures_is_told(tmp_path: Path) -> None:
    folder = project(tmp_path / "project", blueprint("cnn", Layout.PICTURE, Targets.CLASS))
    with pytest.raises(SystemExit, match="no pictures"):
        module(folder, "data").load(tmp_path, 0)


def test_a_picture_moves_together_with_its_mask(tmp_path: Path) -> None:
    folder = project(tmp_path / "project", blueprint("unet", Layout.PICTURE, Targets.MASK, augmentation=True))
    data = module(folder, "data")
    dots = torch.arange(121.0).view(1, 11, 11)
    moved, mask = data.Changed([(dots, dots[0].long())])[0]
    assert torch.equal(moved[0].long(), mask)


def test_texts_stand_in_the_column_with_the_longest_words(tmp_path: Path) -> None:
    table = {
        "id": ["a", "b", "c", "d", "e"],
        "text": ["Good, good!", "bad", "", None, "good bad"],
        "mark": list("+--+-"),
    }
    polars.DataFrame(table).write_csv(tmp_path / "texts.csv")
    folder = project(tmp_path / "project", blueprint("cnn", Layout.TOKENS, Targets.CLASS))
    data = module(folder, "data").load(tmp_path / "texts.csv", 0)
    assert (data.outputs, data.shape) == (2, (10,))
    rows = {tuple(steps.tolist()) for part in (data.train, data.validation) for steps, _ in part}
    assert (0,) * 10 in rows  # no text at all
    assert max(sum(step > 0 for step in row) for row in rows) == 4  # good , good !
    run(folder, f"python train.py --steps 2 --data '{tmp_path / 'texts.csv'}'")


def test_a_text_foretells_each_of_its_words_and_its_end(tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_text("one two three\n" * 5)
    folder = project(tmp_path / "project", blueprint("transformer", Layout.TOKENS, Targets.NEXT_TOKEN))
    inputs, targets = module(folder, "data").load(tmp_path / "texts.txt", 0).train[0]
    assert inputs.tolist() == [2, 3, 4, 5, 2, 0, 0, 0, 0, 0]
    assert targets.tolist() == [3, 4, 5, 2, 0, 0, 0, 0, 0, 0]


def test_an_autoencoder_sees_which_words_a_text_has(tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_text("one two one\n" * 5)
    folder = project(tmp_path / "project", blueprint("autoencoder", Layout.TOKENS, Targets.ITSELF))
    (bag,) = module(folder, "data").load(tmp_path / "texts.txt", 0).train[0]
    assert bag.tolist() == [0, 0, 1, 1]  # nothing, unknown, one, two


def test_trees_are_lines_of_json(tmp_path: Path) -> None:
    trees = [["+", 1, ["-", 2]], 7, ["+", 1, 2, 3], ["*", ["+", 1, 2], 7], 1]
    lines = [json.dumps({"tree": tree, "target": number % 2}) for number, tree in enumerate(trees)]
    (tmp_path / "trees.jsonl").write_text("\n".join(lines))
    folder = project(tmp_path / "project", blueprint("recursive", Layout.TREE, Targets.CLASS))
    reader = module(folder, "data")
    assert reader.nodes_of(trees[0]) == [("1", 0, 0), ("2", 0, 0), ("-", 2, 0), ("+", 1, 3)]
    assert reader.nodes_of(trees[2]) == [("1", 0, 0), ("2", 0, 0), ("+", 1, 2), ("3", 0, 0), ("+", 3, 4)]
    data = reader.load(tmp_path / "trees.jsonl", 0)
    assert (data.shape, data.outputs, data.vocabulary) == ((5, 3), 2, 8)
    run(folder, f"python train.py --steps 2 --data '{tmp_path / 'trees.jsonl'}'")


def test_a_graph_is_a_table_of_nodes_and_one_of_edges(tmp_path: Path) -> None:
    nodes = {"size": [1.0, 2.0, 3.0, None, 5.0, 6.0], "name": list("uvwxyz"), "group": ["a", "b", "a", None, "b", "a"]}
    polars.DataFrame(nodes).write_csv(tmp_path / "nodes.csv")
    polars.DataFrame({"from": [0, 1], "to": [1, 2]}).write_csv(tmp_path / "edges.csv")
    folder = project(tmp_path / "project", blueprint("gnn", Layout.GRAPH, Targets.CLASS))
    data = module(folder, "data").load(tmp_path, 0)
    assert data.edges.tolist() == [[0, 1, 1, 2], [1, 2, 0, 1]]
    assert (data.features.shape, data.outputs) == ((6, 1), 2)
    labelled = {int(node): int(group) for part in (data.train, data.validation) for node, group in part}
    assert labelled == {0: 0, 1: 1, 2: 0, 4: 1, 5: 0}  # the fourth node has no group
    run(folder, f"python train.py --steps 2 --data '{tmp_path}'")


def test_what_is_moved_never_comes_in_again_on_the_other_side(tmp_path: Path) -> None:
    """Of a picture whose left half is white, each moved one is white up to a column and black from there."""
    folder = project(tmp_path / "project", blueprint("cnn", Layout.PICTURE, Targets.CLASS, augmentation=True))
    data = module(folder, "data")
    half = torch.where(torch.arange(11) < 6, 1.0, -1.0).expand(1, 11, 11)
    for _ in range(40):
        moved, target = data.Changed([(half, 2)])[0]
        assert moved.shape == half.shape
        assert target == 2
        assert (moved[0].diff(dim=1) <= 0).all()
        assert moved[0, 0, 0] == 1
    assert "MIRROR = False" in (folder / "settings.py").read_text()
    mirrored = project(
        tmp_path / "other", blueprint("cnn", Layout.PICTURE, Targets.CLASS, augmentation=True, mirrors=True)
    )
    data = module(mirrored, "data")
    assert {data.Changed([(half, 2)])[0][0][0, 0, 0].item() for _ in range(40)} == {1.0, -1.0}
