"""Projects that give each pixel a class read images with masks as an inspection pairs them, and write masks."""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest
import torch
from PIL import Image

from advisor.datasets.inspect import inspect
from advisor.starter.planning import blueprint_of
from advisor.starter.project import refuse_unreadable
from tests.starter.blueprints import module, project
from tests.starter.projects import complaints, plan_of, run

LAYOUTS = {
    "two folders": ("images/{}.jpg", "masks/{}.png"),
    "other words": ("JPEGImages/{}.jpg", "SegmentationClass/{}.png"),
    "one folder": ("{}.png", "{}_mask.png"),
    "parts": ("train/images/{}.png", "train/labels/{}.png"),
}
VALUES = {"numbers": (0, 1, 2), "black and white": (0, 255), "void": (0, 1, 2, 255), "colours": (0, 0xFF0000, 0x00FF00)}


def scenes(folder: Path, layout: str = "two folders", values: str = "numbers") -> Path:
    """Twelve images of bright and dark squares, whose masks have one of the values for each brightness."""
    chance = numpy.random.default_rng(4)
    names = LAYOUTS[layout]
    for number in range(12):
        classes = chance.integers(0, len(VALUES[values]), (2, 2)).repeat(8, 0).repeat(8, 1)
        if number == 0:
            classes = numpy.arange(256).reshape(16, 16) % len(VALUES[values])  # each value stands in one at least
        mask = numpy.array(VALUES[values])[classes]
        if values == "colours":
            mask = numpy.stack([mask >> 16, mask >> 8 & 255, mask & 255], axis=-1)
        for name, pixels in zip(names, (classes * 80, mask), strict=True):
            file = folder / name.format(f"{number:02}")
            file.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(pixels.astype(numpy.uint8)).save(file)
    return folder


def planned(folder: Path, data: Path) -> Path:
    """The project of `advisor starter --data`."""
    found = inspect(data)
    assert found.facts["task.kind"] == "segment"
    known = [f"{name}={found.facts[name]}" for name in ("data.modality", "data.inputs", "task.kind", "task.outputs")]
    plan = plan_of(" ".join(known), network_type="unet", network_hidden_units=[4, 8], training_batch_size=4)
    made = blueprint_of(plan, data, inspection=found)
    refuse_unreadable(found, None, made)
    return project(folder, made)


@pytest.mark.parametrize(
    ("layout", "values"), [(layout, "numbers") for layout in LAYOUTS] + [("two folders", kind) for kind in VALUES]
)
def test_masks_are_read_and_written_in_their_own_values(layout: str, values: str, tmp_path: Path) -> None:
    data = scenes(tmp_path / "data", layout, values)
    folder = planned(tmp_path / "project", data)
    loaded = module(folder, "data").load(data, 0)
    assert len(loaded.train) + len(loaded.validation) == 12
    every = torch.cat([mask for part in (loaded.train, loaded.validation) for _, mask in part])
    found = sorted(set(every.flatten().tolist()))
    assert found == {"void": [-100, 0, 1, 2], "black and white": [0, 1]}.get(values, [0, 1, 2])
    run(folder, f"python train.py --data {data} --steps 2")
    said = run(folder, f"python predict.py --data {data}")
    assert said.startswith("12 masks are in predicted/masks: ")
    mask, overlay = (sorted((folder / "predicted" / kind).rglob("*.png")) for kind in ("masks", "overlays"))
    assert (len(mask), len(overlay)) == (12, 12)
    with Image.open(mask[0]) as image:
        assert image.size == (16, 16)
        pixels = numpy.asarray(image).astype(int)
    if values == "colours":
        pixels = (pixels[..., 0] * 256 + pixels[..., 1]) * 256 + pixels[..., 2]
    assert set(numpy.unique(pixels).tolist()) <= set(VALUES[values])
    with pytest.raises(SystemExit, match="is there already"):
        run(folder, f"python predict.py --data {data}")
    assert complaints(folder) == ""


def test_a_mask_of_an_unknown_value_is_named(tmp_path: Path) -> None:
    data = scenes(tmp_path / "data")
    folder = planned(tmp_path / "project", data)
    Image.fromarray(numpy.full((16, 16), 7, numpy.uint8)).save(data / "masks" / "03.png")
    with pytest.raises(ValueError, match=r"03\.png holds the value 7, which stands for no class"):
        module(folder, "data").mask_of(data / "masks" / "03.png")


