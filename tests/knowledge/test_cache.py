"""The remembered rule base: never in the way, never out of date."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from advisor.errors import InputError
from advisor.knowledge import cache, loader
from advisor.knowledge.cache import load_cached
from tests.small_rules import RuleBase, a_set, choice, integer, rule, topic

BASE = RuleBase(
    {
        "n": integer(1, 10, unit="cores", assume="2"),
        "c": choice("red", "blue", only_when="n > 1"),
        "s": a_set("x", "y"),
        "d": integer(derive="n * 2", ask="false"),
    },
    {
        "t": topic("first", "x", "y", applies='c == "red"', actions=["do {value}"]),
        "v": topic("value", type="number", tolerance=0.1, measured_by={"probe": "threads", "fact": "n"}),
        "w": topic("score", "x", "y"),
    },
    [
        rule("t.a", "t", value="x", actions=["once"], readiness=3, erratum="E1", verified="2026-11-21"),
        rule("t.b", "t", value="y", school="today", supersedes=["t.a"], before="t.a"),
        rule("v.a", "v", value="n / 2", settles={"probe": "threads", "expects": "n > 1"}),
        rule("w.a", "w", for_="x", strength="historical", argument="one"),
        rule("w.b", "w", veto="y", when="n > 3"),
    ],
    ["n < 10"],
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ADVISOR_CACHE", str(tmp_path / "cache"))
    return BASE.write(tmp_path / "rules")


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one whenever a rule base is built from its texts."""
    made: list[int] = []
    build = loader.build

    def counted(files: Any) -> Any:
        made.append(len(files))
        return build(files)

    monkeypatch.setattr(loader, "build", counted)
    return made


def entries(folder: Path) -> list[Path]:
    return sorted((folder.parent / "cache").glob("*.json"))


def test_what_was_remembered_equals_what_was_loaded(folder: Path, builds: list[int]) -> None:
    loaded = load_cached(folder)
    remembered = load_cached(folder)
    assert len(builds) == 1
    assert remembered == loaded == loader.load(folder)
    assert [one.id for one in remembered.rules] == ["t.b", "t.a", "v.a", "w.a", "w.b"]
    assert type(remembered.rules[0]) is type(loaded.rules[0])
    assert repr(remembered) == repr(loaded)


@pytest.mark.parametrize("name", ["facts", "topics", "sources", "rules"])
def test_a_changed_file_is_read_again(folder: Path, builds: list[int], name: str) -> None:
    load_cached(folder)
    path = folder / f"{name}.yaml"
    path.write_text(path.read_text() + "\n# a remark\n")
    load_cached(folder)
    assert len(builds) == 2


def test_a_new_or_renamed_or_deleted_file_is_noticed(folder: Path, builds: list[int]) -> None:
    load_cached(folder)
    (folder / "zzz.yaml").write_text("")
    load_cached(folder)
    (folder / "zzz.yaml").rename(folder / "zzy.yaml")
    load_cached(folder)
    assert len(builds) == 3
    (folder / "zzy.yaml").unlink()
    load_cached(folder)
    assert len(builds) == 3


def test_a_changed_pack_is_read_again(folder: Path, builds: list[int]) -> None:
    house = folder.parent / "house"
    house.mkdir()
    (house / "house.yaml").write_text("- {disable: t.a, because: Not here.}\n")
    assert "t.a" not in load_cached(folder, [house]).by_id
    assert "t.a" not in load_cached(folder, [house]).by_id
    assert len(builds) == 1
    assert "t.a" in load_cached(folder).by_id
    (house / "house.yaml").write_text("- {disable: t.b, because: Not here.}\n")
    assert "t.a" in load_cached(folder, [house]).by_id


def test_the_same_texts_elsewhere_name_their_own_place(folder: Path) -> None:
    elsewhere = BASE.write(folder.parent / "elsewhere")
    load_cached(folder)
    assert load_cached(elsewhere).rules[0].where.startswith(str(elsewhere))


