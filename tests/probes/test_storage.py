"""Reading a disk: real files in folders of this machine, and file systems that refuse."""

from __future__ import annotations

import errno
import mmap
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

import pytest

from advisor.children.errors import CannotRunError
from advisor.machine.parts import Disk, DiskKind
from advisor.probes.benches import scratch, storage
from advisor.probes.benches.scratch import Past, Scratch, make
from advisor.probes.outcome import Outcome
from advisor.probes.protocol import Message, Rehearsed, Request
from advisor.probes.rates import RANDOM, SEQUENTIAL, STORAGE, piece_bytes
from advisor.probes.runner import run
from advisor.probes.surroundings import Surroundings

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  a tmpfs, on which nothing lies
MIB = 2**20
SMALL = 32 * MIB
Usage = namedtuple("Usage", "total used free")


def measure(folder: Path, seconds: float = 15.0) -> tuple[Outcome, list[Message], set[str]]:
    """Also the names that were seen in the folder while it was measured."""
    told: list[Message] = []
    seen: set[str] = set()

    def look(message: Message) -> None:
        told.append(message)
        seen.update(path.name for path in folder.iterdir())

    outcome = run(STORAGE, None, before=SEQUENTIAL, facts={}, budget_seconds=seconds, folder=str(folder), on_event=look)
    return outcome, told, seen


def test_a_disk_is_read_in_a_child_without_torch_and_no_file_is_ever_seen(tmp_path: Path) -> None:
    outcome, told, seen = measure(tmp_path)
    assert outcome.failure is None
    assert outcome.rival == RANDOM
    assert "torch" not in outcome.applies
    assert {message.setting for message in told if isinstance(message, Rehearsed)} == {SEQUENTIAL, RANDOM}
    rates = {"probe.storage.sequential_bytes_per_second", "probe.storage.random_bytes_per_second"}
    assert outcome.facts().keys() == (set() if outcome.conditions.too_busy else rates)
    assert any("Read from a scratch file of" in note for note in outcome.conditions.warnings)
    assert any("page cache" in note for note in outcome.conditions.warnings)
    assert not seen
    assert not list(tmp_path.iterdir())


def test_a_child_that_is_killed_leaves_no_file(tmp_path: Path) -> None:
    script = (
        "import sys, time; from advisor.probes.benches import scratch\n"
        "file = scratch.make(sys.argv[1], 60.0, 2**25); print('written', flush=True); time.sleep(600)"
    )
    child = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == b"written\n"
        assert not list(tmp_path.iterdir())
    finally:
        child.kill()
        child.wait()
    assert not list(tmp_path.iterdir())


def test_a_child_that_is_killed_while_it_writes_leaves_no_file(tmp_path: Path) -> None:
    script = (
        "import sys, threading, os\nfrom advisor.probes.benches import scratch\n"
        "fsync = os.fsync\n"
        "def stop(descriptor): print('half', flush=True); threading.Event().wait()\n"
        "os.fsync = stop\nscratch.make(sys.argv[1], 60.0, 2**25)"
    )
    child = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == b"half\n"
    finally:
        child.kill()
        child.wait()
    assert not list(tmp_path.iterdir())


def test_a_folder_without_room_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage(10**9, 10**9, 100 * MIB))
    with pytest.raises(
        CannotRunError,
        match=r"too little free space: a probe takes at most a tenth .* Make room on this disk and try again\.$",
    ):
        make(str(tmp_path), 5.0, SMALL)


def test_at_most_a_tenth_of_the_free_space_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage(10**9, 10**9, 200 * MIB))
    assert scratch.FEWEST_BYTES <= written(make(str(tmp_path), 30.0, SMALL)) <= 20 * MIB


def test_a_disk_that_takes_seconds_for_each_piece_is_not_written_to_for_longer_than_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]

    def slow(descriptor: int) -> None:
        now[0] += 1.0

    monkeypatch.setattr(os, "fsync", slow)
    monkeypatch.setattr(scratch.time, "monotonic", lambda: now[0])
    assert written(make(str(tmp_path), 5.0, SMALL)) == 5 * scratch.WRITE_BYTES
    assert now == [5.0]


