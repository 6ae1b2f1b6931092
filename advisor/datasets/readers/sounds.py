"""Folders of sounds: inspected by their headers, loaded as frequency bands over time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy

from advisor.datasets.dataset import Examples, Inspection, Remark, Task, Weight
from advisor.datasets.media import waves
from advisor.datasets.media.class_folders import class_folders, inspection_of, load_members
from advisor.datasets.reader import Reader
from advisor.datasets.refusals import refuse_target, unreadable
from advisor.datasets.sampling import spread
from advisor.wording import join_names, shorten

OPENED = 1_000
"""Sounds whose headers an inspection reads."""
MOST_STEPS = 200
NOUN = "sounds"
FORMAT = "folder of sounds"
SUFFIXES = frozenset({".wav", ".wave"})
REMEDY = (
    "Save them as plain WAV (PCM with 8, 16, 24 or 32 bits) in a folder for each class, for instance in one of these with "
    """FFmpeg: mkdir plain; for f in *.wav; do ffmpeg -i "$f" -c:a pcm_s16le "plain/$f"; done"""
)


@dataclass(frozen=True, slots=True)
class SoundsReading:
    """Sounds in folders of classes, and the frequency bands that they become."""

    steps: int
    hop_seconds: float
    highest_frequency: float

    def load(self, inspection: Inspection, most_examples: int, seed: int) -> Examples:
        """Sounds as float32 (n, steps, 40), and their classes."""
        found = class_folders(Path(inspection.path), SUFFIXES, NOUN)
        read = partial(waves.bands, steps=self.steps, hop_seconds=self.hop_seconds, highest=self.highest_frequency)
        return load_members(inspection, found, most_examples, seed, read=read, broken=waves.BROKEN, remedy=REMEDY)


def inspect(folder: Path, target: str | None, task: Task | None) -> Inspection:
    """Read the headers of at most 1000 files. Inputs and steps are those of the bands that a trial is given."""
    refuse_target(target, folder)
    found = class_folders(folder, SUFFIXES, NOUN)
    chosen = spread(len(found.members), OPENED)
    headers, _, broken = found.read(chosen, waves.header, waves.BROKEN)
    names = join_names([shorten(f"{member.name} ({why})", 80) for member, why in broken[:3]])
    if not headers:
        raise unreadable(folder, f"none of its sounds can be read, such as {names}", REMEDY)
    seconds = float(numpy.percentile([header.seconds for header in headers], 95))
    windows = max(1, 1 + math.floor((seconds - waves.WINDOW_SECONDS) / waves.HOP_SECONDS + 1e-6))
    hops = -(-windows // MOST_STEPS)
    steps = -(-windows // hops)
    remarks = [*_remarks(headers, steps, hops)]
    if broken:
        what = f"{len(broken):,} of the {len(chosen):,} opened cannot be read: {names}."
        remarks.append(Remark(what, Weight.WARNING, REMEDY))
    return inspection_of(
        found,
        FORMAT,
        {"data.modality": "audio", "data.inputs": waves.BANDS, "data.sequence_length": steps},
        remarks,
        SoundsReading(steps, hops * waves.HOP_SECONDS, min(header.rate for header in headers) / 2),
        looked_into=len(chosen),
        broken=len(broken),
        sampled=f"Opened {len(chosen):,} of {len(found.members):,} sounds, evenly from all of them.",
        bytes_each=steps * waves.BANDS * 4,
    )


def _remarks(headers: list[waves.Header], steps: int, hops: int) -> Iterator[Remark]:
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


READER = Reader("sounds (WAV)", SUFFIXES, inspect, reads_folders=True)