def test_the_same_packs_in_another_order_are_another_rule_base(folder: Path) -> None:
    packs = []
    for name, value in (("one", "x"), ("other", "y")):
        (folder.parent / name).mkdir()
        text = f"- {{id: t.ours, topic: t, school: any, value: {value}, because: Ours., sources: [book]}}\n"
        (folder.parent / name / "house.yaml").write_text(text)
        packs.append(folder.parent / name)
    assert load_cached(folder, packs).by_id["t.ours"].value == "y"
    assert load_cached(folder, packs[::-1]).by_id["t.ours"].value == "x"


def changed(text: str, parts: dict[str, object]) -> str:
    """The remembered document with other parts, and a checksum that fits it."""
    _, _, payload = text.partition("\n")
    payload = json.dumps(json.loads(payload) | parts)
    return f"{hashlib.sha256(payload.encode()).hexdigest()}\n{payload}"


DAMAGE: dict[str, Any] = {
    "empty": lambda text: "",
    "truncated": lambda text: text[: len(text) // 2],
    "no JSON": lambda text: "\x00\x01binary",
    "list": lambda text: "[]",
    "null": lambda text: "null",
    "number": lambda text: "3",
    "empty mapping": lambda text: "{}",
    "deeply nested": lambda text: "[" * 100_000,
    "foreign format": lambda text: changed(text, {"format": "other/1"}),
    "foreign digest": lambda text: changed(text, {"digest": "0" * 32}),
    "facts are text": lambda text: changed(text, {"vocabulary": {"groups": {}, "facts": "many"}}),
    "facts are numbers": lambda text: changed(text, {"vocabulary": {"groups": {}, "facts": [1, 2]}}),
    "rules are null": lambda text: changed(text, {"rules": None}),
    "rules lack keys": lambda text: changed(text, {"rules": [{"id": "x"}]}),
    "topics are a list of lists": lambda text: changed(text, {"topics": [[]]}),
    "unknown school": lambda text: text.replace('"school": "today"', '"school": "tomorrow"'),
    "unknown key": lambda text: text.replace('"because"', '"becuase"'),
    "not UTF-8": lambda text: text.encode() + b"\xff",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_memory_is_made_anew(folder: Path, builds: list[int], damage: Any) -> None:
    expected = load_cached(folder)
    (path,) = entries(folder)
    changed = damage(path.read_text())
    path.write_bytes(changed if isinstance(changed, bytes) else changed.encode())
    assert load_cached(folder) == expected
    assert load_cached(folder) == expected
    assert len(builds) == 2


@pytest.mark.parametrize("place", ["/dev/null", "/dev/null/cache", "/proc/nowhere", "file"])
def test_a_cache_that_cannot_be_written_does_not_matter(
    folder: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    (folder.parent / "file").write_text("")
    monkeypatch.setenv("ADVISOR_CACHE", str(folder.parent / place))
    assert load_cached(folder) == loader.load(folder)


def test_a_full_disk_does_not_matter(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache, "save_private", full)
    assert load_cached(folder) == loader.load(folder)
    assert entries(folder) == []


def test_what_is_wrong_is_reported_and_not_remembered(folder: Path) -> None:
    (folder / "rules.yaml").write_text("- {id: x}\n")
    for _ in range(2):
        with pytest.raises(InputError, match="lacks the key 'topic'"):
            load_cached(folder)
    assert entries(folder) == []


def test_only_the_latest_few_are_kept(folder: Path) -> None:
    for number in range(cache.KEEP + 3):
        (folder / "more.yaml").write_text(f"# {number}\n")
        load_cached(folder)
    assert len(entries(folder)) == cache.KEEP


def test_the_folder_is_private(folder: Path) -> None:
    load_cached(folder)
    assert (folder.parent / "cache").stat().st_mode & 0o077 == 0