@pytest.mark.parametrize(
    ("values", "odd", "change"),
    [
        ("numbers", 7, "MASK_VALUES = (0, 1, 2, 7)\nOUTPUTS = 4"),
        ("numbers", 7, "MASK_VALUES = None\nOUTPUTS = 8"),
        ("numbers", 7, "VOID = 7"),
        ("black and white", 128, "MASK_VALUES = (0, 128, 255)\nOUTPUTS = 3"),
    ],
)
def test_masks_are_checked_before_a_training_which_says_what_to_change(
    values: str, odd: int, change: str, tmp_path: Path
) -> None:
    data = scenes(tmp_path / "data", values=values)
    folder = planned(tmp_path / "project", data)
    line = f"python train.py --data {data} --steps 1"
    for name in ("03.png", "11.png"):
        Image.fromarray(numpy.full((16, 16), odd, numpy.uint8)).save(data / "masks" / name)
    with pytest.raises(SystemExit) as ended:
        run(folder, line)
    said = str(ended.value.code)
    assert f"03.png holds the value {odd}, which stands for no class. In settings.py, " in said
    assert all(f"{name} to" in said for name in ("OUTPUTS", "VOID") if name in change)
    assert said.endswith("2 of 12 masks have such a fault.")
    assert not (folder / "runs").exists()
    with (folder / "settings.py").open("a") as settings:
        settings.write(f"\n{change}\n")
    assert "step 1/1" in run(folder, line)


def test_a_mask_that_breaks_off_is_named_before_a_training(tmp_path: Path) -> None:
    data = scenes(tmp_path / "data")
    folder = planned(tmp_path / "project", data)
    noise = numpy.random.default_rng(0).integers(0, 3, (64, 64)).astype(numpy.uint8)
    mask = data / "masks" / "05.bmp"  # which Pillow verifies by its header alone
    mask.with_suffix(".png").unlink()
    Image.fromarray(noise).save(mask)
    module(folder, "data").load(data, 0)
    mask.write_bytes(mask.read_bytes()[:3000])
    with pytest.raises(SystemExit, match=r"05\.bmp cannot be read: .*Repair it"):
        module(folder, "data").load(data, 0)


def test_right_masks_are_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = scenes(tmp_path / "data")
    read = module(planned(tmp_path / "project", data), "data")
    read.load(data, 0)
    monkeypatch.setattr(read, "mask_of", lambda file: pytest.fail(f"{file} was opened again"))
    read.load(data, 0)
    monkeypatch.setattr(read.settings, "VOID", 9)
    with pytest.raises(pytest.fail.Exception, match="opened again"):
        read.load(data, 0)


def test_masks_that_are_read_are_never_replaced(tmp_path: Path) -> None:
    data = scenes(tmp_path / "data")
    folder = planned(tmp_path / "project", data)
    run(folder, f"python train.py --data {data} --steps 1")
    before = {path: path.read_bytes() for path in data.rglob("*.*")}
    for read, made in ((data, data), (data / "images", data), (data / "images" / "03.jpg", data), (data, data / "new")):
        with pytest.raises(SystemExit, match="is, holds or lies in what is read: name another folder with --output"):
            run(folder, f"python predict.py --data {read} --output {made} --force")
    assert before == {path: path.read_bytes() for path in data.rglob("*.*")}


def test_images_that_differ_in_their_endings_alone_have_a_mask_each(tmp_path: Path) -> None:
    data, new = scenes(tmp_path / "data"), tmp_path / "new"
    folder = planned(tmp_path / "project", data)
    run(folder, f"python train.py --data {data} --steps 1")
    new.mkdir()
    for name in ("1.jpg", "1.bmp"):
        Image.new("L", (16, 16)).save(new / name)
    run(folder, f"python predict.py --data {new}")
    for kind in ("masks", "overlays"):
        assert sorted(path.name for path in (folder / "predicted" / kind).iterdir()) == ["1.bmp.png", "1.jpg.png"]


def test_a_single_image_gets_a_mask_of_its_size(tmp_path: Path) -> None:
    data = scenes(tmp_path / "data")
    folder = planned(tmp_path / "project", data)
    run(folder, f"python train.py --data {data} --steps 1")
    Image.new("L", (50, 30)).save(tmp_path / "new.png")
    run(folder, f"python predict.py --data {tmp_path / 'new.png'} --output one")
    with Image.open(folder / "one" / "masks" / "new.png") as mask:
        assert mask.size == (50, 30)


def test_a_folder_without_masks_is_told(tmp_path: Path) -> None:
    folder = planned(tmp_path / "project", scenes(tmp_path / "data"))
    (tmp_path / "other").mkdir()
    Image.new("L", (5, 5)).save(tmp_path / "other" / "a.png")
    with pytest.raises(SystemExit, match="no images with masks"):
        run(folder, f"python train.py --data {tmp_path / 'other'}")
