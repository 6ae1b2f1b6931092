"""Files beside images that say more about them than their folders do: boxes, captions, masks that match nothing."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from advisor.datasets.dataset import Remark, Weight
from advisor.datasets.media.class_folders import ClassFolders, Listing
from advisor.datasets.media.folder_labels import is_part
from advisor.datasets.media.pairs import pair_masks, role_of
from advisor.wording import join_names, shorten

_LOOKED_INTO = 20
_MOST_BYTES = 2**20
_BOX = re.compile(r"\s*\d+([ \t]+-?[\d.]+(e-?\d+)?){4,}\s*")
"""A line of YOLO: the number of a class, and a box or an outline. It is matched line by line, in linear time."""
_DETECTION = (
    "advisor plans no object detection yet. Tools made for it, such as Ultralytics or RF-DETR, read this layout. "
    "To tell whole images apart, put those of each class into a folder of its own."
)


@dataclass(frozen=True, slots=True)
class _Companions:
    kind: str
    """A file with boxes or captions, with the format in brackets."""
    count: int
    example: str

    @property
    def are_boxes(self) -> bool:
        return not self.kind.startswith("text")


def no_classes(listing: Listing, found: ClassFolders) -> Remark | None:
    """The reason why the folders are no classes, with a remedy; None where they are."""
    pairs = pair_masks(name for name, _ in listing.files)
    roles = [label for label in found.classes if role_of(label) or is_part(label)]
    taken = 2 * len(pairs.pairs) + len(pairs.images_alone) + len(pairs.masks_alone)
    if pairs.image_is_named and taken == len(listing.files):
        images, masks = pairs.folders
        what = f"The folders {shorten(images, 40)} and {shorten(masks, 40)} seem to hold images and masks, and not two classes"
        if pairs.pairs:
            what += ", but those in the second have as many values as photos have."
        else:
            what += ", but their names do not match one to one."
        remedy = "Give each image and its one mask the same name, and masks few values. "
        return Remark(what, Weight.WARNING, f"{remedy}If they are classes: --set task.kind=classify.")
    if found.classes and len(roles) < len(found.classes):
        return None
    beside = _companions(listing)
    if beside is not None:
        return Remark(_told(beside, listing), Weight.WARNING, _remedy(beside))
    if found.classes:
        names = join_names([shorten(label, 30) for label in found.classes])
        what = f"The folder{'s' if len(found.classes) > 1 else ''} {names} cannot be told to be classes, by the name."
        return Remark(what, Weight.WARNING, f"Put the {listing.noun} of each class into a folder named after it.")
    return None


def remarks(listing: Listing) -> Iterator[Remark]:
    """A remark on what lies beside images in folders of classes."""
    beside = _companions(listing)
    if beside is not None:
        yield Remark(_told(beside, listing), Weight.WARNING, _remedy(beside) if beside.are_boxes else "")


def _told(beside: _Companions, listing: Listing) -> str:
    have = "image has" if len(listing.files) == 1 else "images have" if beside.count > 1 else "images has"
    of = f"{beside.count:,} of {len(listing.files):,} {have}"
    return f"{of} a {beside.kind}, such as {shorten(beside.example, 60)}."


def _remedy(beside: _Companions) -> str:
    if beside.are_boxes:
        return _DETECTION
    return "State what is to be learned with --set task.kind=generate or another kind, or put each class into a folder."


def _companions(listing: Listing) -> _Companions | None:
    """The commonest of the files that describe images: one of the same stem for each, or one of COCO for all."""
    stems = {_stem(name) for name, _ in listing.files}
    own = [name for name in listing.notes if _stem(name) in stems]
    kinds = Counter(kind for name in islice(own, _LOOKED_INTO) if (kind := _kind(listing.folder / name)))
    if kinds:
        kind = kinds.most_common(1)[0][0]
        suffix = next(Path(name).suffix for name in own if _kind(listing.folder / name) == kind)
        count = len({_stem(name) for name in own if Path(name).suffix == suffix})
        return _Companions(kind, count, next(name for name in own if name.endswith(suffix)))
    for name in islice((name for name in listing.notes if name.casefold().endswith(".json")), _LOOKED_INTO):
        beginning, end = _ends(listing.folder / name)
        if '"annotations"' in beginning + end and ('"images"' in beginning + end or '"categories"' in beginning + end):
            return _Companions("file with boxes or outlines of all (COCO)", len(listing.files), name)
    return None


def _stem(name: str) -> str:
    return os.path.splitext(os.path.basename(name))[0]  # noqa: PTH119, PTH122  a path object for each is slow


def _kind(path: Path) -> str:
    """The kind of things that the file says of an image; empty where that is not seen."""
    beginning, _ = _ends(path)
    match path.suffix.casefold():
        case ".txt" if _are_boxes(beginning):
            return "file with boxes or outlines (YOLO)"
        case ".txt" if beginning.strip() and any(letter.isalpha() for letter in beginning):
            return "text file (captions?)"
        case ".xml" if "<bndbox" in beginning or "<annotation" in beginning:
            return "file with boxes (Pascal VOC)"
        case ".json" if _has_shapes(beginning):
            return "file with outlines (LabelMe)"
    return ""


def _are_boxes(text: str) -> bool:
    """True where every line that is not blank is a box or an outline."""
    lines = [line for line in text.split("\n") if line.strip()]
    return bool(lines) and all(_BOX.fullmatch(line) for line in lines)


def _has_shapes(text: str) -> bool:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(said, dict) and ("shapes" in said or "annotations" in said or "objects" in said)


def _ends(path: Path) -> tuple[str, str]:
    """The beginning of a file, and the end of one that is longer; empty where it cannot be read."""
    try:
        with path.open("rb") as file:
            beginning = file.read(_MOST_BYTES)
            size = file.seek(0, os.SEEK_END)
            file.seek(max(len(beginning), size - 2**16))
            return beginning.decode(errors="replace"), file.read(2**16).decode(errors="replace")
    except OSError:
        return "", ""
