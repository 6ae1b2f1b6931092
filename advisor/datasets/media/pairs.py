"""Names of images and of the masks that belong to them. Only the standard library: projects take this module as it is."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import PurePosixPath
from typing import TypeAlias

IMAGE_WORDS = frozenset({
    "image", "images", "img", "imgs", "picture", "pictures", "photo", "photos", "jpegimages", "leftimg8bit",
    "imagestr", "imagests", "imgstr", "rgb", "input", "inputs", "frame", "frames", "sat", "satellite", "original",
    "originals", "raw", "source",
})  # fmt: skip
"""Words of names that say: these are the images."""
MASK_WORDS = frozenset({
    "mask", "masks", "msk", "label", "labels", "lbl", "lbls", "labeled", "labelled", "annotation", "annotations",
    "annot", "annots", "annotated", "seg", "segs", "segm", "segmentation", "segmentations", "segmentationclass",
    "segmentationclassaug", "segmentationclassraw", "segmentationobject", "gt", "gts", "gtfine", "gtcoarse",
    "groundtruth", "groundtruths", "labelids", "labeltrainids", "instanceids", "labelstr", "labelsts", "target",
    "targets", "trimap", "trimaps", "matte", "mattes", "alpha", "silhouette", "silhouettes", "manual", "manual1",
    "manual2",
})  # fmt: skip
"""Words of names that say: these are the masks."""
_OFTEN_CLASSES = frozenset({
    "label", "labels", "lbl", "lbls", "labeled", "labelled", "labelstr", "labelsts", "target", "targets", "matte",
    "mattes", "alpha", "silhouette", "silhouettes", "manual", "manual1", "manual2", "annotated",
})  # fmt: skip
"""Words of masks that name classes as well, as alpha beside beta: where no name speaks of images, they do not decide."""
SECOND_BEST = frozenset(
    {"segmentationobject", "instanceids", "color", "colour", "colors", "colours", "instance", "instances"}
)
"""Words of masks that number things or paint classes, where other masks of the same images hold the classes."""
_PARTS = frozenset({"train", "training", "val", "valid", "validation", "test", "testing"})
_NEGATIONS = frozenset({"no", "not", "non", "without", "with", "un"})
_SPLIT = re.compile(r"^(train|val|valid|test)(annots?|masks?|labels?|images?|imgs?)$")
_TWO_WORDS = {("ground", "truth"): "groundtruth"}


@dataclass(frozen=True)
class Pairs:
    """Images and their masks, by their names relative to the folder."""

    pairs: tuple[tuple[str, str], ...] = ()
    """An image and its mask, in the order of the images."""
    images_alone: tuple[str, ...] = ()
    """Images to which no mask belongs."""
    masks_alone: tuple[str, ...] = ()
    """Masks to which no image belongs, or more than one."""
    folders: tuple[str, str] = ("", "")
    """The folder of the first image, and that of its mask."""
    image_is_named: bool = False
    """True where names say of the images, and not of the masks alone, what they are."""
    doubtful: bool = False
    """True where the only sign of masks is a word that names classes as well."""


@dataclass(frozen=True)
class _Named:
    name: str
    role: str
    """`mask`, `image` or empty."""
    key: tuple[str, ...]
    """The name without the words that tell roles; the same for an image and its mask."""
    traits: frozenset[str]
    """Words of the role."""


_Key: TypeAlias = Callable[[_Named], tuple[str, ...]]


def pair_masks(names: Iterable[str]) -> Pairs:
    """Pair images with masks by the words in their names: images/1.jpg and masks/1.png, 1.jpg and 1_mask.png.

    `names` are paths with `/`, relative to the folder, of images only. Names that speak of images and masks, but
    match nowhere, come back without pairs; where no name speaks of masks, everything is empty.
    """
    every = sorted(names)
    around = _folders_around(every)
    named = [_read(name, around) for name in every]
    masks = _of_one_kind([one for one in named if one.role == "mask"])
    if not masks:
        return Pairs()
    images = [one for one in named if one.role == "image"] or [one for one in named if not one.role]
    for keys in (_whole, _end, _without_common_ends(images, masks)):
        pairs = _matched(images, masks, keys)
        if 2 * len(pairs) >= min(len(images), len(masks)) and pairs:
            return _pairs_of(images, masks, pairs)
    if images and images[0].role == "image":
        no_mask, no_image = (tuple(one.name for one in group) for group in (images, masks))
        return Pairs((), no_mask, no_image, (_folder(images[0].name), _folder(masks[0].name)), image_is_named=True)
    return Pairs()


def _folders_around(names: Sequence[str]) -> int:
    """The number of folders in which all names lie: what they are called tells nothing."""
    folders = [PurePosixPath(name).parts[:-1] for name in names]
    return sum(1 for _ in takewhile(lambda parts: len(set(parts)) == 1, zip(*folders, strict=False)))


def _folder(name: str) -> str:
    return str(PurePosixPath(name).parent)


def _pairs_of(images: Sequence[_Named], masks: Sequence[_Named], pairs: list[tuple[str, str]]) -> Pairs:
    with_mask, used = {image for image, _ in pairs}, {mask for _, mask in pairs}
    image, mask = pairs[0]
    return Pairs(
        tuple(pairs),
        tuple(one.name for one in images if one.name not in with_mask),
        tuple(one.name for one in masks if one.name not in used),
        (_folder(image), _folder(mask)),
        image_is_named=images[0].role == "image",
        doubtful=not _are_sure(images, masks, pairs),
    )


def _are_sure(images: Sequence[_Named], masks: Sequence[_Named], pairs: list[tuple[str, str]]) -> bool:
    """True where names speak of images, or plainly of masks, or are the same but for the word: 1.png and 1_label.png."""
    if images[0].role == "image" or masks[0].traits & (MASK_WORDS - _OFTEN_CLASSES):
        return True
    keys = {one.name: [part for part in one.key if part not in _PARTS] for one in (*images, *masks)}
    return all(keys[image] == keys[mask] for image, mask in pairs)


def role_of(word: str) -> str:
    """`mask`, `image` or empty, for the name of a folder."""
    return _role(_words(word))[0]


def _read(name: str, around: int) -> _Named:
    path = PurePosixPath(name)
    role, key, traits = "", [], set[str]()
    for part in (*path.parts[around:-1], path.stem):
        found, rest, said = _role(_words(part))
        role = "mask" if "mask" in (role, found) else role or found
        traits |= said
        key += [" ".join(rest)] if rest else []
    return _Named(name, role, tuple(key), frozenset(traits))


def _words(part: str) -> list[str]:
    words = [word for word in re.split(r"[^0-9a-z]+", part.casefold()) if word]
    split = _SPLIT.match(words[0]) if len(words) == 1 else None
    if split is not None:
        return [split[1], split[2]]
    for two, one in _TWO_WORDS.items():
        for place in range(len(words) - 1):
            if tuple(words[place : place + 2]) == two:
                words[place : place + 2] = [one]
    return words


def _role(words: list[str]) -> tuple[str, list[str], set[str]]:
    """The role that some words tell, the other words, and those that told it."""
    if _NEGATIONS & set(words):  # no_mask, without_mask: names of classes
        return "", words, set()
    said = {word for word in words if word in MASK_WORDS or word in IMAGE_WORDS}
    role = "mask" if said & MASK_WORDS else "image" if said else ""
    if role == "mask":
        said |= set(words) & SECOND_BEST
    return role, [word for word in words if word not in said], said


def _of_one_kind(masks: list[_Named]) -> list[_Named]:
    """The masks of one kind, where images have several: those of classes before those of things, then the most."""
    kinds: dict[frozenset[str], list[_Named]] = defaultdict(list)
    for one in masks:
        kinds[one.traits & MASK_WORDS | one.traits & SECOND_BEST].append(one)
    return min(kinds.values(), key=lambda found: (bool(found[0].traits & SECOND_BEST), -len(found)), default=[])


def _whole(one: _Named) -> tuple[str, ...]:
    return one.key


def _end(one: _Named) -> tuple[str, ...]:
    return one.key[-1:]


def _without_common_ends(images: Sequence[_Named], masks: Sequence[_Named]) -> _Key:
    """Leave out what all images, or all masks, have at the beginning or end of the stem: 21_training and 21_manual1."""
    ends = {one.name: found for group in (images, masks) for found in [_common(group)] for one in group}

    def key(one: _Named) -> tuple[str, ...]:
        before, after = ends[one.name]
        stem = PurePosixPath(one.name).stem
        return (stem[len(before) : len(stem) - len(after)],)

    return key


def _common(group: Sequence[_Named]) -> tuple[str, str]:
    """The common beginning and end of all stems, without digits that may tell them apart."""
    stems = [PurePosixPath(one.name).stem for one in group]
    if len(stems) < 2:
        return "", ""
    before = _same_beginning(stems).rstrip("0123456789")
    after = _same_beginning([stem[len(before) :][::-1] for stem in stems])[::-1]
    cut = re.search(r"[^0-9].*$", after)  # digits at its beginning may belong to a number
    return before, cut[0] if cut else ""


def _same_beginning(texts: Sequence[str]) -> str:
    same = takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    return "".join(letters[0] for letters in same)


def _matched(images: Sequence[_Named], masks: Sequence[_Named], keys: _Key) -> list[tuple[str, str]]:
    sides: list[dict[tuple[str, ...], list[str]]] = [defaultdict(list), defaultdict(list)]
    for side, group in zip(sides, (images, masks), strict=True):
        for one in group:
            side[keys(one)].append(one.name)
    first, second = sides
    both = [(found[0], second[key][0]) for key, found in first.items() if len(found) == 1 == len(second.get(key, ()))]
    return sorted(both)