@pytest.mark.parametrize(("seconds", "most"), [(12.0, scratch.USUAL_BYTES), (60.0, scratch.MOST_BYTES)])
def test_a_gigabyte_is_written_only_where_there_is_plenty_of_time(
    seconds: float, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def record(folder: str, seconds: float, most: int, *, may_pass: bool) -> Scratch:
        asked.append(most)
        return make(folder, seconds, scratch.FEWEST_BYTES, may_pass=may_pass)

    monkeypatch.setattr(storage, "make", record)
    request = Request("storage", None, SEQUENTIAL, (SEQUENTIAL, RANDOM), seconds, 10**9, 0, {}, str(tmp_path))
    equipment = storage.prepare(STORAGE, request, lambda message: None)
    for close in reversed(equipment.close):
        close()
    assert asked == [most]
    assert re.fullmatch(r".+ \(.+\)", equipment.disk)


def written(made: Scratch) -> int:
    with made.file:
        size = os.fstat(made.descriptor).st_size
        assert size == made.size
        return size


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_space_that_ends_while_writing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    def full(descriptor: int, data: object, offset: int) -> int:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(CannotRunError, match=r"was used up meanwhile\. Make room there"):
        make(str(tmp_path), 5.0, SMALL)
    assert not list(tmp_path.iterdir())


def test_a_write_that_is_cut_short_is_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda descriptor, data, offset: min(write(descriptor, data, offset), 4096))
    with pytest.raises(CannotRunError, match="was used up meanwhile"):
        make(str(tmp_path), 5.0, SMALL)


def test_a_real_full_file_system_costs_the_probe_its_result_only(tmp_path: Path) -> None:
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=100m", "tmpfs", str(tmp_path)], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("a small file system may not be mounted here")
    try:
        outcome, _, _ = measure(tmp_path)
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)
    assert "too little free space" in str(outcome.failure)
    assert outcome.facts() == {}


def test_a_disk_that_is_mounted_read_only_is_said_to_be_and_no_other_folder_of_it_is_named(tmp_path: Path) -> None:
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(tmp_path)], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no file system may be mounted here")
    try:
        with pytest.raises(CannotRunError, match=r"is mounted read-only: it cannot be measured") as refused:
            make(str(tmp_path), 5.0, SMALL)
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)
    assert "Measure in" not in str(refused.value)


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(CannotRunError, match=r"cannot be written in .*missing: No such file or directory"):
        make(str(tmp_path / "missing"), 5.0, SMALL)


def test_a_folder_that_must_not_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(**_: object) -> object:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(tempfile, "TemporaryFile", refused)  # root may write anywhere
    with pytest.raises(CannotRunError, match=r"Permission denied\. Measure in a folder on the same disk"):
        make(str(tmp_path), 5.0, SMALL)


def test_a_disk_that_fails_while_it_is_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(descriptor: int, buffers: object, offset: int) -> int:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    made = make(str(tmp_path), 5.0, SMALL)
    trial = storage.ReadingTrial(SEQUENTIAL, made, storage.BLOCK, 2, [0])
    monkeypatch.setattr(os, "preadv", broken)
    try:
        with pytest.raises(CannotRunError, match="Input/output error"):
            trial.warm_up(1.0)
    finally:
        trial.close()
        made.file.close()


def test_a_disk_that_is_too_slow_to_fill_is_said(tmp_path: Path) -> None:
    with pytest.raises(CannotRunError, match="give the probe more time"):
        make(str(tmp_path), 0.0, SMALL)


def test_the_name_of_the_folder_cannot_take_over_a_terminal() -> None:
    with pytest.raises(CannotRunError) as error:
        make("/nowhere/\x1b[2J\u202e" + "x" * 500, 5.0, SMALL)
    assert "\x1b" not in str(error.value)
    assert len(str(error.value)) < 300


# --- past the page cache ----------------------------------------------------------------------------------------------


@pytest.mark.skipif(not SHARED_MEMORY.is_dir(), reason="there is no file system in memory here")
def test_a_file_system_in_memory_is_never_said_to_be_a_disk() -> None:
    outcome, _, _ = measure(SHARED_MEMORY)
    assert outcome.failure is None
    assert any("could not get past the page cache" in note for note in outcome.conditions.warnings)
    assert any("in main memory" in note for note in outcome.conditions.warnings)


def test_where_direct_reading_is_refused_the_system_is_asked_to_forget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch, "ask_for_direct", lambda descriptor: False)
    monkeypatch.setattr(os, "preadv", _waits)
    made = make(str(tmp_path), 5.0, SMALL)
    asked: list[int] = []
    monkeypatch.setattr(os, "posix_fadvise", lambda descriptor, begin, length, advice: asked.append(advice))
    made.forget()
    made.file.close()
    assert (made.past, asked) == (Past.DROPPED, [os.POSIX_FADV_DONTNEED])


