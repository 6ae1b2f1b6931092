"""YAML from strangers: small, flat, plain, or refused with file and line."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import InputError
from advisor.safe_yaml import MAX_BYTES, Mapping, Scalar, Sequence, load, load_file, read
from tests.properties import examples


def refused(text: str) -> str:
    with pytest.raises(InputError) as caught:
        load(text, where="rules.yaml")
    assert len(str(caught.value)) < 400
    return str(caught.value.problems[0])


def unreadable(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read(path)
    return str(caught.value.problems[0])


def texts(text: str) -> dict[str, str]:
    node = load(text, where="x")
    assert isinstance(node, Mapping)
    return {key: value.text for key, value in node.items.items() if isinstance(value, Scalar)}


# --- what can be read -------------------------------------------------------------------------------------------------


def test_every_scalar_stays_the_text_it_was() -> None:
    text = "a: 1e9, b: 010, c: no, d: 12:30:45, e: ~, f: 2026-11-21, g: 0x10, h: .inf, i: 'yes', j: \"5\", k: null, l: 1_000, m:"
    assert texts(text.replace(", ", "\n")) == {
        "a": "1e9", "b": "010", "c": "no", "d": "12:30:45", "e": "~", "f": "2026-11-21", "g": "0x10", "h": ".inf",
        "i": "yes", "j": "5", "k": "null", "l": "1_000", "m": "",
    }  # fmt: skip


def test_keys_stay_texts_too() -> None:
    assert texts("1: a\nno: b\nnull: c\n~: d\n2026-11-21: e\n") == {
        "1": "a", "no": "b", "null": "c", "~": "d", "2026-11-21": "e",
    }  # fmt: skip


def test_lines_are_those_of_the_file() -> None:
    node = load("# a comment\n\nrules:\n  - id: one\n    when: >-\n      a\n      b\n  - [x,\n     y]\n", where="x")
    assert isinstance(node, Mapping)
    assert node.key_lines == {"rules": 3}
    rules = node.items["rules"]
    assert isinstance(rules, Sequence)
    first, second = rules.items
    assert isinstance(first, Mapping)
    assert (first.line, first.key_lines) == (4, {"id": 4, "when": 5})
    assert first.items["when"] == Scalar("a b", 5)
    assert isinstance(second, Sequence)
    assert [item.line for item in second.items] == [8, 9]


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "---\n", "---\n...\n", "\ufeff"])
def test_an_empty_document_is_nothing(text: str) -> None:
    assert load(text, where="x") is None


def test_quoted_emptiness_is_a_text() -> None:
    assert load("''", where="x") == Scalar("", 1, quoted=True)


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "answers.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: \xc3\xa4\r\nb: 2\r\n")
    node = load_file(path)
    assert isinstance(node, Mapping)
    assert node.items == {"a": Scalar("ä", 1), "b": Scalar("2", 2)}


def test_a_merge_key_is_a_plain_key() -> None:
    node = load("<<: {a: 1}\nb: 2\n", where="x")
    assert isinstance(node, Mapping)
    assert list(node.items) == ["<<", "b"]


def test_fifty_levels_are_accepted() -> None:
    assert load("[" * 50 + "]" * 50, where="x") is not None


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: 1\nb: !!python/object/apply:os.system [true]\n", "rules.yaml:2: uses a tag"),
        ("!!python/object:builtins.object {}\n", "rules.yaml:1: uses a tag"),
        ("a: !!str 5\n", "rules.yaml:1: uses a tag"),
        ("a: !mine 5\n", "rules.yaml:1: uses a tag"),
        ("a: ! 5\n", "rules.yaml:1: uses a tag"),
        ("%TAG !e! tag:example.org,2000:\n---\na: !e!x 5\n", "rules.yaml:3: uses a tag"),
        ("a: &x 1\nb: 2\n", "rules.yaml:1: uses an anchor or alias"),
        ("- &x [1]\n", "rules.yaml:1: uses an anchor or alias"),
        ("a: 1\nb: {<<: *a}\n", "rules.yaml:2: uses an anchor or alias"),
        ("a: 1\n---\nb: 2\n", "rules.yaml:2: holds several documents"),
        ("a: 1\nb: 2\na: 3\n", "rules.yaml:3: repeats the key a of line 1"),
        ("x: {a: 1, a: 1}\n", "rules.yaml:1: repeats the key a of line 1"),
        ("x: {'a': 1, \"a\": 1}\n", "rules.yaml:1: repeats the key a"),
        ("? [a, b]\n: 1\n", "rules.yaml:1: uses a list or mapping as a key"),
        ("? {a: b}\n: 1\n", "rules.yaml:1: uses a list or mapping as a key"),
        ("a: 1\n[x]: 2\n", "rules.yaml:2: uses a list or mapping as a key"),
        ("a: [1, 2\n", "rules.yaml:2: did not find expected ',' or ']'"),
        ("a: 1\n b: 2\n", "rules.yaml:2: mapping values are not allowed"),
        ("a: 'x\n", "rules.yaml:2: found unexpected end of stream"),
        ("a:\n\t- 1\n", "rules.yaml:2: found character that cannot start any token"),
        ("a: @x\n", "rules.yaml:1: found character that cannot start any token"),
        ("a: 1\nb: \x01\n", "rules.yaml:2: holds a control character"),
        ("a: \x00\n", "rules.yaml:1: holds a control character"),
        ("a: \x1b[2J\n", "rules.yaml:1: holds a control character"),
        ("a: \ud800\n", "rules.yaml:1: holds a control character"),
    ],
)  # fmt: skip
def test_what_is_not_plain_is_refused_with_its_line(text: str, says: str) -> None:
    assert refused(text).startswith(says)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 51 + "]" * 51,
        "[" * 100_000,
        "{a: " * 100_000,
        "- " * 100_000,
        "? " * 100_000,
        "\n".join(" " * depth + "a:" for depth in range(400)),
        "\n".join(" " * depth + "-" for depth in range(400)),
    ],
    ids=["51 brackets", "100000 brackets", "100000 braces", "100000 dashes", "100000 ?", "400 keys", "400 items"],
)  # fmt: skip
def test_deep_nesting_is_refused_before_it_can_hurt(text: str) -> None:
    assert "is nested deeper than 50 levels" in refused(text)


def test_a_billion_laughs_are_not_laughed() -> None:
    lines = ["a0: &a0 [lol, lol]"] + [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 40)]
    assert refused("\n".join(lines)).startswith("rules.yaml:1: uses an anchor or alias")


def test_a_terminal_is_not_written_to_through_a_message() -> None:
    assert "\x1b" not in refused("a: 1\n'\u009b2J': 1\n'\u009b2J': 2\n")


@examples(200)
@given(st.text(alphabet=st.sampled_from("ab:-[]{},&*!|>'\"%@#?~ \n\t\x00\ufeffä"), max_size=80) | st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(InputError):
        load(text, where="x")


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("missing.yaml", "cannot be read (No such file or directory)"),
        (".", "this is a folder. Name a file."),
        ("file.yaml/x", "cannot be read (Not a directory)"),
        ("x" * 300, "cannot be read (File name too long)"),
        ("nul\0l", "is not a file name"),
    ],
)
def test_what_is_no_file_is_named(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "file.yaml").write_text("a: 1")
    assert says in unreadable(tmp_path / name)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"a: 1\nb: f\xfcr\n", ":2: is not UTF-8 text. Save it as UTF-8."),
        ("a: 1".encode("utf-16"), ":1: is not UTF-8 text. It looks like a binary file."),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\xff\xfe", ":1: is not UTF-8 text. It looks like a binary file."),
        (b"GIF89a\0\0;", "is a binary file. Name a YAML text."),
    ],
    ids=["Latin-1", "UTF-16", "a program", "a picture"],
)  # fmt: skip
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "answers.yaml"
    path.write_bytes(content)
    assert unreadable(path) == f"{path}{says}" or unreadable(path) == f"{path}: {says}"


def test_more_than_a_megabyte_is_refused_without_reading_on(tmp_path: Path) -> None:
    path = tmp_path / "answers.yaml"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    assert "is larger than 1 MB" in unreadable(path)
    path.write_bytes(b"#" * MAX_BYTES)
    assert load_file(path) is None
    assert "is larger than 1 MB" in unreadable(Path("/dev/zero"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "answers.yaml"
    path.write_text("a: 1")
    path.chmod(0)
    assert "cannot be read (Permission denied)" in unreadable(path)


def test_a_file_that_fails_while_it_is_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "answers.yaml"
    path.write_text("task.kind: classify\n", encoding="utf-8")
    monkeypatch.setattr(os, "read", denied)
    assert "cannot be read (Permission denied). Check the name." in unreadable(path)
