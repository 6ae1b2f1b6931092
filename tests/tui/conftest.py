"""What tests of the wizard are given."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.desks import Desks, made


@pytest.fixture(autouse=True)
def state_of_its_own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a wizard remembers stays in a folder of the test, and nothing is there at first."""
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path_factory.mktemp("state")))


@pytest.fixture
def desk_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desks:
    """Makes desks that remember things under tmp_path only."""
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "state"))
    return made
