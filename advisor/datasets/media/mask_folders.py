"""Images with a mask for each: a class for every pixel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from advisor.datasets import fingerprint
from advisor.datasets.dataset import Examples, Inspection, Remark, Task, Weight
from advisor.datasets.media import images, masks
from advisor.datasets.media.class_folders import Listing, beside_remarks
from advisor.datasets.media.masks import MaskClasses, MaskLook
from advisor.datasets.media.pairs import Pairs, pair_masks
from advisor.datasets.refusals import unlearnable
from advisor.datasets.sampling import spread
from advisor.facts.vocabulary import Value
from advisor.wording import join_first, join_names, shorten

FORMAT = "folder of images and masks"
_REMEDY = "Save masks as PNG with the number of the class as the value of each pixel."
_WORTH_A_DOUBT = 20
"""Masks that tell whether a pair of folders may be images and masks."""
_AS_CLASSES = "If the folders are classes after all, add --set task.kind=classify to recommend or starter."


@dataclass(frozen=True, slots=True)
class MasksReading:
    """Images and masks, as `media.pairs.pair_masks` pairs the names below the folder, and what their pixels mean."""

    images: str
    """The folder of the first image, relative to the one that was inspected."""
    masks: str
    """The folder of its mask."""
    side: int
    """Pixels a side of the square that stands for the images, whatever their own sizes."""
    colours: int
    values: tuple[int, ...]
    """The value of each class in masks, in the order of the classes' numbers; 65536 red + 256 green + blue in colored ones."""
    void: int | None
    """The value of pixels that belong to no class."""
    colored: bool
    blurred: bool
    """True where values between the two stand for the nearer one."""

    def load(self, inspection: Inspection, most_examples: int, seed: int) -> Examples:
        """Raise InputError: no trial learns from masks yet."""
        what = "`advisor try` does not support segmentation yet"
        raise unlearnable(inspection.path, what, "`advisor starter --data` writes a project that trains one.")


def doubt(listing: Listing) -> Remark | None:
    """The reason why folders may be images and masks or two classes, with a remedy; None where that is clear."""
    pairs = pair_masks(name for name, _ in listing.files)
    if not pairs.doubtful:
        return None
    seen: list[MaskLook] = []
    for place in spread(len(pairs.pairs), _WORTH_A_DOUBT).tolist():
        with suppress(*images.BROKEN):
            seen.append(masks.look(listing.folder / pairs.pairs[place][1]))
    if 2 * sum(mask.is_like_a_mask for mask in seen) < max(len(seen), 1):
        return None
    first, second = (shorten(folder, 40) for folder in pairs.folders)
    what = (
        f"The folders {first} and {second} may be two classes, or images and their masks: names and pixels do not tell."
    )
    remedy = (
        "If they are classes: --set task.kind=classify. If they are images and masks, rename them to images and masks."
    )
    return Remark(what, Weight.WARNING, remedy)


def inspect(listing: Listing, most_decoded: int) -> Inspection | None:
    """Decode at most so many pairs of an image and its mask; None where these are no images with masks."""
    pairs = pair_masks(name for name, _ in listing.files)
    if not pairs.pairs or pairs.doubtful:
        return None
    chosen = [pairs.pairs[place] for place in spread(len(pairs.pairs), most_decoded).tolist()]
    found: list[tuple[images.Look, MaskLook]] = []
    broken: list[str] = []
    for image, mask in chosen:
        try:
            found.append((images.look(listing.folder / image), masks.look(listing.folder / mask)))
        except images.BROKEN:
            broken.append(image)
    like_masks = sum(mask.is_like_a_mask for _, mask in found)
    if not found or 2 * like_masks < len(found):
        return None
    classes = masks.classes_of(mask for _, mask in found)
    names = tuple(_value(value, classes.colored) for value in classes.values)
    examples = len(pairs.pairs) - round(len(pairs.pairs) * len(broken) / len(chosen))
    looks = [look for look, _ in found]
    (width, height), often = Counter(look.size for look in looks).most_common(1)[0]
    usual = images.usual_side(look.size for look in looks)
    pixels = width * height if often == len(looks) else usual * usual
    colours = Counter(look.colours for look in looks).most_common(1)[0][0]
    sizes = dict(listing.files)
    used = [name for pair in pairs.pairs for name in pair]
    size = sum(sizes[name] for name in used)
    facts: dict[str, Value] = {
        "data.modality": "image", "task.kind": "segment", "data.examples": examples, "data.bytes": max(1, size),
        "data.inputs": colours * pixels, "data.labelled_fraction": 1.0,
    }  # fmt: skip
    if len(names) > 1:
        facts |= {"task.outputs": len(names), "data.imbalance": _imbalance([mask for _, mask in found], classes)}
    remarks = [
        *_on_pairs(listing, pairs, broken),
        *_on_classes(classes, names, [mask for _, mask in found]),
        *_on_sizes(found, usual if often < len(looks) else None),
        *beside_remarks(listing.beside, listing.noun),
    ]
    side = images.side_for(width, height) if often == len(looks) else images.side_for(usual, usual)
    return Inspection(
        path=str(listing.folder),
        format=FORMAT,
        modality="image",
        examples=examples,
        facts=facts,
        fingerprint=fingerprint.of_listing(
            ((name, sizes[name]) for name in used), files=[listing.folder / name for name in sorted(used)]
        ),
        task=Task.SEGMENT,
        classes=names,
        remarks=tuple(remarks),
        sampled=""
        if len(chosen) == len(pairs.pairs)
        else f"Looked into {len(chosen):,} of {len(pairs.pairs):,} pairs, evenly from all; masks of others may hold more values.",
        bytes=size,
        memory_bytes=examples * (colours + 1) * side * side * 4,
        reading=MasksReading(
            *pairs.folders, side, colours, classes.values, classes.void, classes.colored, bool(classes.blurred)
        ),
        resizable=True,
        task_remedy=_REMEDY,
    )


