"""Images beside masks are a task of segmentation, whatever the folders are called; folders of classes stay classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from advisor.datasets.dataset import Inspection, Task, Weight
from advisor.datasets.inspect import inspect
from advisor.datasets.media.mask_folders import MasksReading
from advisor.datasets.media.pairs import pair_masks
from advisor.errors import InputError
from tests.datasets.made import load_data

DRAW = numpy.random.default_rng(3)
NUMBERS = [f"{number:03}" for number in range(6)]


def photo(side: int = 24) -> Image.Image:
    return Image.fromarray(DRAW.integers(0, 256, (side, side, 3), dtype=numpy.uint8))


def mask(values: Iterable[int] = (0, 1), side: int = 24) -> Image.Image:
    """Stripes of the values, in grey."""
    found = numpy.array(list(values), numpy.uint8)
    return Image.fromarray(numpy.repeat(found[numpy.arange(side) % len(found)][:, None], side, axis=1))


def save(folder: Path, images: dict[str, Image.Image]) -> Path:
    for name, image in images.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        image.save(folder / name)
    return folder


def pairs(folder: Path, image: str, mask_: str, made: Callable[[], Image.Image] = mask, **options: Any) -> Path:
    """Images and masks by these patterns of names; `{}` is a number."""
    for number in NUMBERS:
        save(folder, {image.format(number): photo()})
        path = folder / mask_.format(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        made().save(path, **options)
    return folder


def said(found: Inspection) -> str:
    return " ".join(f"{remark.what} {remark.remedy}" for remark in found.remarks)


LAYOUTS = {
    "images and masks": ("images/{}.png", "masks/{}.png"),
    "short names": ("imgs/{}.jpg", "labels/{}.png"),
    "Pascal VOC": ("JPEGImages/{}.jpg", "SegmentationClass/{}.png"),
    "inside the splits": ("train/images/{}.png", "train/masks/{}.png"),
    "around the splits": ("images/val/{}.png", "annotations/val/{}.png"),
    "one word": ("train_images/{}.png", "train_masks/{}.png"),
    "CamVid": ("train/{}.png", "trainannot/{}.png"),
    "Carvana": ("train/{}_01.jpg", "train_masks/{}_01_mask.gif"),
    "beside each other": ("img_{}.png", "img_{}_mask.png"),
    "ISIC": ("ISIC_{}.jpg", "ISIC_{}_segmentation.png"),
    "satellites": ("data/{}_sat.jpg", "data/{}_mask.png"),
    "two words": ("Image/{}.jpg", "Ground Truth/{}.png"),
    "prefixes": ("images/img_{}.png", "masks/mask_{}.png"),
    "another suffix": ("images/{}.png", "labels/{}_L.png"),
    "DRIVE": ("images/{}_training.tif", "1st_manual/{}_manual1.gif"),
    "trimaps": ("images/{}.jpg", "annotations/trimaps/{}.png"),
    "Cityscapes": ("leftImg8bit/train/ulm/{}_leftImg8bit.png", "gtFine/train/ulm/{}_gtFine_labelIds.png"),
    "a folder around": ("data/all/images/{}.png", "data/all/masks/{}.png"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_images_beside_masks_are_a_task_of_segmentation(layout: str, tmp_path: Path) -> None:
    found = inspect(pairs(tmp_path, *LAYOUTS[layout]))
    assert found.task is Task.SEGMENT
    assert found.facts["task.kind"] == "segment"
    assert found.facts["data.examples"] == found.examples == 6
    assert found.facts["task.outputs"] == 2
    assert found.facts["data.inputs"] == 3 * 24 * 24
    assert found.classes == ("0", "1")
    assert "6 images have a mask each" in said(found)
    assert isinstance(found.reading, MasksReading)
    assert found.reading.images == Path(LAYOUTS[layout][0]).parent.as_posix()
    assert found.reading.masks == Path(LAYOUTS[layout][1]).parent.as_posix()


def test_masks_of_classes_come_before_those_of_things_and_colors(tmp_path: Path) -> None:
    folder = pairs(tmp_path, "leftImg8bit/{}_leftImg8bit.png", "gtFine/{}_gtFine_labelIds.png")
    for number in NUMBERS:
        save(
            folder,
            {f"gtFine/{number}_gtFine_color.png": photo(), f"gtFine/{number}_gtFine_instanceIds.png": mask(range(20))},
        )
    found = inspect(folder)
    assert (found.task, found.classes) == (Task.SEGMENT, ("0", "1"))


def palette() -> Image.Image:
    image = mask((0, 1, 2, 3, 255)).convert("L")
    colors = Image.fromarray(numpy.asarray(image), "P")
    colors.putpalette([value for number in range(256) for value in (number, 255 - number, 40)])
    return colors


def colored(*colors: tuple[int, int, int]) -> Callable[[], Image.Image]:
    rows = numpy.array(colors, numpy.uint8)
    return lambda: Image.fromarray(numpy.repeat(rows[numpy.arange(24) % len(rows)][:, None], 24, axis=1))


@pytest.mark.parametrize(
    ("made", "classes", "void"),
    [
        (lambda: mask((0, 255)), ("0", "255"), None),
        (lambda: mask((0, 255)).convert("1"), ("0", "255"), None),
        (lambda: mask((0, 255)).convert("RGB"), ("0", "255"), None),
        (lambda: mask((0, 128, 255)), ("0", "128", "255"), None),
        (lambda: mask((1, 2, 3)), ("1", "2", "3"), None),
        (lambda: mask((0, 1, 2, 255)), ("0", "1", "2"), 255),
        (lambda: mask(range(24)), tuple(map(str, range(24))), None),
        (palette, ("0", "1", "2", "3"), 255),
        (colored((0, 0, 0), (255, 0, 0), (0, 0, 255)), ("#000000", "#0000ff", "#ff0000"), None),
        (lambda: Image.fromarray(300 + numpy.eye(24, dtype=numpy.uint16)), ("300", "301"), None),
    ],
)  # fmt: skip
def test_classes_are_the_values_of_the_masks(
    made: Callable[[], Image.Image], classes: tuple[str, ...], void: int | None, tmp_path: Path
) -> None:
    found = inspect(pairs(tmp_path, "images/{}.png", "masks/{}.png", made))
    assert found.classes == classes
    assert found.facts["task.outputs"] == len(classes)
    assert isinstance(found.reading, MasksReading)
    assert found.reading.void == void
    assert len(found.reading.values) == len(classes)
    assert ("is taken for pixels that belong to no class" in said(found)) == (void is not None)


def test_masks_saved_as_jpeg_are_two_classes_and_said_to_be_blurred(tmp_path: Path) -> None:
    def blob() -> Image.Image:
        pixels = numpy.zeros((48, 48), numpy.uint8)
        pixels[9:31, 11:40] = 255
        return Image.fromarray(pixels).resize((61, 61), Image.Resampling.BILINEAR)

    found = inspect(pairs(tmp_path, "images/{}.jpg", "masks/{}.jpg", blob, quality=60))
    assert found.classes == ("0", "255")
    assert "between black and white" in said(found)
    assert "6 masks are not of the size of their image, such as 61x61 for 24x24" in said(found)


def test_the_largest_class_is_told_from_the_pixels(tmp_path: Path) -> None:
    found = inspect(pairs(tmp_path, "images/{}.png", "masks/{}.png", lambda: mask((0, 0, 0, 1))))
    assert found.facts["data.imbalance"] == 3.0


def test_images_without_a_mask_and_masks_without_an_image_are_counted_and_named(tmp_path: Path) -> None:
    folder = pairs(tmp_path, "images/{}.png", "masks/{}.png")
    save(folder, {"images/new.png": photo(), "masks/old.png": mask(), "masks/older.png": mask()})
    found = inspect(folder)
    assert found.examples == 6
    warnings = [remark.what for remark in found.remarks if remark.weight is Weight.WARNING]
    assert warnings == [
        "1 image has no mask of the same name, or several: images/new.png. Left out.",
        "2 masks have no image of the same name, or several: masks/old.png and masks/older.png. Left out.",
    ]


def test_folders_that_are_called_as_those_of_masks_but_hold_photos_are_classes(tmp_path: Path) -> None:
    for name in ("mask", "no_mask"):
        save(tmp_path, {f"{name}/{number}.png": photo() for number in NUMBERS})
    found = inspect(tmp_path)
    assert (found.task, found.classes) == (Task.CLASSIFY, ("mask", "no_mask"))


@pytest.mark.parametrize("names", [("cat/{}.png", "dog/{}.png"), ("with_mask/{}.png", "without_mask/{}.png")])
def test_classes_with_the_same_names_of_files_stay_classes(names: tuple[str, str], tmp_path: Path) -> None:
    assert inspect(pairs(tmp_path, *names)).task is Task.CLASSIFY


def test_pairs_whose_second_are_photos_are_no_classes_and_it_is_said(tmp_path: Path) -> None:
    found = inspect(pairs(tmp_path, "input/{}.png", "target/{}.png", photo))
    assert (found.task, found.classes) == (None, ())
    assert "as many values as photos have" in said(found)
    assert "task.outputs" not in found.facts


def test_masks_whose_names_match_no_image_are_no_classes_and_it_is_said(tmp_path: Path) -> None:
    for number in NUMBERS:
        save(tmp_path, {f"{number}/images/{number}.png": photo()})
        save(tmp_path, {f"{number}/masks/part{part}-{number}-{part * 7}.png": mask() for part in range(3)})
    found = inspect(tmp_path)
    assert (found.task, found.classes) == (None, ())
    assert "their names do not match one to one" in said(found)


def test_who_says_that_folders_are_classes_is_believed(tmp_path: Path) -> None:
    found = inspect(pairs(tmp_path, "images/{}.png", "masks/{}.png"), task=Task.CLASSIFY)
    assert (found.task, found.classes) == (Task.CLASSIFY, ("images", "masks"))


def test_no_trial_learns_from_masks_and_it_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not support segmentation yet"):
        load_data(inspect(pairs(tmp_path, "images/{}.png", "masks/{}.png")), 10, 0)


def test_what_is_read_of_masks_does_not_change_with_the_place(tmp_path: Path) -> None:
    here = inspect(pairs(tmp_path / "a", "images/{}.png", "masks/{}.png", lambda: mask((0, 1))))
    other = inspect(pairs(tmp_path / "b", "images/{}.png", "masks/{}.png", lambda: mask((1, 0))))
    assert here.fingerprint != other.fingerprint


@given(st.lists(st.text("ab1_-. Ä", min_size=1, max_size=6), min_size=1, max_size=8))
def test_pairs_are_of_one_image_and_one_mask_each(stems: list[str]) -> None:
    names = {f"images/{stem}.png" for stem in stems} | {f"masks/{stem}.png" for stem in stems}
    found = pair_masks(names)
    used = [name for pair in found.pairs for name in pair] + [*found.images_alone, *found.masks_alone]
    assert sorted(used) == sorted(names)
    assert all(image.startswith("images/") and one.startswith("masks/") for image, one in found.pairs)


def test_a_plan_for_masks_proposes_no_trial(tmp_path: Path) -> None:
    from tests.cli.program import advisor, refused

    folder = pairs(tmp_path, "images/{}.png", "masks/{}.png")
    told = advisor("recommend", "--data", folder)
    assert "PLAN  segment 6 images" in told.out
    assert "advisor starter" in told.out
    assert "advisor try" not in told.out + advisor("recommend", "--data", folder, "--all").out
    assert "`advisor starter --data` writes a project that trains one" in refused("try", "--data", folder)


@pytest.mark.parametrize(
    "names",
    [
        ("beta/{}.png", "alpha/{}.png"), ("gloss/{}.png", "matte/{}.png"), ("automatic/{}.png", "manual/{}.png"),
        ("decoy/{}.png", "target/{}.png"), ("beta/beta_{}.png", "alpha/alpha_{}.png"), ("new/{}.png", "labelled/{}.png"),
    ],
)  # fmt: skip
def test_a_word_that_names_classes_as_well_leaves_the_task_open_and_it_is_said(
    names: tuple[str, str], tmp_path: Path
) -> None:
    folder = pairs(tmp_path, *names)
    found = inspect(folder)
    assert (found.task, found.classes) == (None, ())
    assert "may be two classes, or images and their masks" in said(found)
    folders = tuple(sorted(Path(name).parent.name for name in names))
    as_classes = inspect(folder, task=Task.CLASSIFY)
    assert (as_classes.task, as_classes.classes) == (Task.CLASSIFY, folders)


def test_photos_in_a_folder_of_such_a_word_are_a_class(tmp_path: Path) -> None:
    found = inspect(pairs(tmp_path, "beta/{}.png", "alpha/{}.png", photo))
    assert (found.task, found.classes) == (Task.CLASSIFY, ("alpha", "beta"))


@pytest.mark.parametrize(
    "names",
    [
        ("train/{}.png", "train_labels/{}.png"), ("train/{}.png", "labels/{}.png"), ("{}.png", "{}_label.png"),
        ("cells/{}.png", "mask/{}.png"), ("cells/{}.png", "groundtruth/{}.png"), ("photos/{}.png", "alpha/{}.png"),
    ],
)  # fmt: skip
def test_names_that_are_plain_or_alike_but_for_the_word_are_masks(names: tuple[str, str], tmp_path: Path) -> None:
    assert inspect(pairs(tmp_path, *names)).task is Task.SEGMENT
