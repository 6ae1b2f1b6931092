"""Folders with a folder of files for each class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy
from numpy.typing import NDArray

from advisor.datasets import fingerprint
from advisor.datasets.conversions import how_to_convert
from advisor.datasets.dataset import Examples, Inspection, Reading, Remark, Task, Weight
from advisor.datasets.media.entries import MOST_ENTRIES, Entry, entries_below
from advisor.datasets.media.folder_labels import labels_of
from advisor.datasets.refusals import unreadable
from advisor.datasets.sampling import Positions, class_numbers, how_drawn, stratified
from advisor.facts.vocabulary import Value
from advisor.wording import join_names, shorten

NOTES = frozenset({".txt", ".xml", ".json", ".csv"})
"""Endings of files in which programs describe others."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a class."""

    name: str
    """Relative to the folder."""
    label: str
    size: int


@dataclass(frozen=True, slots=True)
class Beside:
    """All that lies among the files of a kind and is none of the examples."""

    outside: int = 0
    """Files of the kind that lie beside the folders of the classes, in none of them."""
    others: int = 0
    """Files of other kinds."""
    links: int = 0
    """Folders that are links, and not followed."""
    faulty: tuple[Entry, ...] = ()
    """Entries that cannot be read, or are no files."""
    cut_off: bool = False
    """True where there are more entries than are looked at."""
    left_behind: tuple[str, ...] = ()
    """Folders that programs left behind."""
    unread: tuple[tuple[int, str, str], ...] = ()
    """Images and sounds in formats that are not read: their number, their ending, and how to convert them."""


