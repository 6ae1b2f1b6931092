"""A file on a disk of this machine answers where the data lie; nothing is claimed of a disk that nobody knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from advisor.facts.fact_base import Source
from advisor.machine.parts import Disk, DiskKind
from advisor.session.inputs import Inputs, gather

LOCATION = "data.location"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "wine.csv"
    rows = "".join(f"{number * 0.37 % 3:.2f},{'red' if number % 2 else 'white'}\n" for number in range(60))
    file.write_text(f"acid,kind\n{rows}", encoding="utf-8")
    return file


def on(kind: DiskKind | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.machine.detection.disks.disk_behind", lambda *_: Disk(kind))


def gathered(table: Path, **named: Any) -> Inputs:
    return gather(data=table, target="kind", complain=lambda *_: None, recall=False, **named)


@pytest.mark.parametrize("kind", [DiskKind.NVME, DiskKind.SSD, DiskKind.HDD, DiskKind.NETWORK])
def test_the_disk_of_local_data_is_found_in_the_data(
    kind: DiskKind, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on(kind, monkeypatch)
    known = gathered(table).facts.known(LOCATION)
    assert known is not None
    assert (known.value, known.source) == (kind.value, Source.INSPECTED)


@pytest.mark.parametrize("kind", [None, DiskKind.MEMORY])
def test_nothing_is_claimed_of_a_virtual_disk_or_of_memory(
    kind: DiskKind | None, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on(kind, monkeypatch)
    assert gathered(table).facts.known(LOCATION) is None


def test_the_disk_here_says_nothing_of_another_machine(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on(DiskKind.SSD, monkeypatch)
    assert gathered(table, machine="none").facts.known(LOCATION) is None
    assert gathered(table, sets=["machine.gpu.count=8"]).facts.known(LOCATION) is None


def test_an_answer_outranks_the_disk(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on(DiskKind.SSD, monkeypatch)
    known = gathered(table, sets=["data.location=object_store"]).facts.known(LOCATION)
    assert known is not None
    assert (known.value, known.source) == ("object_store", Source.ASKED)
