"""What is remembered between runs survives faults, and no fault ends in anything but a StateError."""

from __future__ import annotations

import errno
import json
import os
import stat
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.machine.state import (
    MAX_BYTES,
    NothingSavedError,
    SetAsideError,
    StateError,
    host_name,
    load_json,
    make_private,
    save_json,
    set_up_apart,
    state_folder,
)

texts = st.text(st.characters(codec=None))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
    max_leaves=20,
)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@settings(deadline=None)
@given(json_values)
def test_what_is_saved_is_loaded(data: object) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "saved.json"
        save_json(path, data)
        assert load_json(path) == data


@settings(deadline=None)
@given(st.binary())
def test_any_bytes_load_or_are_kept_aside(raw: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "saved.json"
        path.write_bytes(raw)
        try:
            load_json(path)
        except StateError:
            assert path.with_name("saved.json.corrupt").read_bytes() == raw
            assert not path.exists()
        else:
            assert path.read_bytes() == raw


def test_each_host_has_its_own_private_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "deep/er/state"))
    monkeypatch.setattr("socket.gethostname", lambda: "node-7")
    folder = state_folder()
    assert folder == tmp_path / "deep/er/state/node-7"
    assert mode(folder) == 0o700
    assert mode(folder.parent) == 0o700
    assert state_folder() == folder


def test_without_the_variable_the_platform_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ADVISOR_STATE", raising=False)
    monkeypatch.setattr("platformdirs.user_state_dir", lambda name, appauthor: str(tmp_path / name))
    assert state_folder().parent == tmp_path / "advisor"


@pytest.mark.parametrize(
    ("name", "safe"),
    [("Node_7.lab", "node_7.lab"), ("../../etc", "etc"), ("a/b c", "a-b-c"), ("..", "host"), ("", "host")],
)
def test_a_host_name_cannot_leave_the_folder(name: str, safe: str) -> None:
    assert host_name(name) == safe


def test_a_memory_apart_shares_what_was_measured_and_no_conversation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "ours"))
    ours = state_folder()
    save_json(ours / "interview.json", {"said": "here"})
    save_json(ours / "trials.json", {"tried": "before"})
    with tempfile.TemporaryDirectory(dir=tmp_path) as apart:
        set_up_apart(Path(apart))
        monkeypatch.setenv("ADVISOR_STATE", apart)
        folder = state_folder()
        assert not (folder / "interview.json").exists()
        assert load_json(folder / "trials.json") == {"tried": "before"}
        save_json(folder / "interview.json", {"said": "there"})
        save_json(folder / "trials.json", {"tried": "there"})
        save_json(folder / "measurements" / "last.json", {"measured": "there"})
        make_private(folder / "journal")
    assert load_json(ours / "interview.json") == {"said": "here"}
    assert load_json(ours / "trials.json") == {"tried": "before"}
    assert load_json(ours / "measurements" / "last.json") == {"measured": "there"}, "it outlives the other memory"


def test_a_file_in_the_way_of_the_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "state").write_text("a file")
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "state"))
    with pytest.raises(StateError, match="cannot be created") as caught:
        state_folder()
    assert "ADVISOR_STATE" in str(caught.value)
    assert str(tmp_path / "state") in str(caught.value)


def test_an_unknown_home_folder_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_STATE", "~no-such-user/state")
    with pytest.raises(StateError, match="no such home folder"):
        state_folder()


def test_only_the_owner_can_read_what_is_saved(tmp_path: Path) -> None:
    save_json(tmp_path / "saved.json", {"a": 1})
    assert mode(tmp_path / "saved.json") == 0o600


def test_saving_where_no_folder_is_tells_the_place(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="cannot be saved") as caught:
        save_json(tmp_path / "missing/saved.json", {})
    assert "missing/saved.json" in str(caught.value)


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_full_disk_keeps_what_was_saved_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "saved.json"
    save_json(path, {"kept": True})
    monkeypatch.setattr(os, step, full)
    with pytest.raises(StateError, match="Free some space"):
        save_json(path, {"kept": False})
    monkeypatch.undo()
    assert load_json(path) == {"kept": True}
    assert list(tmp_path.iterdir()) == [path]  # no half-written file is left behind


@pytest.mark.parametrize("data", [{"speed": float("nan")}, {"set": {1, 2}}])
def test_data_that_are_not_json_leave_the_file_alone(tmp_path: Path, data: object) -> None:
    path = tmp_path / "saved.json"
    save_json(path, {"kept": True})
    with pytest.raises((TypeError, ValueError)):
        save_json(path, data)
    assert load_json(path) == {"kept": True}


def test_nothing_saved_yet_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(NothingSavedError):
        load_json(tmp_path / "saved.json")


@pytest.mark.parametrize(
    "content",
    [b'{"samples": [1.0, 2.0', b"", b"\xff\xfe\x00", b"[" * 100_000, b'{"a": NaN}', b" " * (MAX_BYTES + 1)],
    ids=["truncated", "empty", "binary", "100 000 brackets", "nan", "too large"],
)
def test_a_damaged_file_is_moved_aside_and_reported_once(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "saved.json"
    path.write_bytes(content)
    with pytest.raises(StateError, match=r"saved\.json\.corrupt") as caught:
        load_json(path)
    assert str(path) in str(caught.value)
    assert (tmp_path / "saved.json.corrupt").read_bytes() == content
    with pytest.raises(NothingSavedError):
        load_json(path)


def test_what_was_moved_aside_before_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    (tmp_path / "saved.json.corrupt-2").mkdir()
    for content, aside in (("{", "saved.json.corrupt"), ("[", "saved.json.corrupt-3")):
        path.write_text(content)
        with pytest.raises(SetAsideError, match=aside):
            load_json(path)
        assert (tmp_path / aside).read_text() == content
    assert (tmp_path / "saved.json.corrupt").read_text() == "{"


def test_a_damaged_file_that_cannot_be_moved_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "saved.json"
    path.write_text("{")
    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(StateError, match="cannot be moved aside") as caught:
        load_json(path)
    assert not isinstance(caught.value, SetAsideError)
    assert path.read_text() == "{"


def test_a_folder_in_place_of_the_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "saved.json").mkdir()
    with pytest.raises(StateError, match="cannot be read"):
        load_json(tmp_path / "saved.json")
    assert json.dumps([entry.name for entry in tmp_path.iterdir()]) == '["saved.json"]'
