"""Folders whose names are no classes: images beside boxes and captions, what programs leave behind, other formats."""

from __future__ import annotations

import shlex
import struct
from collections.abc import Callable
from pathlib import Path

import numpy
import pytest
from PIL import Image

from advisor.datasets.dataset import Inspection, Task, Weight
from advisor.datasets.inspect import inspect
from advisor.errors import InputError
from tests.datasets.made import load_data

DRAW = numpy.random.default_rng(5)
NUMBERS = [f"{number:03}" for number in range(6)]
YOLO = "0 0.5 0.5 0.25 0.3\n1 0.1 0.2 0.05 0.1\n"
OUTLINE = "0 0.1 0.1 0.2 0.1 0.2 0.3 0.1 0.3\n"
VOC = "<annotation><object><name>cat</name><bndbox><xmin>1</xmin></bndbox></object></annotation>"
COCO = '{"images": [], "annotations": [{"bbox": [1, 2, 3, 4]}], "categories": []}'
LABELME = '{"version": "5.0", "shapes": [{"label": "cat", "points": [[1, 2]]}]}'


def photo(path: Path, *, kind: str | None = None, orientation: int | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    exif = Image.Exif()
    if orientation is not None:
        exif[0x0112] = orientation
    pixels = DRAW.integers(0, 256, (12, 18, 3), dtype=numpy.uint8)
    Image.fromarray(pixels).save(path, kind, **({} if orientation is None else {"exif": exif}))


def write(path: Path, text: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def said(found: Inspection) -> str:
    return " ".join(f"{remark.what} {remark.remedy}" for remark in found.remarks)


@pytest.mark.parametrize(
    ("image", "note", "text", "kind"),
    [
        ("images/train/{}.jpg", "labels/train/{}.txt", YOLO, "YOLO"),
        ("train/images/{}.jpg", "train/labels/{}.txt", YOLO, "YOLO"),
        ("images/{}.jpg", "labels/{}.txt", OUTLINE, "YOLO"),
        ("{}.jpg", "{}.txt", YOLO, "YOLO"),
        ("JPEGImages/{}.jpg", "Annotations/{}.xml", VOC, "Pascal VOC"),
        ("train/{}.jpg", "train/{}.xml", VOC, "Pascal VOC"),
        ("images/{}.png", "images/{}.json", LABELME, "LabelMe"),
        ("train2017/{}.jpg", "annotations/instances_train2017.json", COCO, "COCO"),
        ("train/{}.jpg", "train/_annotations.coco.json", COCO, "COCO"),
    ],
)
def test_images_with_boxes_are_a_task_of_detection_and_no_classes(
    image: str, note: str, text: str, kind: str, tmp_path: Path
) -> None:
    for number in NUMBERS:
        photo(tmp_path / image.format(number))
        write(tmp_path / note.format(number), text)
    write(tmp_path / "classes.txt", "cat\ndog\n")
    found = inspect(tmp_path)
    assert (found.task, found.classes, found.examples) == (None, (), 6)
    assert found.format == "folder of images"
    assert "task.kind" not in found.facts
    warning = next(remark for remark in found.remarks if remark.weight is Weight.WARNING)
    assert "of 6 images have a file with" in warning.what
    assert kind in warning.what
    assert "no object detection yet" in warning.remedy


def test_images_with_captions_are_no_texts_and_no_classes(tmp_path: Path) -> None:
    for number in NUMBERS:
        photo(tmp_path / f"{number}.png")
        write(tmp_path / f"{number}.txt", "a photo of sks dog in the snow\n")
    found = inspect(tmp_path)
    assert (found.format, found.task) == ("folder of images", None)
    assert "6 of 6 images have a text file (captions?)" in said(found)


def test_classes_with_boxes_beside_them_stay_classes_and_the_boxes_are_said(tmp_path: Path) -> None:
    for label in ("cat", "dog"):
        for number in NUMBERS:
            photo(tmp_path / label / f"{label}{number}.jpg")
            write(tmp_path / "Annotations" / label / f"{label}{number}.xml", VOC)
    found = inspect(tmp_path)
    assert (found.task, found.classes) == (Task.CLASSIFY, ("cat", "dog"))
    assert "12 of 12 images have a file with boxes (Pascal VOC)" in said(found)


def test_a_note_beside_classes_says_nothing(tmp_path: Path) -> None:
    for label in ("cat", "dog"):
        for number in NUMBERS:
            photo(tmp_path / label / f"{number}.jpg")
    write(tmp_path / "readme.txt", "Photos of pets.\n")
    found = inspect(tmp_path)
    assert found.classes == ("cat", "dog")
    assert "images have a" not in said(found)


@pytest.mark.parametrize(
    "parts", [("train", "val", "test"), ("Train", "Valid"), ("training_set", "test_set"), ("train2017", "val2017")]
)
def test_splits_that_hold_classes_are_no_classes(parts: tuple[str, ...], tmp_path: Path) -> None:
    for part in parts:
        for label in ("cat", "dog"):
            photo(tmp_path / part / label / f"{part}.png")
    assert inspect(tmp_path).classes == ("cat", "dog")


@pytest.mark.parametrize("parts", [("train", "test"), ("images",), ("train2017", "val2017")])
def test_splits_without_classes_are_no_classes_either(parts: tuple[str, ...], tmp_path: Path) -> None:
    for part in parts:
        for number in NUMBERS:
            photo(tmp_path / "data" / part / f"{part}{number}.png")
    found = inspect(tmp_path)
    assert (found.task, found.classes) == (None, ())


@pytest.mark.parametrize(
    "folder", ["__MACOSX", ".ipynb_checkpoints", "@eaDir", "#recycle", "$RECYCLE.BIN", "lost+found", ".thumbnails",
               "cat/@eaDir", "cat/.ipynb_checkpoints", "System Volume Information", "__pycache__", "dog/__MACOSX"],
)  # fmt: skip
def test_folders_that_programs_leave_behind_are_passed_over(folder: str, tmp_path: Path) -> None:
    for label in ("cat", "dog"):
        for number in NUMBERS:
            photo(tmp_path / label / f"{number}.png")
    photo(tmp_path / folder / "000.png" / "SYNOPHOTO_THUMB_M.jpg")
    photo(tmp_path / folder / "001.png")
    for name in ("Thumbs.db", "desktop.ini", ".DS_Store", "cat/Thumbs.db"):
        write(tmp_path / name, b"\xd0\xcf\x11\xe0")
    found = inspect(tmp_path)
    assert (found.classes, found.examples) == (("cat", "dog"), 12)
    hidden = folder.rpartition("/")[2].startswith(".")
    assert (f"left behind, not looked into: {folder}." in said(found)) == (not hidden)


def test_photos_that_exif_turns_are_reported_as_they_are_seen(tmp_path: Path) -> None:
    for label in ("cat", "dog"):
        for number in NUMBERS:
            photo(tmp_path / label / f"{number}.jpg", orientation=6 if label == "cat" else 8)
    found = inspect(tmp_path)
    assert "from 12x18 to 20x20" in said(found)
    assert load_data(found, 20, 0).inputs.shape == (12, 3, 20, 20)


@pytest.mark.parametrize("orientation", [1, 2, 3, 4, 5, 6, 7, 8])
def test_the_size_of_a_photo_is_that_of_its_pixels(orientation: int, tmp_path: Path) -> None:
    from PIL import ImageOps

    from advisor.datasets.media.images import look

    photo(tmp_path / "photo.jpg", orientation=orientation)
    with Image.open(tmp_path / "photo.jpg") as image:
        assert look(tmp_path / "photo.jpg").size == ImageOps.exif_transpose(image).size


@pytest.mark.parametrize(
    ("suffix", "kind"),
    [(".jfif", "JPEG"), (".jpe", "JPEG"), (".JFIF", "JPEG"), (".avif", "AVIF"), (".apng", "PNG"), (".jp2", "JPEG2000"),
     (".ppm", "PPM"), (".dib", "DIB")],
)  # fmt: skip
def test_images_with_less_usual_endings_are_read(suffix: str, kind: str, tmp_path: Path) -> None:
    for label in ("cat", "dog"):
        for number in NUMBERS:
            photo(tmp_path / label / f"{number}{suffix}", kind=kind)
    found = inspect(tmp_path)
    assert (found.classes, found.examples, found.facts["data.inputs"]) == (("cat", "dog"), 12, 648)
    assert load_data(found, 20, 0).inputs.shape == (12, 3, 20, 20)


@pytest.mark.parametrize(
    ("suffix", "program"),
    [(".heic", "magick"), (".svg", "magick"), (".CR2", "darktable-cli"), (".mp3", "ffmpeg"), (".flac", "ffmpeg"),
     (".m4a", "ffmpeg"), (".aiff", "ffmpeg"), (".mp4", "ffmpeg"), (".dcm", "dcmj2pnm")],
)  # fmt: skip
def test_formats_that_are_not_read_are_refused_with_a_command(suffix: str, program: str, tmp_path: Path) -> None:
    for label in ("a cat", "dog"):
        write(tmp_path / "it's mine" / label / f"1{suffix}", b"\0\1\2\3" * 50)
    with pytest.raises(InputError) as caught:
        inspect(tmp_path / "it's mine")
    (problem,) = caught.value.problems
    words = shlex.split(problem.remedy.partition(": ")[2])
    assert words[:2] == ["find", str(tmp_path / "it's mine")]
    assert words[words.index("-c") + 1].split()[0] == program
    assert words[-3:] == ["sh", "{}", ";"]


def test_the_command_of_a_conversion_reaches_every_file(tmp_path: Path) -> None:
    """The shell runs it with a stand-in for the program."""
    import os
    import subprocess

    for name in ("a cat/1.heic", "dog/it's 2.HEIC"):
        write(tmp_path / "data" / name, b"\0\1\2\3" * 50)
    write(tmp_path / "bin" / "magick", '#!/bin/sh\ncp "$1" "$2"\n')
    (tmp_path / "bin" / "magick").chmod(0o700)
    with pytest.raises(InputError) as caught:
        inspect(tmp_path / "data")
    command = caught.value.problems[0].remedy.partition(": ")[2]
    subprocess.run(["sh", "-c", command], check=True, env={"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"})
    made = {path.relative_to(tmp_path / "data").as_posix() for path in (tmp_path / "data").rglob("*.png")}
    assert made == {"a cat/1.png", "dog/it's 2.png"}


def test_images_in_other_formats_among_those_that_are_read_are_counted(tmp_path: Path) -> None:
    for number in NUMBERS:
        photo(tmp_path / "cat" / f"{number}.png")
        photo(tmp_path / "dog" / f"{number}.png")
        write(tmp_path / "dog" / f"{number}.heic", b"\0\0\0\x18ftypheic")
    found = inspect(tmp_path)
    warnings = [remark for remark in found.remarks if remark.weight is Weight.WARNING]
    assert [remark.what for remark in warnings] == ["Files .heic, which are not read here: 6."]
    assert "magick" in warnings[0].remedy


def sound(number: int, width: int, extra: bytes = b"") -> Callable[[Path], None]:
    """A WAV file of this format."""
    header = struct.pack("<HHIIHH", number, 1, 8000, 8000 * width, width, 8 * width) + extra
    data = bytes(8000)
    body = b"WAVEfmt " + struct.pack("<I", len(header)) + header + b"data" + struct.pack("<I", len(data)) + data
    return lambda path: write(path, b"RIFF" + struct.pack("<I", len(body)) + body)


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (sound(3, 4), "floating-point numbers"),
        (sound(3, 8), "floating-point numbers"),
        (sound(6, 1, b"\0\0"), "compressed by A-law"),
        (sound(7, 1, b"\0\0"), "compressed by mu-law"),
        (sound(2, 1, b"\0\0"), "compressed by ADPCM"),
        (sound(85, 1, b"\0\0"), "compressed as MP3"),
        (sound(0xFFFE, 4, struct.pack("<HHIH", 22, 32, 0, 3) + bytes(14)), "floating-point numbers"),
        (lambda path: write(path, b"RF64" + bytes(400)), "RF64 instead of RIFF"),
    ],
)
def test_sounds_that_are_not_read_are_refused_with_the_reason_and_a_command(
    made: Callable[[Path], None], reason: str, tmp_path: Path
) -> None:
    for label in ("high", "low"):
        made(tmp_path / label / "0.wav")
    with pytest.raises(InputError) as caught:
        inspect(tmp_path)
    assert reason in caught.value.problems[0].what
    assert "ffmpeg -i" in caught.value.problems[0].remedy


@pytest.mark.parametrize(
    "line", ["0 0.5\n" * 200 + "x", "0 " + "0.5 " * 300 + "x\n", "1 2 3 4 5 6 7 8 9\n" * 60 + "# end\n"]
)
def test_numbers_that_are_no_boxes_are_told_in_linear_time(line: str, tmp_path: Path) -> None:
    for label in ("cat", "dog"):
        photo(tmp_path / label / "1.png")
        write(tmp_path / label / "1.txt", line)
    assert "YOLO" not in said(inspect(tmp_path))


def test_stray_images_do_not_hide_texts(tmp_path: Path) -> None:
    for number in range(60):
        write(
            tmp_path / ("pos", "neg")[number % 2] / f"{number // 2}.txt", f"a text about number {number} of many " * 3
        )
    for number in range(3):
        photo(tmp_path / "pos" / f"{number}.png")
    found = inspect(tmp_path)
    assert (found.modality, found.examples, found.classes) == ("text", 60, ("neg", "pos"))
