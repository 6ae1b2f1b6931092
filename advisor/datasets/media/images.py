"""Pictures decoded: what they are like, and their pixels, all made one size."""

from __future__ import annotations

import hashlib
import logging
import math
import struct
import warnings
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray
from PIL import Image, ImageOps

from advisor.datasets.dataset import Remark

Floats: TypeAlias = NDArray[numpy.float32]

LARGEST_SIDE = 64
"""Pixels a side in trials, which last minutes."""
_LARGE = 4 * 224 * 224
"""Pixels from which four times as many are given up where pictures become as small as those of published networks."""
_PLAN_SMALLER = "The plan is for all pixels; --set data.inputs=224x224 plans for smaller ones, where that shows enough."
MOST_PIXELS = 100_000_000
"""A file that unpacks to more is taken for an attack or a mistake."""
FORMATS = ("PNG", "JPEG", "BMP", "DIB", "GIF", "WEBP", "TIFF", "AVIF", "JPEG2000", "PPM")
BROKEN = (OSError, ValueError, SyntaxError, EOFError, struct.error, Image.DecompressionBombError, MemoryError)
"""Errors of reading a file that is cut off, is no picture, or unpacks to too much."""
_ORIENTATION, _ON_ITS_SIDE = 0x0112, (5, 6, 7, 8)
"""The tag of EXIF that says how a camera was held, and its values for a quarter of a turn."""
_STUMBLES = (LookupError, ArithmeticError, TypeError, AttributeError, RuntimeError, zlib.error)
"""Errors of the decoder where it takes a file at its word that does not keep it."""

logging.getLogger("PIL").addHandler(logging.NullHandler())  # else its remarks on broken files reach the terminal


@dataclass(frozen=True, slots=True)
class Look:
    """One decoded picture."""

    size: tuple[int, int]
    """Width and height, as EXIF turns it."""
    mode: str
    content: bytes
    """A hash of the file."""

    @property
    def colours(self) -> int:
        return 1 if self.mode in ("1", "L", "LA", "F") or self.mode.startswith("I") else 3


def side_for(width: int, height: int) -> int:
    """Pixels a side of the square that pictures of this size become in trials: their own where it is small enough,
    and else one that networks can halve twice."""
    if width == height <= LARGEST_SIDE:
        return width
    return min(LARGEST_SIDE, max(8, -(-max(width, height) // 4) * 4))


def usual_side(sizes: Iterable[tuple[int, int]]) -> int:
    """Pixels a side of the square that takes the place of pictures of many sizes (width, height): of their median area, to a
    multiple of 4 that networks can halve twice."""
    return max(4, 4 * round(median(math.sqrt(width * height) for width, height in sizes) / 4))


def remarks_on_resizing(width: int, height: int) -> Iterator[Remark]:
    """Say that trials take pictures of this size smaller or square, if they do."""
    side = side_for(width, height)
    if (side, side) != (width, height):
        yield Remark(
            f"Trials resize the pictures from {width}x{height} to {side}x{side} pixels, to finish within minutes.",
            remedy=_PLAN_SMALLER if width * height >= _LARGE else "",
        )


def resized(picture: NDArray[Any], side: int) -> Floats:
    """One colour of a picture, (height, width) of any numbers, as float32 (side, side)."""
    image = Image.fromarray(numpy.ascontiguousarray(picture, dtype=numpy.float32))
    return numpy.asarray(image.resize((side, side), Image.Resampling.BILINEAR))


def look(path: Path) -> Look:
    """Decode a picture. Raises one of BROKEN."""
    with opened(path) as image:
        size, mode = image.size, image.mode
        if image.getexif().get(_ORIENTATION) in _ON_ITS_SIDE:
            size = size[1], size[0]
        image.draft(None, (LARGEST_SIDE, LARGEST_SIDE))  # a large JPEG is decoded in a fraction of the time
        image.load()
    return Look(size, mode, hashlib.blake2b(path.read_bytes(), digest_size=16).digest())


def read(path: Path, side: int, colours: int) -> Floats:
    """(colours, side, side) between 0 and 1. Raises one of BROKEN."""
    with opened(path) as image:
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
    pixels = numpy.asarray(plain, numpy.float32) / numpy.float32(255)
    return pixels[None] if colours == 1 else pixels.transpose(2, 0, 1)


@contextmanager
def opened(path: Path) -> Iterator[Image.Image]:
    """A picture whose header was read. The decoder's warnings about odd files are kept from the terminal.

    Raises one of BROKEN, also for more pixels than a picture can be meant to have.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with Image.open(path, formats=FORMATS) as image:
                if image.width * image.height > MOST_PIXELS:
                    raise ValueError(f"{image.width}x{image.height} pixels")
                yield image
        except _STUMBLES:
            raise ValueError("it is damaged") from None
