"""Masks: images whose values are classes of pixels, and the classes that several of them hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy
from numpy.typing import NDArray

from advisor.datasets.media.images import opened

MOST_VALUES = 64
"""Different values of one mask; photos have more, and masks of this many classes hold only some of them."""
MOST_CLASSES = 512
VOID = 255
"""The value that masks give to pixels that are not to be learned from, as those of Pascal VOC do."""
_NEAR = 32
"""Levels from black or white within which lossy compression and resizing leave pixels of a mask of two values."""
_NEARLY_ALL = 0.9
_RARE = 16
"""Values between black and white from which edges are taken to be blurred."""


@dataclass(frozen=True, slots=True)
class MaskLook:
    """One decoded mask."""

    size: tuple[int, int]
    """Width and height."""
    counts: dict[int, int]
    """Pixels of each value; of a mask in colors 65536 red + 256 green + blue."""
    colored: bool

    @property
    def is_blurred(self) -> bool:
        """True of black and white with all that lossy compression and smooth resizing put between: some of each lightness."""
        pixels = sum(self.counts.values())
        levels: Counter[int] = Counter()
        for value, count in self.counts.items():
            parts = {value >> 16, value >> 8 & 255, value & 255} if self.colored else {value}
            levels[round(sum(parts) / len(parts)) if max(parts) - min(parts) <= _NEAR else 127] += count
        if min(levels) < 0 or max(levels) > 255:
            return False
        ends = sum(count for level, count in levels.items() if min(level, 255 - level) <= _NEAR)
        lights = {level // 32 for level in levels}
        return len(levels) >= _RARE and len(lights & {4, 5, 6}) > 1 and 7 in lights and ends >= _NEARLY_ALL * pixels

    @property
    def is_like_a_mask(self) -> bool:
        """True of few values, and of two whose edges are blurred."""
        return len(self.counts) <= MOST_VALUES or self.is_blurred


@dataclass(frozen=True, slots=True)
class MaskClasses:
    """The classes of several masks."""

    values: tuple[int, ...]
    """The value of each class, in the order of their numbers; empty where they cannot be told."""
    void: int | None = None
    """The value of pixels that belong to no class."""
    colored: bool = False
    blurred: int = 0
    """Values between black and white, taken for the nearer of the two; 0 where the values are exact."""


def look(path: Path) -> MaskLook:
    """Decode a mask: palettes keep their numbers, grey images their levels. Raises one of images.BROKEN."""
    with opened(path) as image:
        size, mode = image.size, image.mode
        upright = image if mode in ("1", "L", "P", "F") or mode.startswith("I") else image.convert("RGB")
        pixels: NDArray[numpy.int64] = numpy.asarray(upright).astype(numpy.int64)
    if mode == "1":
        pixels = pixels * 255
    colored = pixels.ndim == 3
    if colored and bool((pixels == pixels[..., :1]).all()):  # grey, written in three channels
        pixels, colored = pixels[..., 0], False
    if colored:
        pixels = (pixels[..., 0] * 256 + pixels[..., 1]) * 256 + pixels[..., 2]
    values, counts = numpy.unique(pixels, return_counts=True)
    return MaskLook(size, dict(zip(values.tolist(), counts.tolist(), strict=True)), colored)


def classes_of(looks: Iterable[MaskLook]) -> MaskClasses:
    """The classes that these masks hold: a class for each value, of black and white with blurred edges two."""
    seen: Counter[int] = Counter()
    all_looks = list(looks)
    colored = any(one.colored for one in all_looks)
    for one in all_looks:
        for value, count in one.counts.items():
            # Grey images among colored ones are those that hold black alone, or other greys.
            seen[value * 0x10101 if colored and not one.colored else value] += count
    whole = MaskLook((0, 0), dict(seen), colored)
    white = 0xFFFFFF if colored else 255
    if whole.is_blurred:
        return MaskClasses((0, white), colored=colored, blurred=len(seen.keys() - {0, white}))
    if len(seen) > MOST_CLASSES:
        return MaskClasses((), colored=colored)
    values = sorted(seen)
    if not colored and VOID in seen and len(values) > 2 and _are_numbers(values[:-1]) and values[-1] == VOID:
        return MaskClasses(tuple(values[:-1]), VOID)
    return MaskClasses(tuple(values), colored=colored)


def _are_numbers(values: list[int]) -> bool:
    """True of values that number classes: most of them next to another one."""
    beside = sum(value + 1 in values or value - 1 in values for value in values)
    return 2 * beside >= len(values)