@dataclass(frozen=True, slots=True)
class ClassFolders:
    """The files of a kind, in the order of their names, and the classes that their folders stand for."""

    folder: Path
    noun: str
    """Of its files in messages: pictures."""
    members: tuple[Member, ...]
    classes: tuple[str, ...]
    parts: tuple[str, ...] = ()
    beside: Beside = Beside()
    without_classes: Remark | None = None
    """The reason why no folder is a class, where that is not that there are no folders."""

    def path(self, member: Member) -> Path:
        return self.folder / member.name

    def read(
        self, positions: Positions, read: Callable[[Path], T], broken: tuple[type[BaseException], ...]
    ) -> tuple[list[T], list[int], list[tuple[Member, str]]]:
        """Read some files: what was read, its positions, and the files whose reading raised one of `broken`, with the reason."""
        found, kept, lost = [], [], []
        for position in positions.tolist():
            member = self.members[position]
            try:
                found.append(read(self.path(member)))
            except broken as error:
                lost.append((member, str(error) or "it is cut off"))
            else:
                kept.append(position)
        return found, kept, lost

    @property
    def bytes(self) -> int:
        return sum(member.size for member in self.members)

    @property
    def fingerprint(self) -> str:
        files = [self.path(member) for member in sorted(self.members, key=lambda member: member.name)]
        return fingerprint.of_listing(((member.name, member.size) for member in self.members), files=files)


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a kind in a folder, in the order of their names, and what lies beside them."""

    folder: Path
    noun: str
    files: tuple[tuple[str, int], ...]
    """Names relative to the folder, and bytes."""
    beside: Beside = Beside()
    notes: tuple[str, ...] = ()
    """Names of files in which programs describe others: .txt, .xml, .json, .csv."""


def listed(folder: Path, suffixes: Collection[str], noun: str) -> Listing:
    """List the files of a kind. Hidden files and folders that programs leave behind are passed over, and links to folders.

    `noun` names the files in messages: pictures. Raises InputError where there are none, and OSError.
    """
    found: list[tuple[str, int]] = []
    faulty: list[Entry] = []
    notes: list[str] = []
    left_behind: list[str] = []
    endings: Counter[str] = Counter()
    others = links = seen = 0
    for entry in islice(entries_below(folder), MOST_ENTRIES):
        seen += 1
        if entry.is_left_behind:
            left_behind.append(entry.name)
        elif entry.fault:
            faulty.append(entry)
        elif entry.is_linked_folder:
            links += 1
        elif entry.suffix not in suffixes:
            others += 1
            notes += [entry.name] if entry.suffix in NOTES else []
            endings[entry.suffix] += 1
        else:
            found.append((entry.name, entry.size))
    if not found:
        raise unreadable(folder, f"this folder holds no {noun}", f"Name one with a folder of {noun} for each class.")
    found.sort(key=lambda file: file[0].split("/"))
    remedies = ((count, ending, how_to_convert(folder, ending)) for ending, count in endings.most_common())
    unread = tuple((count, ending, remedy) for count, ending, remedy in remedies if remedy is not None)
    cut_off = seen == MOST_ENTRIES
    beside = Beside(0, others, links, tuple(faulty), cut_off, tuple(left_behind), unread)
    return Listing(folder, noun, tuple(found), beside, tuple(notes))


def class_folders(folder: Path, suffixes: Collection[str], noun: str) -> ClassFolders:
    """Files of a kind by their classes: FOLDER/CLASS/files, FOLDER/train/CLASS/files, or files without a class.

    Raises InputError where there are none, and OSError.
    """
    return by_class(listed(folder, suffixes, noun))


def by_class(listing: Listing) -> ClassFolders:
    """The files by the classes that their folders stand for."""
    labels, divisions = labels_of([name for name, _ in listing.files])
    members = [Member(name, label, size) for (name, size), label in zip(listing.files, labels, strict=True) if label]
    outside = len(labels) - len(members)
    if not members:  # no folders for classes: all files are examples without one
        members, outside = [Member(name, "", size) for name, size in listing.files], 0
    classes = _in_order({member.label for member in members} - {""})
    beside = replace(listing.beside, outside=outside)
    return ClassFolders(listing.folder, listing.noun, tuple(members), classes, tuple(divisions), beside)


def without_classes(listing: Listing, why: Remark) -> ClassFolders:
    """All files, of no class, since their folders stand for something else."""
    members = tuple(Member(name, "", size) for name, size in listing.files)
    return ClassFolders(listing.folder, listing.noun, members, (), (), listing.beside, why)


def inspection_of(
    found: ClassFolders,
    format_: str,
    facts: Mapping[str, Value],
    remarks: Iterable[Remark],
    reading: Reading,
    *,
    looked_into: int,
    broken: int,
    sampled: str,
    bytes_each: float,
    task_remedy: str = "",
) -> Inspection:
    """Inspect folders of classes by the facts and remarks on some of their files.

    Args:
        sampled: said where not all files were looked into.
        bytes_each: in memory, of one example.
    """
    examples = len(found.members) - round(len(found.members) * broken / looked_into)
    return Inspection(
        path=str(found.folder),
        format=format_,
        modality=str(facts["data.modality"]),
        examples=examples,
        facts={**_class_facts(found, examples), **facts},
        fingerprint=found.fingerprint,
        task=Task.CLASSIFY if len(found.classes) > 1 else None,
        classes=found.classes,
        remarks=(*_class_remarks(found), *remarks),
        sampled=sampled if looked_into < len(found.members) else "",
        bytes=found.bytes,
        memory_bytes=round(examples * bytes_each),
        reading=reading,
        task_remedy=task_remedy or one_folder_each(found.noun),
    )


def _class_facts(folders: ClassFolders, examples: int) -> dict[str, Value]:
    """Facts that follow from the classes and their sizes; `examples` of the files are readable."""
    facts: dict[str, Value] = {"data.examples": examples, "data.bytes": max(1, folders.bytes)}
    if len(folders.classes) > 1:
        sizes = Counter(member.label for member in folders.members).values()
        facts |= {"task.kind": "classify", "task.outputs": len(folders.classes), "data.labelled_fraction": 1.0}
        facts["data.imbalance"] = round(max(sizes) / min(sizes), 3)
    return facts


def load_members(
    inspection: Inspection,
    found: ClassFolders,
    most_examples: int,
    seed: int,
    *,
    read: Callable[[Path], NDArray[Any]],
    broken: tuple[type[BaseException], ...],
    remedy: str,
) -> Examples:
    """Read at most so many files, each class by its share, and leave out those whose reading raises one of `broken`.

    Raises InputError where none can be read.
    """
    numbers, classes = class_numbers([member.label for member in found.members], inspection.classes)
    chosen = stratified(numbers, most_examples, seed)
    examples, kept, lost = found.read(chosen, read, broken)
    if not kept:
        raise unreadable(inspection.path, f"none of its {found.noun} can be read", remedy)
    left_out = []
    if len(chosen) < len(found.members):
        left_out.append(
            f"{len(chosen):,} of {len(found.members):,} {found.noun} were taken, {how_drawn(numbers, numbers[chosen])}."
        )
    if lost:
        left_out.append(f"{len(lost):,} that cannot be read {'was' if len(lost) == 1 else 'were'} left out.")
    return Examples(
        inspection.modality, Task.CLASSIFY, numpy.stack(examples), numbers[kept], classes, left_out=" ".join(left_out)
    )


def one_folder_each(noun: str) -> str:
    return f"Put the {noun} of each class into a folder of its own: the folders name the classes."


def _class_remarks(folders: ClassFolders) -> Iterator[Remark]:
    """Remarks on the folders and the classes."""
    noun = folders.noun
    if folders.without_classes is not None:
        yield folders.without_classes
    elif not folders.classes:
        yield Remark(
            f"The {noun} have no classes, since no folders divide them.", Weight.WARNING, one_folder_each(noun)
        )
    elif len(folders.classes) == 1:
        what = f"All {noun} are of one class ({shorten(folders.classes[0])}), so there is nothing to tell apart."
        yield Remark(what, Weight.WARNING, one_folder_each(noun))
    sizes = Counter(member.label for member in folders.members)
    single = [shorten(name, 30) for name in folders.classes if sizes[name] == 1]
    if single and len(folders.classes) > 1:
        count = "One class is" if len(single) == 1 else f"{len(single):,} classes are"
        what = f"{count} with a single example: {join_names(_few(single))}. It is trained on or tested, not both."
        yield Remark(what, Weight.WARNING, "Add examples or leave such classes out.")
    if folders.parts:
        names = join_names([shorten(part, 20) for part in folders.parts])
        what = f"The folders {names} were taken together; trials split the examples anew."
        yield Remark(what, remedy="Name one of them to use only its examples.")
    yield from beside_remarks(folders.beside, noun)


def beside_remarks(beside: Beside, noun: str) -> Iterator[Remark]:
    """Remarks on what was left out."""
    if beside.outside:
        one = beside.outside == 1
        lie, were = (f"{noun.removesuffix('s')} lies", "was") if one else (f"{noun} lie", "were")
        what = f"{beside.outside:,} {lie} beside the folders of the classes and {were} left out."
        yield Remark(what, Weight.WARNING)
    if beside.faulty:
        named = [f"{shorten(entry.name, 60)} ({entry.fault})" for entry in beside.faulty]
        count = (
            "1 entry cannot be read and was" if len(named) == 1 else f"{len(named):,} entries cannot be read and were"
        )
        what = f"{count} left out: {join_names(_few(named))}."
        yield Remark(what, Weight.WARNING, "Check their rights and where links lead, or name a folder further down.")
    if beside.cut_off:
        what = f"Only the first {MOST_ENTRIES:,} entries of the folder were looked at."
        yield Remark(what, Weight.WARNING, "Name a part of it.")
    if beside.links:
        yield Remark(
            f"Links to folders that were not followed: {beside.links:,}.", remedy="Name the folders themselves."
        )
    if beside.left_behind:
        names = join_names(_few([shorten(name, 40) for name in beside.left_behind]))
        yield Remark(f"Folders that other programs left behind, not looked into: {names}.")
    for number, ending, remedy in beside.unread:
        yield Remark(f"Files {ending}, which are not read here: {number:,}.", Weight.WARNING, remedy)
    if beside.others:
        yield Remark(f"Files of other kinds that were passed over: {beside.others:,}.")


def _in_order(names: set[str]) -> tuple[str, ...]:
    """Numbers by their size, words by the alphabet."""
    if all(name.isdecimal() for name in names):
        return tuple(sorted(names, key=lambda name: (int(name), name)))
    return tuple(sorted(names))


def _few(names: list[str]) -> list[str]:
    return names if len(names) <= 5 else [*names[:4], f"{len(names) - 4} others"]
