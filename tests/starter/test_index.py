"""A folder of images is looked at once, by one process, and again only where a file has changed."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from PIL import Image

from advisor.starter.blueprint import Layout, Targets
from advisor.starter.planning import blueprint_of
from tests.starter.blueprints import blueprint, module, project
from tests.starter.projects import plan_of, run, with_advice

KINDS = (".png", ".jpg")


@pytest.fixture
def index(tmp_path: Path) -> ModuleType:
    return module(project(tmp_path / "project", blueprint("cnn", Layout.PICTURE, Targets.CLASS)), "index")


@pytest.fixture
def images(tmp_path: Path) -> Path:
    for number in range(8):
        file = tmp_path / "images" / "ab"[number % 2] / f"{number}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.new("L", (4, 4), 20 * number).save(file)
    (tmp_path / "images" / "a" / "notes.txt").write_text("no image")
    return tmp_path / "images"


class Looks:
    """Tells whether a file is an image, and remembers which it was asked for."""

    def __init__(self) -> None:
        self.opened: list[str] = []

    def __call__(self, file: Path) -> bool:
        self.opened.append(file.name)
        return file.read_bytes().startswith(b"\x89PNG")


def names(files: list[Path]) -> list[str]:
    return [file.name for file in files]


def test_files_are_opened_once_and_again_when_they_change(index: ModuleType, images: Path) -> None:
    look = Looks()
    first = index.whole_files(images, KINDS, look, "picture")
    assert names(first) == ["0.png", "2.png", "4.png", "6.png", "1.png", "3.png", "5.png", "7.png"]
    assert first == sorted(first)
    assert sorted(look.opened) == [f"{number}.png" for number in range(8)]

    look.opened.clear()
    assert index.whole_files(images, KINDS, look, "picture") == first
    assert look.opened == []

    changed, gone, new = images / "a" / "2.png", images / "b" / "3.png", images / "b" / "9.png"
    Image.new("L", (9, 9)).save(changed)
    os.utime(changed, ns=(1, 1))
    gone.unlink()
    Image.new("L", (4, 4)).save(new)
    now = names(index.whole_files(images, KINDS, look, "picture"))
    assert now == [f"{number}.png" for number in (0, 2, 4, 6, 1, 5, 7, 9)]
    assert sorted(look.opened) == ["2.png", "9.png"]


def test_broken_files_are_named_every_time_and_nothing_is_written_among_the_data(
    index: ModuleType, images: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (images / "a" / "4.png").write_bytes(b"broken")
    before = sorted(images.rglob("*"))
    for _ in range(2):
        assert "4.png" not in names(index.whole_files(images, KINDS, Looks(), "picture"))
        said = capsys.readouterr().err
        assert "1 of 8 files cannot be read as pictures and are left out, such as " in said
        assert str(images / "a" / "4.png") in said
    assert sorted(images.rglob("*")) == before
    (kept,) = (tmp_path / "project" / "index").iterdir()
    assert kept.suffix == ".tsv"


@pytest.mark.parametrize("damage", ["", "no columns\n", "1 2\twhole\n", "\udcff\n"])
def test_a_damaged_list_is_made_anew(index: ModuleType, images: Path, tmp_path: Path, damage: str) -> None:
    first = index.whole_files(images, KINDS, Looks(), "picture")
    (kept,) = (tmp_path / "project" / "index").iterdir()
    kept.write_text(damage, errors="surrogateescape")
    look = Looks()
    assert index.whole_files(images, KINDS, look, "picture") == first
    assert len(look.opened) == 8


def test_a_project_that_cannot_be_written_to_works(index: ModuleType, images: Path, tmp_path: Path) -> None:
    (tmp_path / "project" / "index").write_text("in the way")
    assert len(index.whole_files(images, KINDS, Looks(), "picture")) == 8


def test_where_nothing_is_whole_it_ends_with_the_reason(index: ModuleType, images: Path, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="None of these files can be read as a picture"):
        index.whole_files(images, KINDS, lambda _: False, "picture")
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "empty", tmp_path / "missing"):
        with pytest.raises(SystemExit, match="There are no pictures in"):
            index.whole_files(folder, KINDS, Looks(), "picture")


@pytest.mark.parametrize("odd", ["to nothing", "to itself", "to a folder", "pipe"])
def test_what_is_no_file_is_named_and_costs_itself_alone(
    index: ModuleType, images: Path, capsys: pytest.CaptureFixture[str], odd: str
) -> None:
    link = images / "a" / "9.png"
    if odd == "pipe":
        os.mkfifo(link)
    else:
        link.symlink_to({"to nothing": "gone.png", "to itself": "9.png", "to a folder": images / "b"}[odd])
    assert len(index.whole_files(images, KINDS, Looks(), "picture")) == 8
    assert f"1 of 9 files cannot be read as pictures and are left out, such as {link}." in capsys.readouterr().err
    link.unlink()
    Image.new("L", (4, 4)).save(link)
    assert "9.png" in names(index.whole_files(images, KINDS, Looks(), "picture"))


def test_a_folder_that_cannot_be_opened_is_named(
    index: ModuleType, images: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    usual, closed = os.scandir, {"a"}

    def refused(folder: Path) -> Any:
        if Path(folder).name in closed:
            raise PermissionError(13, "Permission denied", str(folder))
        return usual(folder)

    monkeypatch.setattr(os, "scandir", refused)
    assert names(index.whole_files(images, KINDS, Looks(), "picture")) == ["1.png", "3.png", "5.png", "7.png"]
    assert (
        f"1 of 5 files cannot be read as pictures and are left out, such as {images / 'a'}/." in capsys.readouterr().err
    )
    closed.add(images.name)
    with pytest.raises(SystemExit, match="images cannot be read: Permission denied"):
        index.whole_files(images, KINDS, Looks(), "picture")


def test_a_link_to_nothing_does_not_end_a_training(packing: Path, images: Path, tmp_path: Path) -> None:
    (images / "a" / "9.png").symlink_to("gone.png")
    assert "step 2/2" in run(packing, f"python train.py --data {images} --steps 2 --batch-size 2")


# --- shards ------------------------------------------------------------------------------------------------


@pytest.fixture
def packing(tmp_path: Path) -> Path:
    return project(tmp_path / "packing", blueprint("cnn", Layout.PICTURE, Targets.CLASS, packed=True))


def test_images_of_shards_are_those_of_the_folder(packing: Path, images: Path, tmp_path: Path) -> None:
    said = run(packing, f"python shard.py --data {images} --output {tmp_path / 'shards'} --megabytes 1")
    assert "8 images in 1 files" in said
    data = module(packing, "data")
    for place in (None, str(tmp_path / "local")):
        data.settings.COPY_TO = place
        packed, plain = data.files_in(tmp_path / "shards"), data.files_in(images)
        by_name = {file.relative_to(images).as_posix(): file for file in plain}
        assert {file.name for file in packed} == set(by_name)
        for file in packed:
            assert file.open().read() == by_name[file.name].read_bytes()
            assert file.parent.name == by_name[file.name].parent.name
            assert torch.equal(data.picture_of(file, 255.0), data.picture_of(by_name[file.name], 255.0))
    with tarfile.open(tmp_path / "shards" / "shard-00000.tar") as shard:
        assert sorted(shard.getnames()) == sorted(by_name), "other programs read them, too"
    assert (tmp_path / "local" / "shard-00000.tar").exists()


def test_a_network_learns_from_shards(packing: Path, images: Path, tmp_path: Path) -> None:
    run(packing, f"python shard.py --data {images} --output {tmp_path / 'shards'}")
    assert "step 2/2" in run(packing, f"python train.py --data {tmp_path / 'shards'} --steps 2 --batch-size 2")
    with pytest.raises(SystemExit, match="is there already"):
        run(packing, f"python shard.py --data {images} --output {tmp_path / 'shards'}")


@pytest.mark.parametrize(
    "damage", ["no columns\n", "", "shard-00000.tar\t0\tmany\ta/1.png\n", "other.tar\t0\t1\ta/1.png\n"]
)
def test_damaged_shards_are_named_with_a_remedy(packing: Path, images: Path, tmp_path: Path, damage: str) -> None:
    run(packing, f"python shard.py --data {images} --output {tmp_path / 'shards'}")
    (tmp_path / "shards" / "places.tsv").write_text(damage)
    with pytest.raises(SystemExit, match=r"run shard\.py again"):
        module(packing, "data").files_in(tmp_path / "shards")


def test_a_shard_that_was_cut_off_is_named(packing: Path, images: Path, tmp_path: Path) -> None:
    run(packing, f"python shard.py --data {images} --output {tmp_path / 'shards'}")
    (tmp_path / "shards" / "shard-00000.tar").write_bytes(b"short")
    with pytest.raises(OSError, match="copy it again"):
        module(packing, "data").files_in(tmp_path / "shards")[0].open()


@pytest.mark.parametrize(
    ("modality", "advice", "packed", "told"),
    [
        ("image", {"data_pipeline": ["shard", "local_copy"]}, True, ""),
        ("image", {"storage": "sharded_files"}, True, ""),
        ("image", {"data_pipeline": ["local_copy"]}, False, "a copy on a disk of each machine"),
        ("audio", {"data_pipeline": ["shard"]}, False, "a few large files"),
    ],
)
def test_shards_are_packed_where_the_plan_says_so(
    modality: str, advice: dict[str, Any], packed: bool, told: str
) -> None:
    facts = f"task.kind=classify task.outputs=3 data.modality={modality} data.inputs=784 data.examples=400"
    plan = plan_of(facts, network_type="cnn", **({} if "storage" in advice else advice))
    plan = with_advice(plan, {"storage": advice["storage"]}) if "storage" in advice else plan
    made = blueprint_of(plan)
    assert made.packed is packed
    said = [difference for difference in made.differences if difference.startswith("Data:")]
    assert (told in " ".join(said)) if told else said == []
