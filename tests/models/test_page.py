"""`advisor models list` and `show`, as they are read."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.program import advisor, refused


def test_the_list_has_every_model_with_weights_and_operations() -> None:
    listed = advisor("models", "list").out
    line = next(line for line in listed.splitlines() if line.startswith("resnet50 "))
    assert line.split()[1:5] == ["25.6", "M", "4.09", "B"]
    assert "PICTURES" in listed
    told = json.loads(advisor("models", "list", "--format", "json").out)
    assert len(told) >= 80
    assert all(one["parameters"] > 0 and one["multiply_adds_per_example"] > 0 for one in told)


def test_a_model_is_shown_with_its_parts_and_its_source() -> None:
    shown = " ".join(advisor("models", "show", "mixtral-8x7b").out.split())
    assert "Parameters: 46.7 billion, of which a token meets 12.9 billion" in shown
    assert "Source: " in shown


def test_json_has_every_layer_and_they_add_up(tmp_path: Path) -> None:
    path = tmp_path / "bert.json"
    advisor("models", "show", "bert-base", "--format", "json", "--output", path)
    told = json.loads(path.read_text())
    assert told["schema"] == "advisor/model/1"
    for whole, part in (
        ("parameters", "parameters"),
        ("multiply_adds_per_example", "multiply_adds"),
        ("kept_values_per_example", "kept_values"),
    ):
        assert told[whole] == sum(layer[part] for layer in told["layers"])


def test_a_name_that_is_not_known_is_refused_with_the_nearest() -> None:
    assert "Did you mean resnet50?" in refused("models", "show", "resnet5")
