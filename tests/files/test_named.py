"""Files that users name may be pipes and devices: nothing waits for ever, and what writes slowly is waited for."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from advisor.errors import InputError
from advisor.files.named import read_named
from advisor.files.output import write_text
from advisor.files.waiting import Patience, can_read, can_write, closing

from ..cli.program import PROGRAM, advisor, environment, refused

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs pipes with names")
SHORT = Patience(opening=0.2, silence=0.2)
ANSWERS = "data.modality: image\n"


def read(path: Path, most: int = 1000, patience: Patience = SHORT) -> bytes:
    return read_named(path, most, "This file cannot be used", patience=patience)


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def test_a_pipe_into_which_nothing_writes_is_told(pipe: Path) -> None:
    with pytest.raises(InputError, match="pipe: this is a pipe into which nothing writes"):
        read(pipe)


def test_a_writer_that_says_nothing_is_told(pipe: Path) -> None:
    writer = os.open(pipe, os.O_RDWR)
    with pytest.raises(InputError, match=r"nothing has come out of it for 0\.2 seconds"):
        read(pipe)
    os.write(writer, b"half")
    with pytest.raises(InputError, match=r"nothing has come out of it for 0\.2 seconds"):
        read(pipe)
    os.close(writer)


def test_a_pipe_without_an_end_is_read_up_to_the_limit(pipe: Path) -> None:
    writer = os.open(pipe, os.O_RDWR)
    os.write(writer, b"x" * 2000)
    with pytest.raises(InputError, match="is larger than"):
        read(pipe)
    os.close(writer)


@pytest.mark.parametrize("said", [b"", b"half"])
def test_a_socket_out_of_which_nothing_comes_is_told(said: bytes) -> None:
    mine, theirs = socket.socketpair()
    with mine, theirs:
        theirs.sendall(said)
        end = threading.Timer(60, theirs.shutdown, [socket.SHUT_RDWR])  # instead of waiting for ever
        end.start()
        with pytest.raises(InputError, match=r"nothing has come out of it for 0\.2 seconds"):
            read(Path(f"/dev/fd/{mine.fileno()}"))
        end.cancel()


class PollsNothing:
    """As macOS answers for terminals."""

    def register(self, descriptor: int, _: int) -> None:
        self.descriptor = descriptor

    def poll(self, _: float) -> list[tuple[int, int]]:
        return [(self.descriptor, select.POLLNVAL)]


@pytest.mark.parametrize("polls", [True, False])
def test_what_cannot_be_polled_is_waited_for_all_the_same(
    polls: bool, pipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if polls:
        monkeypatch.setattr(select, "poll", PollsNothing)
    else:
        monkeypatch.delattr(select, "poll")
    with closing(os.open(pipe, os.O_RDWR | os.O_NONBLOCK)) as both:
        assert (can_read(both, 0), can_write(both, 0)) == (False, True)
        os.write(both, b"said")
        assert can_read(both, 0)


def test_where_nothing_can_be_waited_for_reading_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(select, "poll")
    monkeypatch.setattr(select, "select", mock.Mock(side_effect=OSError(10038, "not a socket")))
    assert can_read(0, 0)


def write_slowly(path: Path, parts: list[bytes], close: Callable[[int], None] = os.close) -> threading.Thread:
    def write() -> None:
        descriptor = os.open(path, os.O_WRONLY)
        for part in parts:
            time.sleep(0.05)
            os.write(descriptor, part)
        close(descriptor)

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize("parts", [[b"a", b"b", b"c" * 900], []])
def test_what_writes_slowly_is_waited_for(pipe: Path, parts: list[bytes]) -> None:
    writer = write_slowly(pipe, parts)
    assert read(pipe, patience=Patience(opening=60, silence=60)) == b"".join(parts)
    writer.join()


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom", "/dev/full"])
def test_a_device_without_an_end_is_read_up_to_the_limit(device: str) -> None:
    if not Path(device).exists():
        pytest.skip(f"there is no {device}")
    with pytest.raises(InputError, match="is larger than"):
        read(Path(device))


def test_other_things_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this is a folder"):
        read(tmp_path)
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(tmp_path)
        try:
            listener.bind("socket")
        finally:
            os.chdir(here)
        with pytest.raises(InputError, match="it is a socket"):
            read(tmp_path / "socket")


def test_a_pipe_from_which_nothing_reads_is_told(pipe: Path) -> None:
    with pytest.raises(InputError, match="pipe: this is a pipe from which nothing reads"):
        write_text(pipe, "text", patience=SHORT)


def test_a_reader_that_stops_reading_is_told(pipe: Path) -> None:
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(InputError, match=r"nobody has read from it for 0\.2 seconds"):
        write_text(pipe, "text" * 100_000, patience=SHORT)
    os.close(reader)


COMMANDS: list[list[str]] = [
    ["recommend", "--machine", "none", "--answers"],
    ["recommend", "--machine"],
    ["explain", "network.type", "--answers"],
    ["compare"],
    ["report", "--plan"],
    ["starter", "--output", "project", "--plan"],
    ["profiles", "show"],
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.some(2)
def test_every_command_ends_where_nothing_writes(words: list[str], pipe: Path) -> None:
    more = [str(pipe)] if words == ["compare"] else []
    assert "into which nothing writes" in refused(*words, *more, pipe)


def test_a_pack_of_pipes_is_told(pipe: Path, tmp_path: Path) -> None:
    pipe.rename(tmp_path / "rules.yaml")
    assert "into which nothing writes" in refused("recommend", "--rules", tmp_path)


def in_a_shell(command: str, folder: Path) -> tuple[int, str, str]:
    if not Path("/bin/bash").exists():
        pytest.skip("needs bash")
    program = " ".join(PROGRAM)
    words = ["/bin/bash", "-c", command.replace("advisor", program)]
    done = subprocess.run(
        words, cwd=folder, env=environment(), capture_output=True, text=True, check=False, timeout=300
    )
    return done.returncode, done.stdout, done.stderr


def test_substituted_processes_and_stdin_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(ANSWERS)
    right = advisor("recommend", "--machine", "none", "--answers", tmp_path / "a.yaml")
    for command in (
        "advisor recommend --machine none --answers <(sleep 1; cat a.yaml)",
        "cat a.yaml | advisor recommend --machine none --answers /dev/stdin",
        "advisor recommend --machine none --answers /dev/stdin < a.yaml",
    ):
        code, out, err = in_a_shell(command, tmp_path)
        assert (code, out.partition("NEXT")[0], err) == (0, right.out.partition("NEXT")[0], "")
        assert "advisor wizard --set data.modality=image --machine none" in out  # a pipe cannot be read twice


def test_a_substituted_plan_is_read_once(tmp_path: Path) -> None:
    made = advisor("recommend", "--machine", "none", "--format", "json", "--output", tmp_path / "plan.json")
    assert made.code == 0
    for format_ in ("text", "html"):
        code, out, err = in_a_shell(f"advisor report --format {format_} --plan <(cat plan.json)", tmp_path)
        assert (code, out != "", err) == (0, True, "")


def test_reports_are_written_to_what_is_open_already(tmp_path: Path) -> None:
    command = "advisor recommend --machine none --format markdown --output"
    right = in_a_shell(command.removesuffix(" --output"), tmp_path)[1]
    assert in_a_shell(f"{command} /dev/stdout", tmp_path)[:2] == (0, right)
    assert in_a_shell(f"{{ echo before; {command} /dev/stdout; }} > all.md", tmp_path)[0] == 0
    assert (tmp_path / "all.md").read_text() == f"before\n{right}"
    assert in_a_shell(f"{command} >(cat > copy.md); wait", tmp_path)[0] == 0
