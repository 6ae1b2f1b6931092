from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from typing import Any

import pytest

from advisor.errors import InputError
from advisor.training.recipe import INITIALISATIONS, OPTIMIZERS, PRECISIONS, SCHEDULES, Recipe


def refused(**fields: Any) -> str:
    with pytest.raises(InputError) as caught:
        Recipe(**fields)
    return str(caught.value)


def test_every_name_of_the_lists_makes_a_recipe() -> None:
    assert [Recipe(optimizer=name).optimizer for name in OPTIMIZERS] == list(OPTIMIZERS)
    assert [Recipe(schedule=name).schedule for name in SCHEDULES] == list(SCHEDULES)
    assert [Recipe(init=name).init for name in INITIALISATIONS] == list(INITIALISATIONS)
    assert [Recipe(precision=name).precision for name in PRECISIONS] == list(PRECISIONS)


def test_a_recipe_goes_through_json() -> None:
    recipe = Recipe("sgd_nesterov", 0.1, warmup_share=0.05, clip_norm=1.0, patience=None, threads=2)
    assert Recipe(**json.loads(json.dumps(asdict(recipe)))) == recipe


def test_a_name_that_is_nearly_right_is_named() -> None:
    assert "optimizer: admw is not known. Did you mean adamw?" in refused(optimizer="admw")
    assert "Known: fp32 and bf16." in refused(precision="8 bits")


def test_all_that_is_wrong_is_said_at_once() -> None:
    message = refused(optimizer="best", learning_rate=0.0, batch_size=0, warmup_share=1.0, weight_decay=-1.0)
    for field in ("optimizer", "learning_rate", "batch_size", "warmup_share", "weight_decay"):
        assert f"\n{field}: " in message


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("learning_rate", float("nan")),
        ("learning_rate", float("inf")),
        ("learning_rate", "0.1"),
        ("batch_size", 2.5),
        ("epochs", True),
        ("epochs", None),
        ("patience", 0),
        ("threads", 0),
        ("seed", -1),
        ("seed", 2**63),
        ("clip_norm", 0.0),
    ],
)
def test_numbers_that_make_no_sense_are_refused(field: str, value: object) -> None:
    assert f"\n{field}: " in refused(**{field: value})


def test_control_characters_of_a_name_do_not_reach_the_message() -> None:
    assert "\x1b" not in refused(optimizer="\x1b[2Jadam")


def test_recipes_and_what_became_of_them_are_known_without_torch() -> None:
    code = "import sys, advisor.training.recipe; print('torch' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
