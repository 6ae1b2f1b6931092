"""A model that takes the place of another one: at every moment one of them is there, or a message says where."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.errors import InputError
from advisor.files.exchange import exchange
from advisor.session import keeping
from advisor.training.kept.card import CARD, read_card


def folder(path: Path, content: str) -> Path:
    path.mkdir()
    (path / CARD).write_text(content)
    return path


def test_two_folders_change_places(tmp_path: Path) -> None:
    one, other = folder(tmp_path / "one", "1"), folder(tmp_path / "other", "2")
    if not exchange(one, other):
        pytest.skip("this file system cannot")
    assert [(path / CARD).read_text() for path in (one, other)] == ["2", "1"]
    assert not exchange(one, tmp_path / "none")


@pytest.mark.parametrize("at_once", [True, False])
def test_killed_at_any_step_a_model_is_there_or_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: bool
) -> None:
    place, aside = folder(tmp_path / "model", "old"), folder(tmp_path / ".aside", "new")
    if not at_once:
        monkeypatch.setattr(keeping, "exchange", lambda *_: False)
    seen: list[str] = []

    def steps(original: object) -> object:
        def step(*arguments: object, **more: object) -> object:
            found = original(*arguments, **more)  # type: ignore[operator]
            if place.exists():
                seen.append((place / CARD).read_text())
            else:  # here somebody kills it
                with pytest.raises(InputError, match=r"the one before it is in model\.replaced-"):
                    read_card(place)
                seen.append("named")
            return found

        return step

    monkeypatch.setattr(Path, "rename", steps(Path.rename))
    monkeypatch.setattr(Path, "replace", steps(Path.replace))
    monkeypatch.setattr(keeping, "sync_folder", steps(keeping.sync_folder))
    keeping._put(aside, place)
    assert (place / CARD).read_text() == "new"
    assert seen == (["old", "new"] if seen[1] == "new" else ["old", "named", "new", "new"])
    assert not list(tmp_path.glob("model.replaced-*"))
