"""`advisor explain FIGURE`, and numbers that a pack declares."""

from __future__ import annotations

import json
from pathlib import Path

from .program import advisor, refused

PLAN = ["--machine", "none", "--set", "data.modality=image", "--set", "data.inputs=64", "--set", "task.outputs=10"]


def test_a_number_is_explained_with_its_formula_and_inputs() -> None:
    shown = advisor("explain", "memory.weights", *PLAN).out
    assert "memory.weights = 4 * plan.parameters" in shown
    found = json.loads(advisor("explain", "memory.weights", "--format", "json", *PLAN).out)
    assert found["schema"] == "advisor/figure/1"
    assert found["value"] == 4 * found["inputs"][0]["value"]


def test_a_misspelt_number_is_suggested() -> None:
    assert "Did you mean memory.weights?" in refused("explain", "memory.weight", *PLAN)


def test_a_number_has_no_other_values() -> None:
    assert "--why-not" in refused("explain", "memory.weights", "--why-not", "3", *PLAN)


def test_a_negative_number_of_a_pack_is_shown(tmp_path: Path) -> None:
    keys = "title: Odd, unit: s, headline: true, value: 0 - 5, help: None., sources: [arithmetic]"
    (tmp_path / "figures.yaml").write_text(f"figures:\n  house.odd: {{{keys}}}\n", encoding="utf-8")
    assert "Odd: -5 s" in advisor("recommend", "--all", "--rules", str(tmp_path), *PLAN).out
