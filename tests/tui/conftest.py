"""What tests of the wizard are given."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.desks import Desks, made


@pytest.fixture
def desk_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desks:
    """Makes desks that remember things under tmp_path only."""
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "state"))
    return made
