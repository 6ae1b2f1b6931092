"""Texts: one file to learn to write from, or a folder of files for each class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy

from advisor.datasets import encodings, fingerprint
from advisor.datasets.dataset import Examples, Inspection, Remark, Task, Weight
from advisor.datasets.media.class_folders import class_folders, inspection_of
from advisor.datasets.reader import Beginning, Evidence, Reader
from advisor.datasets.refusals import refuse_target, unreadable
from advisor.datasets.sampling import class_numbers, spread, stratified
from advisor.datasets.values.text_sizes import TextSize, measure, pieces
from advisor.wording import shorten

LOOKED_INTO = 1_000
"""Files of a folder that an inspection reads."""
LONGEST = 2**20
"""Bytes that are read of one file of a folder."""
MOST_READ = 8 * 2**20
"""Bytes that are read of one file of many texts."""
LONGEST_LINE = 200
"""Words. Longer lines on average, and a text is divided at its empty lines."""
NOUN = "texts"
FORMAT = "text"
SUFFIXES = frozenset({".txt", ".md"})
BROKEN = (OSError, ValueError)
_REMEDY = "Make a folder of texts for each class, or a table with a column of texts and one of classes."


@dataclass(frozen=True, slots=True)
class TextsReading:
    """Texts in folders of classes, or those of a single file."""

    def load(self, inspection: Inspection, most_examples: int, seed: int) -> Examples:
        """The texts as they are; classes of a folder, no targets (n, 0) of a single file."""
        path = Path(inspection.path)
        return _load_folder(path, inspection, most_examples, seed) if path.is_dir() else _load_file(path, most_examples)


def recognise(beginning: Beginning) -> Evidence:
    return Evidence.NONE if beginning.text is None else Evidence.TEXT


def inspect(path: Path, target: str | None, task: Task | None) -> Inspection:
    refuse_target(target, path)
    return _inspect_folder(path) if path.is_dir() else _inspect_file(path)


def _load_file(path: Path, most_examples: int) -> Examples:
    texts, _, _ = _divided(path)
    kept = [texts[position] for position in spread(len(texts), most_examples)]
    left_out = f"{len(kept):,} of {len(texts):,} texts were taken, evenly from all." if len(kept) < len(texts) else ""
    return Examples("text", Task.GENERATE, kept, numpy.zeros((len(kept), 0), numpy.float32), left_out=left_out)


def _load_folder(path: Path, inspection: Inspection, most_examples: int, seed: int) -> Examples:
    found = class_folders(path, SUFFIXES, NOUN)
    numbers, classes = class_numbers([member.label for member in found.members], inspection.classes)
    chosen = stratified(numbers, most_examples, seed)
    texts, kept, broken = found.read(chosen, read, BROKEN)
    if not texts:
        raise unreadable(path, "none of its texts has a word", "Check the files.")
    every = len(found.members)
    left_out = f"{len(chosen):,} of {every:,} texts were taken. " if len(chosen) < every else ""
    left_out += f"{len(broken):,} without words, or that are no text, were left out." if broken else ""
    return Examples("text", Task.CLASSIFY, texts, numbers[kept], classes, left_out=left_out.strip())


def _inspect_folder(folder: Path) -> Inspection:
    found = class_folders(folder, SUFFIXES, NOUN)
    chosen = spread(len(found.members), LOOKED_INTO)
    texts, _, broken = found.read(chosen, read, BROKEN)
    if not texts:
        raise unreadable(folder, "none of its texts has a word", "Check the files.")
    size = measure(texts)
    remarks = [*_repeated(texts)]
    if broken:
        what = f"{len(broken):,} of the {len(chosen):,} looked into have no words or are no text, and are left out."
        remarks.append(Remark(what, Weight.WARNING, "Check them."))
    return inspection_of(
        found,
        FORMAT,
        _facts(size),
        remarks,
        TextsReading(),
        looked_into=len(chosen),
        broken=len(broken),
        sampled=f"Read {len(chosen):,} of {len(found.members):,} texts, evenly from all of them.",
        bytes_each=found.bytes / len(found.members),
        task_remedy=_REMEDY,
    )


def _inspect_file(path: Path) -> Inspection:
    texts, unit, share = _divided(path)
    size = measure(texts)
    examples = max(len(texts), round(len(texts) / share))
    disk = path.stat().st_size
    facts = _facts(size) | {
        "task.kind": "generate", "task.generation": "sequence", "data.examples": examples, "data.bytes": disk,
    }  # fmt: skip
    remark = Remark(
        f"There are no classes, so this is read as text to learn to write from: each {unit} is one example.",
        remedy="For classes, make a folder of texts for each, or a table with a column of texts and one of classes.",
    )
    return Inspection(
        path=str(path),
        format=FORMAT,
        modality="text",
        examples=examples,
        facts=facts,
        fingerprint=fingerprint.of_file(path, None),
        task=Task.GENERATE,
        remarks=(remark, *_repeated(texts)),
        sampled=f"Read the first {share * 100:.0f} % of the file." if share < 1 else "",
        bytes=disk,
        memory_bytes=disk,
        reading=TextsReading(),
        task_remedy=_REMEDY,
    )


def _facts(size: TextSize) -> dict[str, bool | int | float | str | frozenset[str]]:
    return {"data.modality": "text", "data.inputs": size.tokens, "data.sequence_length": size.steps}


def _divided(path: Path) -> tuple[list[str], str, float]:
    """The texts of one file, what each is (line or paragraph), and the share of the file that was read."""
    with path.open("rb") as file:
        data = file.read(MOST_READ)
    encoding = encodings.recognise(data[: 2**16])
    if encoding is None:
        raise unreadable(path, "this is no text", "Save it as UTF-8.")
    text = encodings.decoded(data, encoding)
    lines = [line.strip() for line in text.splitlines()]
    empty = sum(not line for line in lines)
    full = [line for line in lines if line]
    if not full:
        raise unreadable(path, "the file holds nothing but blanks", "Check that it was written to its end.")
    words = sum(len(piece.split()) for line in full for piece in pieces(line))
    if empty > len(full) / 50 or words / len(full) > LONGEST_LINE:
        texts, unit = ["\n".join(part) for filled, part in groupby(lines, key=bool) if filled], "paragraph"
    else:
        texts, unit = full, "line"
    return texts, unit, min(1.0, len(data) / path.stat().st_size)


def read(path: Path) -> str:
    """The beginning of a text. Raises OSError, and ValueError where it has no words or is no text."""
    with path.open("rb") as file:
        data = file.read(LONGEST)
    encoding = encodings.recognise(data[: 2**16])
    text = "" if encoding is None else encodings.decoded(data, encoding).strip()
    if not text:
        raise ValueError("it has no words")
    return text


def _repeated(texts: Sequence[str]) -> Iterator[Remark]:
    spare = len(texts) - len(set(texts))
    if spare:
        example = shorten(Counter(texts).most_common(1)[0][0], 40)
        what = f"Texts that are copies of others, such as “{example}”: {spare:,} of {len(texts):,}."
        remedy = "Delete copies: one in the training and one in the test makes scores too good."
        yield Remark(what, Weight.WARNING, remedy)


READER = Reader("text", SUFFIXES, inspect, recognise, reads_folders=True)
