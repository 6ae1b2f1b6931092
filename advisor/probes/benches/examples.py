"""The plan's data as a loader reads it: made-up examples of the right size, in a file without a name or in memory."""

from __future__ import annotations

import contextlib
import math
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any, TypeAlias

import torch
from torch import Generator, Tensor
from torch.utils.data import Dataset, TensorDataset

from advisor.children.errors import CannotRunError
from advisor.networks.description import Layout, flat_values
from advisor.networks.examples import example_batch
from advisor.networks.spec import layout, reconstructs
from advisor.probes.workload import Workload
from advisor.wording import shorten

MOST_FILE_BYTES = 128_000_000
"""More than the caches of processors hold; written in a moment. Examples repeat."""
LARGEST_FILE_BYTES = 1_000_000_000
"""For a single example that is larger than MOST_FILE_BYTES."""
MOST_BYTES_IN_MEMORY = 64_000_000
MOST_EXAMPLES = 100_000
SHARE_OF_FREE_DISK = 0.1
SHARE_OF_MEMORY = 0.7
"""Data that is larger than this does not stay in main memory, so the system must read it again in every epoch."""
_LONGEST_WRITING = 2.0
"""Seconds"""
_BLOCK = 1 << 23
_PAGE = 4096
_NUMBERS = {1: torch.uint8, 2: torch.int16, 4: torch.int32}

Example: TypeAlias = tuple[Tensor, ...]
"""Input and target, or the input alone where it is the target."""
Examples: TypeAlias = "TensorDataset | FileOfExamples"


@dataclass(frozen=True, slots=True)
class Source:
    """The source of the examples."""

    in_memory: bool
    bytes_each: int
    """The bytes that are read for an example."""
    stored: int
    """Examples there should be; they repeat."""
    forgotten: bool
    """True if the system must not cache what has been read."""

    def note(self) -> str:
        """The ways in which it differs from real data, in a sentence or two."""
        if self.in_memory:
            return "The examples lay ready in memory, so picking them and making batches was timed, and no disk."
        answered = (
            "after each the system was asked to forget it, since the data does not fit the main memory"
            if self.forgotten
            else "most came from the part of the file that the system keeps in main memory, not from the disk"
        )
        return (
            f"Reading {self.bytes_each:,} bytes an example and making numbers of them was timed, without decoding "
            f"pictures or sounds and without changing them at random; {answered}."
        )


