"""`--data` and `--target`: what is found in the data enters the plan, beneath what somebody states."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sklearn.datasets import load_wine

from advisor.agent.trials.outcomes import remember_trials, trial_outcomes
from tests.agent.test_trials import bet, found

from .program import advisor, environment, refused


@pytest.fixture(scope="module")
def wine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    bunch: Any = load_wine()
    rows = [
        ",".join([*(str(value) for value in row), f"kind {label}"])
        for row, label in zip(bunch.data, bunch.target, strict=True)
    ]
    path = tmp_path_factory.mktemp("data") / "wine.csv"
    path.write_text("\n".join([",".join([*bunch.feature_names, "cultivar"]), *rows]) + "\n")
    return path


def plan(*arguments: str | Path) -> dict[str, Any]:
    done = advisor("recommend", *arguments, "--machine", "none", "--format", "json")
    assert done.code == 0, done.err
    document: dict[str, Any] = json.loads(done.out)
    return document


@pytest.mark.slow
def test_facts_of_the_data_enter_the_plan(wine: Path) -> None:
    document = plan("--data", wine, "--target", "cultivar")
    found = {name: entry["value"] for name, entry in document["facts"].items() if entry["source"] == "inspected"}
    assert {
        "task.kind": "classify",
        "task.outputs": 3,
        "data.modality": "tabular",
        "data.examples": 178,
    }.items() <= found.items()
    assert found["data.inputs"] == 13
    assert len(found["data.fingerprint"]) == 16
    assert document["recommendations"]["network.type"]["value"] == "gradient_boosting"


def test_an_answer_outranks_the_data_and_the_contradiction_is_told(wine: Path) -> None:
    document = plan("--data", wine, "--target", "cultivar", "--set", "data.examples=50000")
    assert document["facts"]["data.examples"] == {"value": 50_000, "source": "asked"}
    (clash,) = (clash for clash in document["contradictions"] if clash["fact"] == "data.examples")
    assert (clash["overruled"], clash["overruled_source"]) == (178, "inspected")


@pytest.mark.slow
def test_the_page_says_what_is_worth_trying(wine: Path) -> None:
    said = " ".join(
        advisor("recommend", "--data", wine, "--target", "cultivar", "--machine", "none", "--all").out.split()
    )
    assert f"advisor try --data {wine} --target cultivar --machine none" in said
    assert "found in the data" in said
    assert (
        "WORTH TRYING" not in advisor("recommend", "--set", "data.modality=tabular", "--machine", "none", "--all").out
    )


@pytest.mark.slow
def test_an_explanation_takes_the_data_too(wine: Path) -> None:
    done = advisor(
        "explain", "network.type", "--data", wine, "--target", "cultivar", "--machine", "none", "--format", "json"
    )
    assert json.loads(done.out)["value"] == "gradient_boosting"


@pytest.mark.slow
def test_the_wizard_does_not_ask_what_the_data_tell(wine: Path) -> None:
    done = advisor("wizard", "--plain", "--data", wine, "--target", "cultivar", "--machine", "none")
    assert done.code == 0, done.err
    assert "Found in the data" in done.out
    assert "[data.examples]" not in done.out
    assert "[task.kind]" not in done.out


def test_a_target_without_data_is_refused() -> None:
    said = refused("recommend", "--target", "cultivar")
    assert "--target" in said
    assert "Add --data PATH." in said


def test_a_wrong_target_is_refused_with_the_right_one(wine: Path) -> None:
    said = refused("recommend", "--data", wine, "--target", "cultivat", "--machine", "none")
    assert "cultivar" in said


def test_the_data_are_never_overwritten(wine: Path) -> None:
    before = wine.read_bytes()
    said = refused("recommend", "--data", wine, "--target", "cultivar", "--output", wine, "--force")
    assert "never rewritten" in said
    assert wine.read_bytes() == before


def test_measuring_for_data_takes_their_facts(wine: Path) -> None:
    done = advisor(
        "probe", "--data", wine, "--target", "cultivar", "--only", "storage", "--budget", "5s", "--format", "json",
        env=environment(),
    )  # fmt: skip
    assert json.loads(done.out)["facts"]["data.examples"] == {"value": 178, "source": "inspected"}


def test_a_plain_folder_can_still_be_measured(tmp_path: Path) -> None:
    done = advisor("probe", "--data", tmp_path, "--only", "storage", "--budget", "5s", "--format", "json")
    assert json.loads(done.out)["schema"] == "advisor/plan/1"
    assert "No facts were found in these data" in done.said


@pytest.mark.slow
def test_what_was_tried_on_these_data_goes_into_their_plan_and_no_other(
    wine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    monkeypatch.setenv("ADVISOR_STATE", str(state))
    these = ("recommend", "--data", wine, "--target", "cultivar", "--machine", "none", "--format", "json")
    before = json.loads(advisor(*these, env={"ADVISOR_STATE": str(state)}).out)
    outcome = found(
        bet("network.type", "gradient_boosting", "ffn"), fingerprint=before["facts"]["data.fingerprint"]["value"]
    )
    remember_trials(trial_outcomes(outcome, "", "2026-11-21T10:00:00+00:00"))
    entry = json.loads(advisor(*these, env={"ADVISOR_STATE": str(state)}).out)["recommendations"]["network.type"]
    assert (entry["value"], entry["status"]) == ("ffn", "measured")
    assert entry["measured"]["before"] == "gradient_boosting"
    assert entry["measured"]["unit"] == "accuracy"
    others = ("recommend", "--set", "data.modality=tabular", "--set", "task.kind=classify", "--machine", "none")
    other = json.loads(advisor(*others, "--format", "json", env={"ADVISOR_STATE": str(state)}).out)
    assert other["recommendations"]["network.type"]["status"] != "measured"