def _value(value: int, colored: bool) -> str:
    return f"#{value:06x}" if colored else str(value)


def _imbalance(looks: Sequence[MaskLook], classes: MaskClasses) -> float:
    """The pixels of the largest class for one of the smallest."""
    counts: Counter[int] = Counter()
    for look in looks:
        for value, count in look.counts.items():
            whole = value * 0x10101 if classes.colored and not look.colored else value
            near = min(classes.values, key=lambda one: abs(one - whole)) if classes.blurred else whole
            counts[near] += count
    pixels = [max(1, counts[value]) for value in classes.values]
    return round(max(pixels) / min(pixels), 3)


def _on_pairs(listing: Listing, pairs: Pairs, broken: Sequence[str]) -> Iterator[Remark]:
    image, mask = pairs.pairs[0]
    example = f"{shorten(image, 60)} with {shorten(mask, 60)}"
    what = f"{len(pairs.pairs):,} images have a mask each, such as {example}: a class for every pixel."
    yield Remark(what, remedy=_AS_CLASSES)
    for alone, kind, other in ((pairs.images_alone, "image", "mask"), (pairs.masks_alone, "mask", "image")):
        if alone:
            count = f"1 {kind} has" if len(alone) == 1 else f"{len(alone):,} {kind}s have"
            names = join_first([shorten(name, 40) for name in alone])
            remedy = f"Give the {kind} and its {other} the same name."
            yield Remark(f"{count} no {other} of the same name, or several: {names}. Left out.", Weight.WARNING, remedy)
    others = len(listing.files) - 2 * len(pairs.pairs) - len(pairs.images_alone) - len(pairs.masks_alone)
    if others:
        yield Remark(f"Images that are neither of the two were left out: {others:,}.")
    if broken:
        names = join_first([shorten(name, 40) for name in broken])
        yield Remark(f"Pairs that cannot be read: {len(broken):,}, such as {names}. They are left out.", Weight.WARNING)


def _on_classes(classes: MaskClasses, names: Sequence[str], looks: Sequence[MaskLook]) -> Iterator[Remark]:
    if not names:
        most = max(len(look.counts) for look in looks)
        what = f"The number of classes is not known: the masks hold too many different values, up to {most:,} in one."
        yield Remark(what, Weight.WARNING, f"{_REMEDY} Or state it: --set task.outputs=N.")
        return
    if len(names) == 1:
        what = f"All masks hold a single value, {names[0]}: there is nothing to tell apart."
        yield Remark(what, Weight.WARNING, _REMEDY)
        return
    if len(names) <= 12:
        yield Remark(f"Values of the masks, a class each: {join_names(list(names))}.")
    if classes.void is not None:
        what = f"The value {classes.void} is taken for pixels that belong to no class, and not counted as one."
        yield Remark(what, remedy=f"If it is a class: --set task.outputs={len(names) + 1}.")
    if classes.blurred:
        between = f"{classes.blurred:,} values between black and white, as JPEG and resizing leave them"
        what = f"The masks hold {between}: taken for two classes."
        yield Remark(what, Weight.WARNING, "Save masks as PNG, and resize them without smoothing (nearest neighbor).")
    if classes.colored and not classes.blurred:
        yield Remark("The masks are in colors: each color is taken for a class.")


def _on_sizes(found: Sequence[tuple[images.Look, MaskLook]], usual: int | None) -> Iterator[Remark]:
    if usual is not None:
        sizes = {look.size for look, _ in found}
        yield Remark(f"The images have {len(sizes):,} different sizes; the plan takes them as {usual}x{usual}.")
    unlike = [(look.size, mask.size) for look, mask in found if look.size != mask.size]
    if unlike:
        (wide, high), (mask_wide, mask_high) = unlike[0]
        what = f"{len(unlike):,} masks are not of the size of their image, such as {mask_wide}x{mask_high} for {wide}x{high}."
        yield Remark(what, Weight.WARNING, "Bring each mask to the size of its image, without smoothing.")