def source_of(workload: Workload, facts: Mapping[str, Any], folder: str) -> Source:
    """A source like the data as far as it is known, made small enough.

    Bytes an example are those of the data over its examples; where these are not known, one for every value of a
    picture, four for every other value. Raises CannotRunError where a single example is too large for the disk.
    """
    total, examples = facts.get("data.bytes"), facts.get("data.examples")
    values = values_of(workload)
    in_memory = facts.get("data.location") == "memory" or "cache_in_memory" in (facts.get("data.pipeline") or ())
    if in_memory:
        each, most = tensor_bytes(workload), MOST_BYTES_IN_MEMORY
    else:
        each = math.ceil(total / examples) if total and examples else values * _usual_width(workload)
        with _writing_in(folder):
            allowed = int(min(LARGEST_FILE_BYTES, shutil.disk_usage(folder).free * SHARE_OF_FREE_DISK))
        if each > allowed:
            raise CannotRunError(
                f"An example of {each / 1e6:,.0f} MB is too large to be written: on the disk of the folder "
                f"{shorten(folder)} the probe may take {allowed / 1e6:,.0f} MB."
            )
        most = min(MOST_FILE_BYTES, allowed)
    memory = facts.get("machine.memory_bytes")
    return Source(
        in_memory,
        each,
        stored=max(1, min(most // each, MOST_EXAMPLES, examples or MOST_EXAMPLES)),
        forgotten=bool(not in_memory and total and memory and total > memory * SHARE_OF_MEMORY),
    )


def values_of(workload: Workload) -> int:
    """Numbers in the input of one example. Raises UnbuildableError."""
    steps = workload.sequence_length or 1
    match layout(workload):
        case Layout.TOKENS:
            return steps
        case Layout.TREE:
            return 3 * steps
        case Layout.STEPS:
            return steps * workload.inputs
        case _:
            return flat_values(workload)


def tensor_bytes(workload: Workload) -> int:
    """Of the input of one example, as the network takes it."""
    return values_of(workload) * (8 if layout(workload) in (Layout.TOKENS, Layout.TREE) else 4)


def dataset_of(workload: Workload, source: Source, folder: str, seed: int) -> Examples:
    """The examples, ready to be read by position. Raises CannotRunError where they cannot be written."""
    if source.in_memory:
        inputs, targets = example_batch(workload, source.stored, Generator().manual_seed(seed))
        return TensorDataset(inputs) if reconstructs(workload) else TensorDataset(inputs, targets)
    return FileOfExamples(workload, source, folder, seed)


class FileOfExamples(Dataset[Example]):
    """Examples one after the other in a file that has no name any more; loader processes inherit it open."""

    def __init__(self, workload: Workload, source: Source, folder: str, seed: int) -> None:
        if sys.platform == "win32":
            raise CannotRunError("On Windows the probe cannot read examples by their position in a file yet.")
        if layout(workload) is Layout.TREE:
            raise CannotRunError("Trees cannot be made from the bytes of a file; state data.location: memory.")
        inputs, targets = example_batch(workload, 1, Generator().manual_seed(seed))
        self._shape = inputs.shape[1:]
        self._values = inputs[0].numel()
        self._tokens = None if inputs.is_floating_point() else workload.inputs
        self._target = () if reconstructs(workload) else (targets[0],)
        self._source = source
        self._width = _width(source.bytes_each, self._values, workload)
        self._file = _written(folder, source.bytes_each * source.stored, source.bytes_each, seed)
        self._stored = os.fstat(self._file.fileno()).st_size // source.bytes_each

    def __len__(self) -> int:
        return self._stored

    def __getitem__(self, position: int) -> Example:
        """Read and make numbers from 0 to 1, or tokens; raises OSError where the disk fails."""
        each = self._source.bytes_each
        content = bytearray(each)
        begin = position * each
        os.preadv(self._file.fileno(), [content], begin)
        if self._source.forgotten:
            self._forget(begin, begin + each)
        return self._numbers(content).reshape(self._shape), *self._target

    def note(self, folder: str) -> str:
        """A note on the files that were written."""
        size = os.fstat(self._file.fileno()).st_size
        return f"A file of {size / 1e6:,.1f} MB was written for it in {shorten(folder, 100)} and is gone."

    def close(self) -> None:
        self._file.close()

    def _numbers(self, content: bytearray) -> Tensor:
        """Fewer bytes than values, as of compressed pictures, are repeated."""
        values = torch.frombuffer(
            content, dtype=_NUMBERS[self._width], count=min(self._values, len(content) // self._width)
        )
        if len(values) < self._values:
            values = values.repeat(math.ceil(self._values / len(values)))[: self._values]
        if self._tokens is not None:
            return values.long().remainder_(self._tokens)
        return values.float().sub_(float(torch.iinfo(values.dtype).min)).mul_(256.0**-self._width)

    def _forget(self, begin: int, end: int) -> None:
        """Of whole pages only, so those at both ends are taken in."""
        if sys.platform == "linux":
            begin -= begin % _PAGE
            os.posix_fadvise(self._file.fileno(), begin, end - begin + -end % _PAGE, os.POSIX_FADV_DONTNEED)


def _usual_width(workload: Workload) -> int:
    return 1 if workload.modality in ("image", "video") else 4


def _width(bytes_each: int, values: int, workload: Workload) -> int:
    """Bytes of one number: as many as there are for it, and as is usual."""
    return max(
        width for width in _NUMBERS if width == 1 or (width <= _usual_width(workload) and width * values <= bytes_each)
    )


def _written(folder: str, size: int, least: int, seed: int) -> IO[bytes]:
    """A file of random bytes, which no file system can make smaller, on the disk and not only on the way there.

    What is still on the way would be written while we measure, and could not be forgotten. Less than `size` where the
    disk is slow, but not less than `least`.
    """
    block = random.Random(seed).randbytes(_BLOCK)  # noqa: S311  reproducible, no secret
    until = time.monotonic() + _LONGEST_WRITING
    with _writing_in(folder), contextlib.ExitStack() as closing:
        file = closing.enter_context(tempfile.TemporaryFile(dir=folder, prefix="advisor-", buffering=0))
        for begin in range(0, size, _BLOCK):
            if begin >= least and time.monotonic() > until:
                break
            piece = memoryview(block)[: size - begin]
            while piece:
                piece = piece[file.write(piece) :]
            os.fdatasync(file.fileno())
        closing.pop_all()
    return file


@contextlib.contextmanager
def _writing_in(folder: str) -> Iterator[None]:
    """Turn errors of the disk into CannotRunError."""
    try:
        yield
    except OSError as error:
        raise CannotRunError(
            f"No file could be written in the folder {shorten(folder)}: {error.strerror}. "
            "Run the probe from a folder on the data's disk where you may write and where there is space."
        ) from error
