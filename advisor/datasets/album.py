"""Some pictures of a folder, made small enough to be drawn with characters."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path

from advisor.datasets.dataset import Album, Inspection, Thumbnail
from advisor.datasets.media import images
from advisor.datasets.media.class_folders import class_folders
from advisor.datasets.readers.pictures import FORMAT, NOUN, SUFFIXES

SIDE = 12
"""Pixels of a thumbnail."""
MOST_CLASSES, MOST_EACH, MOST_TRIED = 8, 4, 12


def album(inspection: Inspection) -> Album | None:
    """The first pictures of each class that can be read; None of pictures that are no files in folders.

    Raises InputError where they are gone.
    """
    if inspection.format != FORMAT:
        return None
    found = class_folders(Path(inspection.path), SUFFIXES, NOUN)
    counts = Counter(member.label for member in found.members)
    labels = sorted(counts, key=lambda label: (-counts[label], label))
    shown: list[Thumbnail] = []
    for label in labels[:MOST_CLASSES]:
        paths = [found.path(member) for member in islice((m for m in found.members if m.label == label), MOST_TRIED)]
        drawn = (small for path in paths if (small := _thumbnail(path, label)) is not None)
        shown += islice(drawn, MOST_EACH)
    return Album({label: counts[label] for label in labels}, tuple(shown))


def _thumbnail(path: Path, label: str) -> Thumbnail | None:
    """None of a file that cannot be read."""
    try:
        pixels = images.read(path, SIDE, 3).transpose(1, 2, 0)
    except images.BROKEN:
        return None
    rows = (pixels * 255).round().astype(int).tolist()
    return Thumbnail(label, tuple(tuple((red, green, blue) for red, green, blue in row) for row in rows))
