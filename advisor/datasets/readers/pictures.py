"""Folders of pictures: what they are like, and the pictures themselves, all made one size."""

from __future__ import annotations

import hashlib
import logging
import struct
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray
from PIL import Image, ImageOps

from advisor.datasets.dataset import Examples, Format, Inspection, Remark, Task, Weight
from advisor.datasets.formats import PICTURES, unreadable
from advisor.datasets.labels import class_numbers
from advisor.datasets.readers.folders import ClassFolders, Member, class_facts, class_folders, class_remarks
from advisor.datasets.sampling import how_drawn, spread, stratified
from advisor.wording import join_names, shorten

Floats: TypeAlias = NDArray[numpy.float32]

DECODED = 300
"""Pictures that an inspection looks into."""
LARGEST_SIDE = 64
"""Dots a side in trials, which last minutes."""
MOST_DOTS = 100_000_000
"""A file that unfolds to more is taken for an attack or a mistake."""
MOST_BYTES = 2**30
"""Of pictures in memory."""
FORMATS = ("PNG", "JPEG", "BMP", "GIF", "WEBP", "TIFF")
BROKEN = (OSError, ValueError, SyntaxError, EOFError, struct.error, Image.DecompressionBombError, MemoryError)
"""What the decoder raises for files that are cut off, are no pictures, or unfold to too much."""
NOUN = "pictures"

logging.getLogger("PIL").addHandler(logging.NullHandler())  # else what it finds in broken files reaches the terminal


@dataclass(frozen=True, slots=True)
class _Look:
    """One decoded picture."""

    member: Member
    width: int
    height: int
    mode: str
    content: bytes
    """A hash of the file."""

    @property
    def colours(self) -> int:
        return 1 if self.mode in ("1", "L", "LA", "F") or self.mode.startswith("I") else 3


def inspect_pictures(folder: Path) -> Inspection:
    """What a folder of pictures is: FOLDER/CLASS/*.png and other kinds. At most 300 of them are decoded.

    Raises InputError where there are no pictures, or none of those looked into can be read.
    """
    found = class_folders(folder, PICTURES, NOUN)
    chosen = [found.members[position] for position in spread(len(found.members), DECODED)]
    looks, broken = _look_into(found, chosen)
    if not looks:
        names = join_names([shorten(member.name, 40) for member in broken[:3]])
        raise unreadable(
            folder, f"none of its pictures can be read, such as {names}", "Save them once more as PNG or JPEG."
        )
    width, height = Counter((look.width, look.height) for look in looks).most_common(1)[0][0]
    colours = Counter(look.colours for look in looks).most_common(1)[0][0]
    side = side_for(width, height)
    of_one_size = all((look.width, look.height) == (width, height) for look in looks)
    dots = width * height if of_one_size else side * side  # of many sizes, that of trials: the commonest stands for few
    told_apart = len(found.classes) > 1
    examples = found.readable(len(chosen), len(broken))
    return Inspection(
        path=str(folder),
        format=Format.IMAGES,
        modality="image",
        examples=examples,
        facts=class_facts(found, examples) | {"data.modality": "image", "data.inputs": colours * dots},
        fingerprint=found.fingerprint,
        task=Task.CLASSIFY if told_apart else None,
        classes=found.classes,
        remarks=(*class_remarks(found, NOUN), *_remarks(looks, broken, (width, height), colours)),
        sampled=f"Looked into {len(chosen):,} of {len(found.members):,} pictures, evenly from all; of the others only "
        "names and sizes are known."
        if len(chosen) < len(found.members)
        else "",
        bytes=found.bytes,
        memory_bytes=examples * colours * side * side * 4,
        reading={"side": side, "colours": colours, "width": width, "height": height},
    )