def _waits(descriptor: int, buffers: object, offset: int, flags: int) -> int:
    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))


@pytest.mark.parametrize("answer", [4096, OSError(errno.EOPNOTSUPP, "no")], ids=["answers", "does not tell"])
def test_where_the_system_does_not_forget_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: int | OSError
) -> None:
    def read(descriptor: int, buffers: object, offset: int, flags: int) -> int:
        if isinstance(answer, OSError):
            raise answer
        return answer

    monkeypatch.setattr(scratch, "ask_for_direct", lambda descriptor: False)
    monkeypatch.setattr(os, "preadv", read)
    made = make(str(tmp_path), 5.0, SMALL)
    made.file.close()
    assert made.past is Past.NOT


def test_a_file_system_that_takes_the_flag_but_no_direct_write_gets_the_flag_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(descriptor: int, data: object, offset: int) -> int:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    with (tmp_path / "file").open("w+b") as file:
        monkeypatch.setattr(os, "pwrite", refused)
        assert not scratch.ask_for_direct(file.fileno())
        monkeypatch.undo()
        assert os.pwrite(file.fileno(), b"three", 0) == 5


# --- what is read -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data_bytes", "examples", "piece"),
    [
        (None, 10, 4096),
        (10**6, None, 4096),
        (10**6, 10**4, 4096),
        (4096 * 10, 10, 4096),
        (4097 * 10, 10, 8192),
        (10**6 * 110_000, 10**6, 110_592),
        (10**12, 10, 16 * MIB),
    ],
)
def test_random_reads_take_an_example_in_whole_pages(data_bytes: int | None, examples: int | None, piece: int) -> None:
    assert piece_bytes(Surroundings(data_bytes=data_bytes, examples=examples)) == piece


def test_every_block_is_read_once_before_any_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make(str(tmp_path), 5.0, SMALL)
    read: list[int] = []

    def note(descriptor: int, buffers: object, offset: int) -> int:
        read.append(offset)
        return MIB

    monkeypatch.setattr(os, "preadv", note)
    offsets = list(range(0, 8 * MIB, MIB))
    trial = storage.ReadingTrial(SEQUENTIAL, made, MIB, 4, offsets)
    for _ in range(3):
        trial.step()
    trial.finish()
    trial.close()
    made.file.close()
    assert trial.work == 4 * MIB
    assert sorted(read) == sorted(offsets + offsets[:4])


def test_what_lies_behind_the_folder_is_said(tmp_path: Path) -> None:
    made = Scratch((tmp_path / "file").open("wb"), 10**9, Past.DIRECT)
    made.file.close()
    text = storage.about(made, 8192, "/data", Disk(kind=DiskKind.HDD, file_system="xfs"))
    assert text.startswith("Read from a scratch file of 1,000 MB in /data (xfs, a hard disk): 1024 KiB at a time")
    assert "8 KiB at a time and 8 at once from random places" in text
    assert text.endswith("The file was written for this and is gone.")
    assert "in /data: 1024" in storage.about(made, 4096, "/data", Disk())
    assert "4 KiB at a time and about 8 at once (10 threads)" in storage.about(
        made, 4096, "/data", Disk(kind=DiskKind.NVME)
    )
    assert "whose host may keep a copy" in storage.about(made, 4096, "/data", Disk(virtual=True))


@pytest.mark.parametrize(
    ("piece", "kind", "threads"),
    [
        (4096, DiskKind.NVME, 10),
        (65_536, None, 10),
        (131_072, DiskKind.NVME, 8),
        (4096, DiskKind.HDD, 8),
        (4096, DiskKind.NETWORK, 8),
    ],
)
def test_more_threads_make_up_for_waking_up_only_where_a_read_is_quick(
    piece: int, kind: DiskKind | None, threads: int
) -> None:
    assert storage.threads_at_random(piece, Disk(kind=kind)) == threads


def test_what_is_written_does_not_repeat_at_multiples_of_a_block(tmp_path: Path) -> None:
    made = make(str(tmp_path), 30.0, SMALL)
    with made.file, mmap.mmap(-1, made.size) as content:
        assert os.preadv(made.descriptor, [content], 0) == made.size
        blocks = {content[begin : begin + 4096] for begin in range(0, made.size, 4096)}
    assert len(blocks) == made.size // 4096
