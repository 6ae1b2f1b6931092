"""The class of each file by the folders in which it lies. Only the standard library: projects take this module as it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

PARTS = frozenset({"train", "training", "val", "valid", "validation", "dev", "test", "testing"})
"""Words that begin the name of a folder which splits the data."""
_OF_PARTS = frozenset({"set", "split", "data", "images", "all"})


def labels_of(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """The class of each file, empty for one that lies outside the folders of classes, and the folders that split the data.

    FOLDER/CLASS/file, FOLDER/data/CLASS/file, FOLDER/train/CLASS/file and FOLDER/CLASS/more/file have classes.

    Args:
        names: of the files, relative to the folder, with slashes; at least one.
    """
    found = [name.split("/") for name in names]
    depth = _folders_around(found)
    divisions = {parts[depth] for parts in found if len(parts) > depth + 1}
    if not all(map(is_part, divisions)):
        divisions = set()
    depth += bool(divisions)
    return [parts[depth] if len(parts) > depth + 1 else "" for parts in found], sorted(divisions)


def is_part(folder: str) -> bool:
    """True for the name of a folder that splits the data: train, val2017, test_set."""
    words = re.findall("[a-z]+", folder.casefold())
    return bool(words) and words[0] in PARTS and set(words[1:]) <= _OF_PARTS


def _folders_around(found: Sequence[Sequence[str]]) -> int:
    """The number of folders around those of the classes: FOLDER/data/CLASS/file has one."""
    deepest = min(len(parts) for parts in found) - 1
    depth = 0
    while depth + 1 < deepest and len({parts[depth] for parts in found}) == 1:
        depth += 1
    return depth
