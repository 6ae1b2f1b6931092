from __future__ import annotations

import shutil
import struct
import zlib
from pathlib import Path

import numpy
import pytest
from PIL import Image

from advisor.datasets.dataset import Task, Weight
from advisor.datasets.inspect import inspect
from advisor.errors import InputError
from tests.datasets.made import load_data, write_digits, write_picture

NOISE = numpy.random.default_rng(0).integers(0, 256, (200, 12, 12, 3))


def remarks_of(folder: Path) -> str:
    return "\n".join(remark.what for remark in inspect(folder).remarks)


def bomb(path: Path, side: int = 30_000) -> None:
    """A PNG of few bytes that says it is `side` pixels wide and high."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")
    )


def test_digits_in_folders_are_ten_classes_of_grey_pictures(tmp_path: Path) -> None:
    found = inspect(write_digits(tmp_path, 60))
    assert found.task is Task.CLASSIFY
    assert found.classes == tuple("0123456789")
    assert found.facts["data.examples"] == 60
    assert found.facts["data.inputs"] == 64
    assert found.facts["task.outputs"] == 10
    assert found.remarks == ()
    data = load_data(found, 1000, 0)
    assert data.inputs.shape == (60, 1, 8, 8)
    assert data.inputs.dtype == numpy.float32
    assert 0 <= data.inputs.min() < data.inputs.max() <= 1
    assert numpy.bincount(data.targets).sum() == 60


def test_a_picture_keeps_its_dots(tmp_path: Path) -> None:
    dots = numpy.arange(64).reshape(8, 8)
    write_picture(tmp_path / "a" / "1.png", dots)
    write_picture(tmp_path / "b" / "1.png", dots.T)
    data = load_data(inspect(tmp_path), 10, 0)
    assert numpy.allclose(data.inputs[0, 0] * 255, dots)
    assert numpy.allclose(data.inputs[1, 0] * 255, dots.T)


def test_mixed_sizes_and_colours_are_said_and_made_one(tmp_path: Path) -> None:
    for number in range(6):
        write_picture(tmp_path / "cat" / f"{number}.png", NOISE[number])
    write_picture(tmp_path / "dog" / "0.png", NOISE[6][:6, :9])
    write_picture(tmp_path / "dog" / "1.png", NOISE[7][:, :, 0])
    found = inspect(tmp_path)
    said = " ".join(f"{remark.what} {remark.remedy}" for remark in found.remarks)
    assert "2 different sizes, from 9 to 12 pixels wide and from 6 to 12 high. The plan takes them as 12x12, " in said
    assert "and so do trials" in said
    assert "Grey and coloured pictures are mixed; 88 % are coloured" in said
    assert load_data(inspect(tmp_path), 10, 0).inputs.shape == (8, 3, 12, 12)


def test_pictures_of_many_sizes_have_about_the_pixels_of_the_middle_one(tmp_path: Path) -> None:
    """No two are alike, so that the size of one says nothing of the others."""
    for number, (height, width) in enumerate(((33, 59), (40, 21), (57, 48))):
        write_picture(tmp_path / "ab"[number % 2] / f"{number}.png", numpy.full((height, width, 3), 9 * number))
    found = inspect(tmp_path)
    assert found.facts["data.inputs"] == 3 * 44 * 44, "the square root of 33 x 59 is 44.1; of the others 29.0 and 52.3"
    assert load_data(found, 10, 0).inputs.shape == (3, 3, 44, 44)


def test_the_plan_of_mixed_photos_is_not_for_the_small_ones_of_trials(tmp_path: Path) -> None:
    for number, (height, width) in enumerate(((180, 299), (240, 250), (290, 200))):
        write_picture(tmp_path / "ab"[number % 2] / f"{number}.png", numpy.full((height, width, 3), 9 * number))
    found = inspect(tmp_path)
    assert found.facts["data.inputs"] == 3 * 240 * 240
    assert any(
        "as 240x240, about the pixels of the middle one; trials take 64x64" in remark.remedy for remark in found.remarks
    )
    assert load_data(found, 10, 0).inputs.shape == (3, 3, 64, 64)


def test_large_pictures_are_made_small_for_trials(tmp_path: Path) -> None:
    for label in "ab":
        write_picture(tmp_path / label / "0.jpg", numpy.full((90, 150, 3), 200 if label == "a" else 20))
    found = inspect(tmp_path)
    assert found.facts["data.inputs"] == 3 * 90 * 150
    assert "from 150x90 to 64x64 pixels" in remarks_of(tmp_path)
    data = load_data(found, 10, 0)
    assert data.inputs.shape == (2, 3, 64, 64)
    assert data.inputs.mean(axis=(1, 2, 3)) * 255 == pytest.approx([200, 20], abs=2)


def test_sixteen_bits_transparency_and_palettes_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    write_picture(tmp_path / "b" / "0.png", NOISE[0])
    folder.mkdir()
    Image.fromarray(numpy.full((12, 12), 65535, numpy.uint16)).save(folder / "deep.png")
    Image.new("RGBA", (12, 12), (0, 0, 0, 0)).save(folder / "glass.png")
    Image.new("P", (12, 12), 0).save(folder / "palette.gif")
    data = load_data(inspect(tmp_path), 10, 0)
    means = data.inputs[data.targets == 0].mean(axis=(1, 2, 3))
    assert means.tolist() == [1.0, 1.0, 0.0], "white, what is seen through glass on white paper, black"


def test_broken_pictures_are_counted_named_and_left_out(tmp_path: Path) -> None:
    write_digits(tmp_path, 30)
    whole = next((tmp_path / "3").iterdir()).read_bytes()
    (tmp_path / "3" / "cut.png").write_bytes(whole[:60])
    (tmp_path / "3" / "words.jpg").write_text("no picture")
    (tmp_path / "3" / "nothing.png").touch()
    said = remarks_of(tmp_path)
    assert "3 of the 33 looked into cannot be read, such as 3/cut.png, 3/nothing.png and 3/words.jpg" in said
    inspection = inspect(tmp_path)
    assert inspection.examples == inspection.facts["data.examples"] == 30
    data = load_data(inspection, 100, 0)
    assert len(data) == 30
    assert data.left_out == "3 that cannot be read were left out."


def test_a_picture_that_unfolds_to_gigabytes_is_not_unfolded(tmp_path: Path) -> None:
    write_digits(tmp_path, 20)
    bomb(tmp_path / "1" / "bomb.png")
    assert "1 of the 21 looked into cannot be read, such as 1/bomb.png" in remarks_of(tmp_path)


def test_a_folder_of_broken_pictures_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    bomb(tmp_path / "a" / "1.png")
    with pytest.raises(InputError, match=r"none of its pictures can be read, such as a/1\.png"):
        inspect(tmp_path)


def test_copies_are_found_and_also_those_with_two_classes(tmp_path: Path) -> None:
    write_digits(tmp_path, 20)
    one = min((tmp_path / "0").iterdir())
    shutil.copy(one, tmp_path / "0" / "copy.png")
    shutil.copy(one, tmp_path / "7" / "copy.png")
    said = remarks_of(tmp_path)
    assert "2 of the 22 looked into are copies, such as 0/copy.png of 0/0000.png" in said
    assert "Pictures that lie in several classes at once: 1." in said


def test_one_class_alone_is_nothing_to_tell_apart(tmp_path: Path) -> None:
    write_picture(tmp_path / "cat" / "0.png", NOISE[0])
    found = inspect(tmp_path)
    assert found.task is None
    assert "task.kind" not in found.facts
    assert [(remark.what, remark.weight) for remark in found.remarks] == [
        ("All pictures are of one class (cat), so there is nothing to tell apart.", Weight.WARNING)
    ]


def test_pictures_without_folders_have_no_classes(tmp_path: Path) -> None:
    write_picture(tmp_path / "0.png", NOISE[0])
    assert "The pictures have no classes" in remarks_of(tmp_path)


def test_a_class_with_one_picture_is_warned_of(tmp_path: Path) -> None:
    for number in range(3):
        write_picture(tmp_path / "cat" / f"{number}.png", NOISE[number])
    write_picture(tmp_path / "dog" / "0.png", NOISE[3])
    assert "One class is with a single example: dog" in remarks_of(tmp_path)


def test_folders_for_training_and_test_are_taken_together(tmp_path: Path) -> None:
    for number, part in enumerate(("train", "train", "test")):
        write_picture(tmp_path / part / "cat" / f"{number}.png", NOISE[number])
        write_picture(tmp_path / part / "dog" / f"{number}.png", NOISE[10 + number])
    found = inspect(tmp_path)
    assert found.classes == ("cat", "dog")
    assert found.examples == 6
    assert "The folders test and train were taken together" in remarks_of(tmp_path)


def test_links_in_a_circle_are_not_followed(tmp_path: Path) -> None:
    write_digits(tmp_path, 20)
    (tmp_path / "1" / "again").symlink_to(tmp_path, target_is_directory=True)
    found = inspect(tmp_path)
    assert found.examples == 20
    assert "Links to folders that were not followed: 1." in remarks_of(tmp_path)


def test_hostile_names_are_shown_as_plain_text(tmp_path: Path) -> None:
    write_picture(tmp_path / "[red]\x1b[31m" / "0.png", NOISE[0])
    assert "(" + "[red][31m" + ")" in remarks_of(tmp_path)


def test_of_many_pictures_some_are_decoded_and_said_to_be(tmp_path: Path) -> None:
    for number in range(310):
        write_picture(tmp_path / str(number % 2) / f"{number:03}.png", NOISE[number % 200] + number // 200)
    found = inspect(tmp_path)
    assert found.sampled.startswith("Looked into 300 of 310 pictures")
    data = load_data(found, 50, 0)
    assert numpy.bincount(data.targets).tolist() == [25, 25]
    assert data.left_out == "50 of 310 pictures were taken, the same share of every class."


def test_pictures_of_equal_size_that_change_places_are_other_data(tmp_path: Path) -> None:
    folder = tmp_path / "digits"
    for label, value in (("dark", 10), ("light", 240)):
        (folder / label).mkdir(parents=True)
        for number in range(6):
            picture = Image.new("L", (8, 8), value + number)
            picture.save(folder / label / f"{number}.bmp")
    before = inspect(folder).fingerprint
    first, second = folder / "dark" / "0.bmp", folder / "light" / "0.bmp"
    contents = first.read_bytes(), second.read_bytes()
    assert len(contents[0]) == len(contents[1])
    first.write_bytes(contents[1])
    second.write_bytes(contents[0])
    assert inspect(folder).fingerprint != before


def test_the_fingerprint_follows_the_content_and_not_the_place(tmp_path: Path) -> None:
    here = write_digits(tmp_path / "here", 20)
    there = write_digits(tmp_path / "there", 20)
    assert inspect(here).fingerprint == inspect(there).fingerprint
    write_picture(there / "1" / "new.png", NOISE[0])
    assert inspect(here).fingerprint != inspect(there).fingerprint


def test_a_link_that_leads_nowhere_is_no_picture(tmp_path: Path) -> None:
    folder = write_digits(tmp_path, 60)
    (folder / "1" / "lost.png").symlink_to(tmp_path / "nowhere.png")
    assert inspect(folder).facts["data.examples"] == 60