def load_pictures(inspection: Inspection, most_examples: int, seed: int) -> Examples:
    """Pictures between 0 and 1, float32 (n, colours, side, side), and their classes. Raises InputError where none is left."""
    found = class_folders(Path(inspection.path), PICTURES, NOUN)
    side, colours = inspection.reading["side"], inspection.reading["colours"]
    numbers, classes = class_numbers([member.label for member in found.members], inspection.classes)
    chosen = stratified(numbers, min(most_examples, MOST_BYTES // (4 * colours * side * side)), seed)
    pictures, kept = [], []
    for position in chosen:
        try:
            pictures.append(_read(found.path(found.members[position]), side, colours))
        except BROKEN:
            continue
        kept.append(position)
    if not kept:
        raise unreadable(inspection.path, "none of its pictures can be read", "Save them once more as PNG or JPEG.")
    left_out = []
    if len(chosen) < len(found.members):
        left_out.append(
            f"{len(chosen):,} of {len(found.members):,} pictures were taken, {how_drawn(numbers, numbers[chosen])}."
        )
    if len(kept) < len(chosen):
        broken = len(chosen) - len(kept)
        left_out.append(f"{broken:,} that cannot be read {'was' if broken == 1 else 'were'} left out.")
    return Examples("image", Task.CLASSIFY, numpy.stack(pictures), numbers[kept], classes, left_out=" ".join(left_out))


def side_for(width: int, height: int) -> int:
    """Dots a side of the square that pictures of this size become in trials: their own where it is small enough,
    and else one that networks can halve twice."""
    if width == height <= LARGEST_SIDE:
        return width
    return min(LARGEST_SIDE, max(8, -(-max(width, height) // 4) * 4))


def resized(picture: NDArray[Any], side: int) -> Floats:
    """One colour of a picture, (height, width) of any numbers, as float32 (side, side)."""
    image = Image.fromarray(numpy.ascontiguousarray(picture, dtype=numpy.float32))
    return numpy.asarray(image.resize((side, side), Image.Resampling.BILINEAR))


def _look_into(found: ClassFolders, chosen: list[Member]) -> tuple[list[_Look], list[Member]]:
    looks, broken = [], []
    for member in chosen:
        path = found.path(member)
        try:
            with _opened(path) as image:
                width, height, mode = *image.size, image.mode
                image.draft(None, (LARGEST_SIDE, LARGEST_SIDE))  # a large JPEG is decoded in a fraction of the time
                image.load()
            content = hashlib.blake2b(path.read_bytes(), digest_size=16).digest()
        except BROKEN:
            broken.append(member)
            continue
        looks.append(_Look(member, width, height, mode, content))
    return looks, broken


def _remarks(looks: list[_Look], broken: list[Member], commonest: tuple[int, int], colours: int) -> Iterator[Remark]:
    sizes = Counter((look.width, look.height) for look in looks)
    side = side_for(*commonest)
    width, height = commonest
    if len(sizes) > 1:
        narrow, wide = min(look.width for look in looks), max(look.width for look in looks)
        low, high = min(look.height for look in looks), max(look.height for look in looks)
        yield Remark(
            f"The pictures have {len(sizes)} different sizes, from {narrow} to {wide} dots wide and from {low} to {high} high; "
            f"{sizes[commonest] / len(looks):.0%} have {width}x{height}.".replace("%", " %"),
            Weight.WARNING,
            f"Trials make all of them {side}x{side}. Make them one size yourself where shapes must not be stretched.",
        )
    elif (side, side) != commonest:
        yield Remark(f"Trials make the pictures {side}x{side} instead of {width}x{height}, to be done within minutes.")
    if len({look.colours for look in looks}) > 1:
        share = sum(look.colours == colours for look in looks) / len(looks)
        kind = "grey" if colours == 1 else "coloured"
        yield Remark(
            f"Grey and coloured pictures are mixed; {share:.0%} are {kind}, and so all are taken.".replace("%", " %")
        )
    if broken:
        names = join_names([shorten(member.name, 40) for member in broken[:3]])
        what = f"{len(broken):,} of the {len(looks) + len(broken):,} looked into cannot be read, such as {names}."
        yield Remark(what, Weight.WARNING, "They are left out. Save them once more as PNG or JPEG.")
    yield from _duplicates(looks)


def _duplicates(looks: list[_Look]) -> Iterator[Remark]:
    same: dict[bytes, list[Member]] = {}
    for look in looks:
        same.setdefault(look.content, []).append(look.member)
    twice = [members for members in same.values() if len(members) > 1]
    if not twice:
        return
    spare = sum(len(members) - 1 for members in twice)
    yield Remark(
        f"{spare:,} of the {len(looks):,} looked into are copies, such as {shorten(twice[0][1].name, 40)} of "
        f"{shorten(twice[0][0].name, 40)}.",
        Weight.WARNING,
        "Delete copies: one in the training and one in the test makes scores too good.",
    )
    conflicting = sum(len({member.label for member in members}) > 1 for members in twice)
    if conflicting:
        what = f"Pictures that lie in several classes at once: {conflicting:,}."
        yield Remark(what, Weight.WARNING, "Decide on one class for each.")


def _read(path: Path, side: int, colours: int) -> Floats:
    """(colours, side, side) between 0 and 1. Raises one of BROKEN."""
    with _opened(path) as image:
        image.draft(None, (side, side))
        upright = ImageOps.exif_transpose(image)
    if upright.mode == "F" or upright.mode.startswith("I"):  # 16 bits and more, which the decoder would cut off at 255
        grey = resized(numpy.clip(numpy.asarray(upright, numpy.float32) / 65535, 0, 1), side)
        return numpy.repeat(grey[None], colours, axis=0)
    if upright.has_transparency_data:
        behind = Image.new("RGBA", upright.size, "white")
        upright = Image.alpha_composite(behind, upright.convert("RGBA"))
    plain = upright.convert("L" if colours == 1 else "RGB")
    if plain.size != (side, side):
        plain = plain.resize((side, side), Image.Resampling.BILINEAR)
    dots = numpy.asarray(plain, numpy.float32) / numpy.float32(255)
    return dots[None] if colours == 1 else dots.transpose(2, 0, 1)


@contextmanager
def _opened(path: Path) -> Iterator[Image.Image]:
    """A picture whose header was read. The decoder's warnings about odd files are kept from the terminal.

    Raises one of BROKEN, also for more dots than a picture can be meant to have.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with Image.open(path, formats=FORMATS) as image:
            if image.width * image.height > MOST_DOTS:
                raise ValueError(f"{image.width}x{image.height} dots")
            yield image
