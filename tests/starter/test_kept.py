"""A project is made of a plan that it can keep to: one made anew says so, and what cannot be kept is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.errors import InputError
from advisor.facts.fact_base import FactBase
from advisor.knowledge.cache import knowledge_for
from advisor.session.inputs import Inputs, gather, plan_if, plan_of
from advisor.starter.kept import plan_to_keep
from tests.cli.program import advisor, refused

SOUNDS = ["task.kind=detect_anomalies", "data.modality=audio", "data.inputs=160000", "data.sequence_length=160000",
          "data.examples=2000", "project.pretrained_allowed=yes"]  # fmt: skip
VOLUMES = ["task.kind=segment", "data.modality=image", "data.inputs=16777216", "data.examples=200", "task.outputs=3"]
TOO_LARGE = [*VOLUMES, "data.volumes=no"]


def sets(facts: list[str]) -> list[str]:
    return [word for fact in facts for word in ("--set", fact)]


def test_a_published_network_that_no_project_trains_gives_way_and_that_is_told() -> None:
    inputs = gather(sets=SOUNDS, machine="none", complain=lambda *_: None)
    before = plan_of(inputs)
    plan, told = plan_to_keep(before, lambda changes: plan_if(inputs, changes))
    assert before.value("network.model") == "wav2vec2-base"
    assert plan.value("network.model") == "none"
    assert told[0].startswith(
        "Planned anew without a published network, because projects have no training of wav2vec2-base"
    )


def test_a_published_network_that_somebody_stated_is_not_put_aside() -> None:
    inputs = gather(sets=[*SOUNDS, "network.model=wav2vec2-base"], machine="none", complain=lambda *_: None)
    plan = plan_of(inputs)
    kept, told = plan_to_keep(plan, lambda changes: pytest.fail(f"made anew with {changes}"))
    assert (kept, told) == (plan, ())


def test_volumes_are_refused_before_a_project_of_flat_pictures_is_made(tmp_path: Path) -> None:
    said = " ".join(refused("starter", "--machine", "none", *sets(VOLUMES), "--output", tmp_path / "new").split())
    assert "a project reads flat pictures" in said
    assert "nnunetv2" in said
    assert not (tmp_path / "new").exists()

    facts = FactBase.of({"task.kind": "segment", "data.modality": "image", "data.inputs": 16_777_216})
    inputs = Inputs(knowledge_for(()), facts)
    with pytest.raises(InputError, match="volumes"):
        plan_to_keep(plan_of(inputs), lambda changes: plan_if(inputs, changes))


def test_what_fits_in_no_way_becomes_no_project(tmp_path: Path) -> None:
    said = refused("starter", "--machine", "rtx-4090", *sets(TOO_LARGE), "--output", tmp_path / "new")
    assert "fits into the memory in no way" in " ".join(said.split())
    assert not (tmp_path / "new").exists()
    assert advisor("explain", "memory.strategy", "--machine", "rtx-4090", *sets(TOO_LARGE)).code == 0


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        (["task.kind=classify", "data.modality=image", "data.inputs=150528", "task.outputs=10", "data.examples=50k",
          "project.pretrained_allowed=no", "network.parameters=86000000"], "86,000,000"),
        (["task.kind=classify", "data.modality=image", "data.inputs=150528", "task.outputs=10", "data.examples=50k",
          "project.pretrained_allowed=no"], None),
    ],
)  # fmt: skip
def test_a_network_other_than_that_of_the_figures_is_told(facts: list[str], told: str | None, tmp_path: Path) -> None:
    done = advisor("starter", "--machine", "rtx-4090", *sets(facts), "--output", tmp_path / "project")
    said = " ".join(done.err.split())
    assert done.code == 0
    if told is None:
        assert "The figures of the plan" not in said
    else:
        assert f"are those of a network with {told} weights" in said
        assert "the one that is built here has 11," in said
