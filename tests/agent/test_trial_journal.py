"""The journal of `advisor try` on a real disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.agent.remembered.journal_file import JournalFile


def test_after_half_a_line_nothing_that_follows_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path))
    question = {"data": "digits"}
    first = JournalFile.open(question)
    assert first is not None
    first.write({"trial": 1})
    with first.path.open("ab") as file:
        file.write(b'{"trial": ')  # the power fails here
    first.close(finished=False)
    second = JournalFile.open(question)
    assert second is not None
    second.write({"trial": 2})
    assert second.read() == [{"trial": 1}, {"trial": 2}]
    second.close(finished=True)
    assert not second.path.exists()
