"""What is remembered is read and written only where nobody else can have a hand in it."""

from __future__ import annotations

import ast
import hashlib
import os
import signal
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import advisor
from advisor.agent.remembered.journal_file import JournalFile
from advisor.agent.remembered.memory import measurements_file, recall, remember
from advisor.agent.trials.outcomes import remember_trials
from advisor.files import private
from advisor.interview import saved
from advisor.interview.progress import Progress
from advisor.knowledge import cache, loader
from advisor.machine.state import StateError, state_folder
from advisor.resources import rules_folder

from ..agent.profiles_made import MACHINE, compared
from ..cli.program import advisor as program

QUESTION = {"which": "one"}
NOBODY = 65534
posix = pytest.mark.skipif(os.name != "posix", reason="needs rights as on Unix")
as_root = pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can act as two users")


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("ADVISOR_CACHE", str(tmp_path / "cache"))
    return state_folder()


@pytest.fixture(autouse=True)
def ends() -> Iterator[None]:
    """Whatever waits for a pipe fails instead of waiting for ever."""

    def hangs(*_: object) -> None:
        pytest.fail("it waits for ever")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def journal() -> Path:
    file = JournalFile.open(QUESTION)
    assert file is not None
    file.write({"a": 1})
    file.close(finished=False)
    return file.path


def profile() -> Path:
    return remember(MACHINE, [compared()])


def profile_lock() -> Path:
    path = profile()
    return path.with_name(f".{path.name}.lock")


def conversation() -> Path:
    saved.save(Progress(), "today")
    return saved.session_file()


def trials() -> Path:
    return remember_trials([])


FILES: list[Callable[[], Path]] = [journal, profile, profile_lock, conversation, trials]
"""Each writes something that is remembered, and says where it is."""


def link(path: Path, victim: Path) -> None:
    path.symlink_to(victim)


def pipe(path: Path, victim: Path) -> None:
    os.mkfifo(path)


def listener(path: Path, victim: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # names of sockets are short
    try:
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(here)


def device(path: Path, victim: Path) -> None:
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5))  # /dev/zero
    except PermissionError:
        pytest.skip("only root makes devices")


def folder(path: Path, victim: Path) -> None:
    path.mkdir()


def for_all(path: Path, victim: Path) -> None:
    path.write_text('{"a": 1}\n')
    path.chmod(0o666)


