"""`advisor rules trial`: what it says of measurements that do not count for this plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.agent.remembered.memory import remember

from ..agent.profiles_made import MACHINE, compared
from .program import advisor, keep_standards


def test_a_measurement_under_other_conditions_is_the_reason_with_what_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path))
    keep_standards(tmp_path)
    remember(MACHINE, [compared()], "lab")
    said = " ".join(advisor("rules", "trial", env={"ADVISOR_STATE": str(tmp_path)}).out.split())
    _, _, reason = said.partition("Measured on 2026-11-20 under other conditions: ")
    assert "processor Made-up processor then" in reason
    assert "network ffn 64-[64]-10 then, cnn" in reason
    assert "Not measured yet: `advisor probe --only precision`" in said


def test_where_nothing_ran_no_run_is_spoken_of(tmp_path: Path) -> None:
    keep_standards(tmp_path)
    said = " ".join(advisor("rules", "trial", env={"ADVISOR_STATE": str(tmp_path)}).out.split())
    assert "The examples lay in main memory" not in said
    reason = "Not measured yet: `advisor probe --only input --data PATH`, with data on a disk."
    assert f"{reason} - Bringing the data to the computation holds training up." in said
