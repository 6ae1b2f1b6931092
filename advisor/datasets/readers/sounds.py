"""Folders of sounds: what they are like, and the sounds themselves as frequency bands over time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy

from advisor.datasets.dataset import Examples, Format, Inspection, Remark, Task, Weight
from advisor.datasets.formats import SOUNDS, unreadable
from advisor.datasets.labels import class_numbers
from advisor.datasets.readers import waves
from advisor.datasets.readers.folders import ClassFolders, Member, class_facts, class_folders, class_remarks
from advisor.datasets.sampling import how_drawn, spread, stratified
from advisor.wording import join_names, shorten

OPENED = 1_000
"""Sounds whose headers an inspection reads."""
MOST_STEPS = 200
NOUN = "sounds"
REMEDY = "Save them as plain WAV (PCM with 8, 16, 24 or 32 bits), for instance: ffmpeg -i OLD -c:a pcm_s16le NEW.wav"


def inspect_sounds(folder: Path) -> Inspection:
    """What a folder of sounds is: FOLDER/CLASS/*.wav. The headers of at most 1000 files are read.

    Inputs and steps are those of the bands that `load_sounds` makes. Raises InputError where there are no sounds, or none
    of those opened can be read.
    """
    found = class_folders(folder, SOUNDS, NOUN)
    chosen = [found.members[position] for position in spread(len(found.members), OPENED)]
    headers, broken = _opened(found, chosen)
    if not headers:
        names = join_names([shorten(f"{member.name} ({why})", 80) for member, why in broken[:3]])
        raise unreadable(folder, f"none of its sounds can be read, such as {names}", REMEDY)
    seconds = float(numpy.percentile([header.seconds for header in headers], 95))
    windows = max(1, 1 + math.floor((seconds - waves.WINDOW_SECONDS) / waves.HOP_SECONDS + 1e-6))
    hops = -(-windows // MOST_STEPS)
    steps = -(-windows // hops)
    told_apart = len(found.classes) > 1
    examples = found.readable(len(chosen), len(broken))
    look = f"Opened {len(chosen):,} of {len(found.members):,} sounds, evenly from all of them."
    return Inspection(
        path=str(folder),
        format=Format.SOUNDS,
        modality="audio",
        examples=examples,
        facts=class_facts(found, examples)
        | {"data.modality": "audio", "data.inputs": waves.BANDS, "data.sequence_length": steps},
        fingerprint=found.fingerprint,
        task=Task.CLASSIFY if told_apart else None,
        classes=found.classes,
        remarks=(*class_remarks(found, NOUN), *_remarks(headers, broken, steps, hops)),
        sampled=look if len(chosen) < len(found.members) else "",
        bytes=found.bytes,
        memory_bytes=examples * steps * waves.BANDS * 4,
        reading={
            "steps": steps,
            "hop_seconds": hops * waves.HOP_SECONDS,
            "highest_frequency": min(header.rate for header in headers) / 2,
        },
    )


def load_sounds(inspection: Inspection, most_examples: int, seed: int) -> Examples:
    """Sounds as float32 (n, steps, 40), and their classes. Raises InputError where none can be read."""
    found = class_folders(Path(inspection.path), SOUNDS, NOUN)
    steps, hop = inspection.reading["steps"], inspection.reading["hop_seconds"]
    highest = inspection.reading["highest_frequency"]
    numbers, classes = class_numbers([member.label for member in found.members], inspection.classes)
    chosen = stratified(numbers, most_examples, seed)
    sounds, kept = [], []
    for position in chosen:
        path = found.path(found.members[position])
        try:
            sounds.append(waves.bands(path, steps=steps, hop_seconds=hop, highest=highest))
        except waves.BROKEN:
            continue
        kept.append(position)
    if not kept:
        raise unreadable(inspection.path, "none of its sounds can be read", REMEDY)
    left_out = []
    if len(chosen) < len(found.members):
        left_out.append(
            f"{len(chosen):,} of {len(found.members):,} sounds were taken, {how_drawn(numbers, numbers[chosen])}."
        )
    if len(kept) < len(chosen):
        broken = len(chosen) - len(kept)
        left_out.append(f"{broken:,} that cannot be read {'was' if broken == 1 else 'were'} left out.")
    return Examples("audio", Task.CLASSIFY, numpy.stack(sounds), numbers[kept], classes, left_out=" ".join(left_out))


def _opened(found: ClassFolders, chosen: list[Member]) -> tuple[list[waves.Header], list[tuple[Member, str]]]:
    """Headers, and the files that have none, each with the reason."""
    headers, broken = [], []
    for member in chosen:
        try:
            headers.append(waves.header(found.path(member)))
        except waves.BROKEN as error:
            broken.append((member, str(error) or "it is cut off"))
    return headers, broken


def _remarks(headers: list[waves.Header], broken: list[tuple[Member, str]], steps: int, hops: int) -> Iterator[Remark]:
    every = hops * waves.HOP_SECONDS
    heard = waves.WINDOW_SECONDS + (steps - 1) * every
    yield Remark(
        f"Trials take {waves.BANDS} frequency bands (the logarithm of their power on the mel scale) every "
        f"{every * 1000:.0f} ms, {steps} steps of the first {heard:.3g} seconds; data.inputs and data.sequence_length are "
        "those of the bands."
    )
    rates = Counter(header.rate for header in headers)
    if len(rates) > 1:
        names = join_names([f"{rate:,} ({count} of {len(headers)})" for rate, count in rates.most_common(4)])
        what = f"The sounds have different rates: {names} samples per second."
        yield Remark(what, Weight.WARNING, "Trials use the frequencies that all of them have. Bring them to one rate.")
    shortest, longest = min(header.seconds for header in headers), max(header.seconds for header in headers)
    if longest > 1.1 * shortest:
        what = f"They last from {shortest:.3g} to {longest:.3g} seconds. Shorter ones are preceded by silence in trials"
        yield Remark(what + (f", longer ones cut after {heard:.3g} seconds." if longest > 1.1 * heard else "."))
    cut_off = sum(header.cut_off for header in headers)
    if cut_off:
        what = (
            f"{cut_off:,} of the {len(headers):,} opened end before their header says, and are used as far as they go."
        )
        yield Remark(what, Weight.WARNING, "Check that they were written or copied to their end.")
    if broken:
        names = join_names([shorten(f"{member.name} ({why})", 80) for member, why in broken[:3]])
        yield Remark(
            f"{len(broken):,} of the {len(headers) + len(broken):,} opened cannot be read: {names}.",
            Weight.WARNING,
            REMEDY,
        )