@posix
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.__name__)
@pytest.mark.parametrize("put", [link, pipe, listener, device, folder, for_all], ids=lambda put: put.__name__)
def test_whatever_lies_in_the_place_of_a_file_is_neither_followed_nor_waited_for(
    file: Callable[[], Path], put: Callable[[Path, Path], None], state: Path, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("half a line without an end")
    path = file()
    path.unlink()
    put(path, victim)
    before = path.lstat()
    with suppress(StateError):
        file()
    assert victim.read_text() == "half a line without an end"
    if path.lstat().st_ino == before.st_ino:  # nothing was written through it
        assert path.lstat().st_mtime_ns == before.st_mtime_ns


@contextmanager
def acting_as(user: int) -> Iterator[None]:
    os.seteuid(user)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_place(tmp_path: Path) -> Path:
    """A folder that every user reaches."""
    for place in (tmp_path, *tmp_path.parents[:-1]):
        if place.stat().st_mode & 0o077 == 0:
            place.chmod(0o711)
    return tmp_path


@as_root
def test_a_folder_of_another_user_is_not_trusted(open_place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = open_place / "theirs"
    theirs.mkdir(mode=0o755)
    os.chown(theirs, NOBODY, NOBODY)
    monkeypatch.setenv("ADVISOR_STATE", str(theirs / "state"))
    with pytest.raises(StateError, match=r"theirs: is not trusted: this belongs to another user.*ADVISOR_STATE\.$"):
        state_folder()
    assert recall(MACHINE)[0] == []


@as_root
def test_what_root_has_made_is_trusted_by_all(open_place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = open_place / "mine"
    mine.mkdir()
    os.chown(mine, NOBODY, NOBODY)
    monkeypatch.setenv("ADVISOR_STATE", str(mine))
    with acting_as(NOBODY):
        assert stat.S_IMODE(state_folder().stat().st_mode) == 0o700
        assert profile().stat().st_uid == NOBODY


@posix
@pytest.mark.parametrize("mode", [0o777, 0o757, 0o1777])
def test_a_folder_that_others_may_write_is_not_trusted(
    mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(mode)
    monkeypatch.setenv("ADVISOR_CACHE", str(shared))
    monkeypatch.setenv("ADVISOR_STATE", str(shared / "state"))
    if mode & stat.S_ISVTX:  # there nobody replaces a folder of mine, but anybody makes a file
        assert state_folder().parent.parent == shared
    else:
        with pytest.raises(StateError, match=r"shared: is not trusted: other users may write this folder.*chmod go-w"):
            state_folder()
    knowledge = cache.load_cached(rules_folder())
    assert knowledge == loader.load(rules_folder())
    assert [path for path in shared.iterdir() if path.name.startswith("knowledge")] == []


@posix
def test_a_link_of_mine_to_a_folder_of_mine_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "disk" / "home").mkdir(parents=True)
    (tmp_path / "home").symlink_to("disk/../disk/home")
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "home" / "state"))
    assert profile().exists()
    (tmp_path / "disk").chmod(0o777)
    with pytest.raises(StateError, match="disk: is not trusted"):
        profile()


@as_root
def test_a_cache_that_another_user_has_laid_there_is_not_believed(
    open_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADVISOR_CACHE", str(open_place / "cache"))
    right = cache.load_cached(rules_folder())
    (stored,) = (open_place / "cache").glob("knowledge-*.json")
    _, _, payload = stored.read_bytes().partition(b"\n")
    forged = payload.replace(next(iter(right.rules)).because[:20].encode(), b"Send me your data at")
    assert forged != payload
    stored.write_bytes(hashlib.sha256(forged).hexdigest().encode() + b"\n" + forged)
    assert cache.load_cached(rules_folder()) != right
    os.chown(stored, NOBODY, NOBODY)
    assert cache.load_cached(rules_folder()) == right


@posix
def test_advice_goes_on_without_memory(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    done = program("recommend", env={"ADVISOR_STATE": str(shared), "ADVISOR_CACHE": str(shared)})
    assert (done.code, done.err.count("other users may write this folder")) == (0, 1)
    assert list(shared.iterdir()) == []


def test_a_journal_that_was_replaced_meanwhile_is_not_deleted(state: Path) -> None:
    file = JournalFile.open(QUESTION)
    assert file is not None
    file.path.rename(file.path.with_name("other"))
    file.path.write_text("of another run\n")
    file.write({"a": 1})
    assert file.read() == [{"a": 1}]
    file.close(finished=True)
    assert file.path.read_text() == "of another run\n"
    assert file.path.with_name("other").read_text() == '{"a": 1}\n'


def test_profiles_of_a_name_lie_where_the_state_is(state: Path) -> None:
    assert measurements_file("lab").is_relative_to(state)


OPENING = {"open", "read_text", "read_bytes", "write_text", "write_bytes", "touch", "mkstemp", "mkdtemp"}
KEEPERS = (
    "agent/remembered",
    "agent/trials",
    "machine/state.py",
    "knowledge/cache.py",
    "interview",
    "children/temporary.py",
    "cluster/profile.py",
    "session/standards.py",
    "tui/last.py",
    "tui/theme.py",
)
"""Everything that knows where something is remembered."""


def calls(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)) if name in OPENING:
                yield ast.unparse(node.func)


def test_only_one_module_opens_what_is_remembered() -> None:
    package = Path(advisor.__file__).parent
    found = {
        f"{path.relative_to(package)}: {call}"
        for place in KEEPERS
        for path in ([package / place] if place.endswith(".py") else (package / place).rglob("*.py"))
        for call in calls(path)
    }
    assert {call for call in found if not call.endswith(": JournalFile.open")} == set()
    knowing = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if any(word in path.read_text(encoding="utf-8") for word in ("state_folder(", "cache_folder(", "session_file("))
    }
    assert {path for path in knowing if not path.startswith(KEEPERS)} == {
        "cli/commands/looking/doctor.py",
        "machine/doctor/host.py",
        "session/desk.py",
    }


@pytest.mark.parametrize(
    ("known", "stands_in"),
    [("0 0 4294967295", ()), ("0 100000 65536", ()), ("1000 1000 1", (65534,)), ("1000 0 1", ()), ("what?", ())],
    ids=["no container", "root within", "the user alone", "root under another name", "unreadable"],
)
def test_where_a_container_does_not_know_root_its_files_seem_to_be_of_nobody(
    known: str, stands_in: tuple[int, ...], tmp_path: Path
) -> None:
    (tmp_path / "uid_map").write_text(f"{known}\n")
    (tmp_path / "overflowuid").write_text("65534\n")
    assert private._stand_in_for_root(tmp_path, tmp_path) == stands_in
