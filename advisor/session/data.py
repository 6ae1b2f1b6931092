"""Data that are named: inspected, read for the task that somebody states, and the facts that follow."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.errors import Complain, InputError, input_error
from advisor.facts.fact_base import FactBase, Known, Source
from advisor.facts.vocabulary import Value
from advisor.knowledge.model import Knowledge
from advisor.machine.address_space import check_address_space
from advisor.machine.host import Host, Tree
from advisor.machine.parts import DiskKind

if TYPE_CHECKING:
    from advisor.datasets.dataset import Album, Inspection
    from advisor.datasets.given import GivenSplit


EXAMPLES, BYTES = "data.examples", "data.bytes"


class Mismatch(Enum):
    """Treatment of data that cannot be inspected, or not for the task that somebody states."""

    REFUSED = "refused"
    WARNED = "warned"
    """A wrong task is a complaint; data that cannot be inspected are refused."""
    TOLERATED = "tolerated"
    """Both are complaints, unless a target is named: the disk below such data can still be measured."""


def inspected(path: Path, target: str | None = None) -> Inspection:
    """Inspect data. Raises InputError."""
    check_address_space("read the data")
    from advisor.datasets.inspect import inspect  # 180 ms: polars, only where data are named

    return inspect(path, target)


def album_of(found: Inspection) -> Album | None:
    """Thumbnails of pictures; None where none can be drawn. Raises InputError."""
    from advisor.datasets.album import album  # 60 ms: pillow, only where pictures are shown

    return album(found)


def refuse_unkept(found: Inspection) -> None:
    """Raise InputError for data of which no model can be saved yet."""
    from advisor.datasets.again import intake_of  # 180 ms: polars

    intake_of(found)


def asked(found: Inspection, given: GivenSplit) -> tuple[Inspection, GivenSplit]:
    """The data as they are divided in this way, and the split with what its test is. Raises InputError."""
    from advisor.datasets import dividing  # 180 ms: polars

    if given.test is not None:
        test = Path(given.test)
        if test.resolve() == Path(found.path).resolve():
            what, remedy = "it is what is learned from", "Name another file, or leave it out."
            raise input_error("The test is the data themselves", what, where="--test", remedy=remedy)
        given = replace(given, test=str(test.resolve()), fingerprint=dividing.fingerprint_of_test(test))
    return dividing.asked(found, given), given


def read_for(found: Inspection, task: str) -> Inspection:
    """The same data, the target read for a task that somebody states. Raises InputError."""
    from advisor.datasets import inspect  # 180 ms: polars
    from advisor.datasets.dataset import Task  # 4 ms, only where data are named

    return inspect.read_for(found, Task(task))


def inspection_of(
    data: Path | None, target: str | None, task: Value | None, mismatch: Mismatch, complain: Complain
) -> Inspection | None:
    """Inspect the data for this task; None where none are named. Raises InputError."""
    if data is None:
        if target is not None:
            what = "it names a column, but no data are named"
            raise input_error("There are no data", what, where="--target", remedy="Add --data PATH.")
        return None
    from advisor.datasets.dataset import SUPERVISED  # 4 ms, only where data are named

    try:
        found = inspected(data, target)
    except InputError as error:
        if mismatch is not Mismatch.TOLERATED or target is not None or not data.exists():
            raise
        complain("No facts were found in these data", f"{error.title}: {error.problems[0].what}.")
        return None
    if found.task is None or task is None or task == found.task or task not in SUPERVISED:
        return found
    try:
        return read_for(found, str(task))
    except InputError as error:
        title = "The answers and the data do not fit together"
        if mismatch is Mismatch.REFUSED:
            raise InputError(title, error.problems) from None
        complain(title, str(error.problems[0]))
        return found


def with_inspection(knowledge: Knowledge, facts: FactBase, inspection: Inspection, *, here: bool = False) -> FactBase:
    """The facts with what the data show, beneath what anybody states, instead of what other data showed.

    Args:
        here: the plan is for this machine, so that training reads the data from where they lie now. That is not certain
            where anything of a machine was stated.
    """
    for name in facts.by_source(Source.INSPECTED):
        facts = facts.without(name, Source.INSPECTED)
    found = {**inspection.facts, "data.fingerprint": inspection.fingerprint}
    stated = facts.known("data.inputs")
    if inspection.resizable and stated is not None and _is_smaller(stated.value, found["data.inputs"]):
        del found["data.inputs"]  # the project makes them so small
    if found.get("task.kind") == "forecast" and "task.outputs" in facts.by_source(Source.ASKED):
        found.pop("task.outputs", None)  # how far to look ahead is no property of the data
    elsewhere = any(name.startswith("machine.") for name in facts.by_source(Source.ASKED))
    kind = None if elsewhere or not here or facts.known("data.location") else kind_of_disk(inspection.path)
    if kind is not None:
        found["data.location"] = kind
    return facts.with_values(knowledge.vocabulary.declared(found), Source.INSPECTED)


def kind_of_disk(path: str) -> str | None:
    """`nvme`, `ssd`, `hdd` or `network`, as `data.location` has it; None where that is not certain, as of a virtual disk.

    A file system in memory is not certain either: its files are still opened and decoded one by one.
    """
    from advisor.machine.detection.disks import disk_behind  # 3 ms, only where data are named

    kind = disk_behind(path, Tree(Path("/")), Host()).kind
    return None if kind in (None, DiskKind.MEMORY) else kind.value


def _is_smaller(one: Value, other: Value) -> bool:
    return isinstance(one, int) and isinstance(other, int) and one < other


def folder_of(data: Path) -> str:
    """The folder on the disk that holds the data. Raises InputError where there are none."""
    if not data.exists():
        raise input_error(
            "There are no such data", "the path does not exist", where=str(data), remedy="Check the path."
        )
    path = data.resolve()
    return str(path if path.is_dir() else path.parent)


def with_scaled_bytes(facts: FactBase) -> FactBase:
    """The facts with as many bytes as the stated number of examples takes, where the data that were inspected have another."""
    inspected = facts.by_source(Source.INSPECTED)
    seen, size, stated = inspected.get(EXAMPLES), inspected.get(BYTES), facts.known(EXAMPLES)
    known = facts.known(BYTES)
    if not isinstance(seen, int) or not isinstance(size, int) or stated is None or known is None or seen < 1:
        return facts
    if stated.source is not Source.ASKED or known.source is not Source.INSPECTED or stated.value == seen:
        return facts
    assert isinstance(stated.value, int)  # noqa: S101 - as the vocabulary declares
    note = f"{size:,} bytes of {seen:,} examples, scaled"
    scaled = Known(max(1, round(size / seen * stated.value)), Source.DERIVED, note=note)
    return facts.without(BYTES, Source.INSPECTED).with_known(BYTES, scaled)
