"""Folders of pictures: FOLDER/CLASS/*.png and other kinds, all made one size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from advisor.datasets.dataset import Examples, Inspection, Remark, Task, Weight
from advisor.datasets.media import companions, images, mask_folders
from advisor.datasets.media.class_folders import (
    Member,
    by_class,
    class_folders,
    inspection_of,
    listed,
    load_members,
    without_classes,
)
from advisor.datasets.media.images import Look
from advisor.datasets.reader import Reader
from advisor.datasets.refusals import refuse_target, unreadable
from advisor.datasets.sampling import spread
from advisor.wording import join_names, shorten

FORMAT = "folder of images"
SUFFIXES = frozenset({
    ".png", ".apng", ".jpg", ".jpeg", ".jpe", ".jfif", ".jif", ".bmp", ".dib", ".gif", ".webp", ".tif", ".tiff", ".avif",
    ".jp2", ".j2k", ".jpx", ".jpf", ".ppm", ".pgm", ".pbm", ".pnm",
})  # fmt: skip
NOUN = "pictures"
DECODED = 300
"""Pictures that an inspection looks into."""
MOST_BYTES = 2**30
"""Of pictures in memory."""
_REMEDY = "Save them once more as PNG or JPEG."


@dataclass(frozen=True, slots=True)
class PicturesReading:
    """Pictures in folders of classes, and the size at which trials take them."""

    side: int
    colours: int

    def load(self, inspection: Inspection, most_examples: int, seed: int) -> Examples:
        """Pictures between 0 and 1, float32 (n, colours, side, side), and their classes."""
        found = class_folders(Path(inspection.path), SUFFIXES, NOUN)
        most = min(most_examples, MOST_BYTES // (4 * self.colours * self.side * self.side))
        read = partial(images.read, side=self.side, colours=self.colours)
        return load_members(inspection, found, most, seed, read=read, broken=images.BROKEN, remedy=_REMEDY)


def inspect(folder: Path, target: str | None, task: Task | None) -> Inspection:
    """Decode at most 300 pictures.

    Raises InputError where there are no pictures, or none of those looked into can be read.
    """
    refuse_target(target, folder)
    listing = listed(folder, SUFFIXES, NOUN)
    masked = None if task is Task.CLASSIFY else mask_folders.inspect(listing, DECODED)
    if masked is not None:
        return masked
    found = by_class(listing)
    why = None if task is Task.CLASSIFY else mask_folders.doubt(listing) or companions.no_classes(listing, found)
    found = without_classes(listing, why) if why is not None else found
    chosen = spread(len(found.members), DECODED)
    looks, kept, broken = found.read(chosen, images.look, images.BROKEN)
    names = join_names([shorten(member.name, 40) for member, _ in broken[:3]])
    if not looks:
        raise unreadable(folder, f"none of its pictures can be read, such as {names}", _REMEDY)
    width, height = Counter(look.size for look in looks).most_common(1)[0][0]
    colours = Counter(look.colours for look in looks).most_common(1)[0][0]
    of_one_size = all(look.size == (width, height) for look in looks)
    usual = images.usual_side(look.size for look in looks)
    side = images.side_for(width, height) if of_one_size else images.side_for(usual, usual)
    # Of many sizes the most common stands for few.
    pixels = width * height if of_one_size else usual * usual
    remarks = [*_remarks(looks, (width, height), colours)]
    if broken:
        what = f"{len(broken):,} of the {len(chosen):,} looked into cannot be read, such as {names}."
        remarks.append(Remark(what, Weight.WARNING, f"They are left out. {_REMEDY}"))
    remarks += [*companions.remarks(listing)] if why is None else []
    remarks += _duplicates(looks, [found.members[position] for position in kept])
    inspection = inspection_of(
        found,
        FORMAT,
        {"data.modality": "image", "data.inputs": colours * pixels},
        remarks,
        PicturesReading(side, colours),
        looked_into=len(chosen),
        broken=len(broken),
        sampled=f"Looked into {len(chosen):,} of {len(found.members):,} pictures, evenly from all; of the others only "
        "names and sizes are known.",
        bytes_each=colours * side * side * 4,
        task_remedy=why.remedy if why is not None else "",
    )
    return replace(inspection, resizable=True)


def _remarks(looks: list[Look], commonest: tuple[int, int], colours: int) -> Iterator[Remark]:
    sizes = Counter(look.size for look in looks)
    width, height = commonest
    if len(sizes) > 1:
        widths, heights = zip(*sizes, strict=True)
        wide = f"from {min(widths)} to {max(widths)} pixels wide"
        range_ = f"{wide} and from {min(heights)} to {max(heights)} high"
        usual = images.usual_side(look.size for look in looks)
        small = images.side_for(usual, usual)
        trials = f"; trials take {small}x{small}, to finish within minutes" if small < usual else ", and so do trials"
        yield Remark(
            f"The pictures have {len(sizes)} different sizes, {range_}.",
            Weight.WARNING,
            f"The plan takes them as {usual}x{usual}, about the pixels of the middle one{trials}. Bring them to "
            "one size yourself where shapes must not be stretched.",
        )
    else:
        yield from images.remarks_on_resizing(width, height)
    if len({look.colours for look in looks}) > 1:
        share = sum(look.colours == colours for look in looks) / len(looks)
        kind = "grey" if colours == 1 else "coloured"
        yield Remark(f"Grey and coloured pictures are mixed; {share * 100:.0f} % are {kind}, and so all are taken.")


def _duplicates(looks: list[Look], members: list[Member]) -> Iterator[Remark]:
    same: dict[bytes, list[Member]] = {}
    for look, member in zip(looks, members, strict=True):
        same.setdefault(look.content, []).append(member)
    twice = [copies for copies in same.values() if len(copies) > 1]
    if not twice:
        return
    spare = sum(len(copies) - 1 for copies in twice)
    copy, original = shorten(twice[0][1].name, 40), shorten(twice[0][0].name, 40)
    what = f"{spare:,} of the {len(looks):,} looked into are copies, such as {copy} of {original}."
    yield Remark(what, Weight.WARNING, "Delete copies: one in the training and one in the test makes scores too good.")
    conflicting = sum(len({member.label for member in copies}) > 1 for copies in twice)
    if conflicting:
        what = f"Pictures that lie in several classes at once: {conflicting:,}."
        yield Remark(what, Weight.WARNING, "Decide on one class for each.")


READER = Reader("pictures (PNG, JPEG ...)", SUFFIXES, inspect, reads_folders=True)
