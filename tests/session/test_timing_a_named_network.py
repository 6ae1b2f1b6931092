"""The step that probes time for a network that somebody named, and the plans that it counts for."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.agent.agent import settle
from advisor.agent.events import MeasuringEvent, NetworkUntimed, ProbeStarted
from advisor.agent.settling.scope import scope_of
from advisor.agent.settling.workloads import counted_step, step_of, too_large, workload_of
from advisor.errors import Complain
from advisor.machine.detection.detection import Machine
from advisor.models.code import Argument, Code, Library
from advisor.networks.builders import build
from advisor.session.inputs import Inputs, gather, plan_of
from advisor.session.models import code_of
from tests.agent.test_scope import MACHINE
from tests.models.test_own import SMALL, code

PICTURES = ["task.kind=classify", "task.outputs=10", "data.modality=image", "data.inputs=3072", "data.examples=5000"]
TEXTS = ["task.kind=classify", "task.outputs=3", "data.modality=text", "data.examples=5000"]
SILENT: Complain = lambda *_: None  # noqa: E731


def inputs(sets: list[str], model: str, shape: str | None = None) -> Inputs:
    return gather(sets=sets, machine="none", model=model, input=shape, complain=SILENT)


def scope(found: Inputs, machine: Machine = MACHINE) -> dict[str, str]:
    return scope_of(plan_of(found), machine)


def test_the_step_is_the_plans_with_ones_own_network_in_it(tmp_path: Path) -> None:
    found = inputs(PICTURES, f"{code(tmp_path, SMALL)}:make", "3x32x32")
    plan = plan_of(found)

    step = step_of(plan)

    assert step is not None
    assert step.named is not None
    assert step.named.parameters == plan.facts["network.parameters"].value == 618
    assert step.batch_size == plan.value("training.batch_size")
    assert step.loss == plan.value("training.loss")
    assert step.named.code is None  # a plan says nothing that could be run
    assert code_of(found.facts, found.network) == Code(
        Library.FILE,
        "make",
        (Argument((3, 32, 32)),),
        file=str(tmp_path / "net.py"),
        digest=found.network.code.digest,  # type: ignore[union-attr]
        torch=found.network.code.torch,  # type: ignore[union-attr]
    )


def test_another_file_an_edited_one_and_other_inputs_are_other_scopes(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    first = scope(inputs(PICTURES, f"{code(tmp_path, SMALL)}:make", "3x32x32"))
    again = scope(inputs(PICTURES, f"{code(tmp_path, SMALL)}:make", "3x32x32"))
    larger = scope(inputs(PICTURES, f"{code(tmp_path, SMALL)}:make", "3x64x64"))
    edited = scope(inputs(PICTURES, f"{code(tmp_path, SMALL.replace('relu', 'tanh'))}:make", "3x32x32"))
    other = scope(inputs(PICTURES, f"{code(tmp_path / 'other', SMALL + '# mine')}:make", "3x32x32"))

    assert first["network"].startswith("net.py:make ")
    assert first == again
    assert len({one["network"] for one in (first, larger, edited, other)}) == 4
    assert {name for name in first if first[name] != edited[name]} == {"network", "sizes"}


def test_an_edited_neighbour_that_it_imports_is_another_scope(tmp_path: Path) -> None:
    (tmp_path / "own_parts.py").write_text("def squash(x):\n    return x.relu()\n")
    text = f"from own_parts import squash\n{SMALL.replace('self.look(pictures).relu()', 'squash(self.look(pictures))')}"
    first = scope(inputs(PICTURES, f"{code(tmp_path, text)}:make", "3x32x32"))

    (tmp_path / "own_parts.py").write_text("def squash(x):\n    return x.tanh()\n")

    assert scope(inputs(PICTURES, f"{code(tmp_path, text)}:make", "3x32x32"))["network"] != first["network"]


def test_a_published_network_is_timed_from_its_configuration() -> None:
    found = inputs(TEXTS, "distilbert", "64")
    step = step_of(plan_of(found))

    told = code_of(found.facts, found.network)

    assert step is not None
    assert step.named is not None
    assert step.named.parameters == 66_362_880
    assert isinstance(told, Code)
    assert (told.library, told.network) == (Library.TRANSFORMERS, "DistilBertModel")
    assert told.arguments == (Argument((64,), tokens=True, name="input_ids"),)


@pytest.mark.parametrize("model", ["stable-diffusion-1.5", "flux.1-dev"])
def test_what_cannot_be_built_says_so_and_what_would_help(model: str) -> None:
    pictures = ["task.kind=generate", "task.generation=conditioned", "data.modality=image", "data.examples=30"]
    found = inputs(pictures, model)

    assert str(code_of(found.facts, found.network)).startswith(f"The probes cannot build {model} yet. Code of your own")


def test_a_network_that_is_too_large_is_skipped_before_anything_is_started() -> None:
    found = gather(sets=[*TEXTS, "data.sequence_length=128"], machine="none", model="qwen2.5-72b", complain=SILENT)

    revision = settle(
        found.knowledge, found.facts, MACHINE, 30.0, only=["threads"], code=code_of(found.facts, found.network)
    )

    assert not revision.outcomes
    assert "16 bytes each, 1,163.3 GB, and a probe may take" in revision.skipped[0].reason
    assert "name a smaller network" in revision.skipped[0].reason


def test_that_a_network_cannot_be_timed_is_told_before_anything_is_measured() -> None:
    found = gather(sets=[*TEXTS, "data.sequence_length=128"], machine="none", model="qwen2.5-72b", complain=SILENT)
    told: list[MeasuringEvent] = []

    revision = settle(
        found.knowledge,
        found.facts,
        MACHINE,
        30.0,
        only=["threads", "memory"],
        on_event=told.append,
        code=code_of(found.facts, found.network),
    )

    assert isinstance(told[0], NetworkUntimed)
    assert "16 bytes each, 1,163.3 GB" in told[0].reason
    assert [one.probe for one in revision.skipped] == ["threads"]
    assert [type(one) for one in told].count(NetworkUntimed) == 1
    assert any(isinstance(one, ProbeStarted) for one in told[1:]), "what needs no network is measured"


def test_nothing_of_the_kind_is_told_where_no_probe_needs_the_network() -> None:
    found = gather(sets=[*TEXTS, "data.sequence_length=128"], machine="none", model="qwen2.5-72b", complain=SILENT)
    told: list[MeasuringEvent] = []
    settle(found.knowledge, found.facts, MACHINE, 0.0, only=["memory"], on_event=told.append)
    assert not any(isinstance(one, NetworkUntimed) for one in told)


def test_sixteen_bytes_a_weight_are_what_training_holds() -> None:
    step = workload_of(plan_of(inputs(TEXTS, "distilbert", "64")))

    assert not isinstance(step, str)
    assert too_large(step, 66_362_880 * 16) is None
    assert too_large(step, 66_362_880 * 16 - 1) is not None


def test_a_network_that_cannot_be_timed_is_counted_all_the_same() -> None:
    graph = ["task.kind=classify", "task.outputs=4", "data.modality=graph", "data.inputs=16", "data.examples=3000"]
    plan = plan_of(gather(sets=graph, machine="none", complain=SILENT))
    assert plan.value("network.type") == "gnn"
    step = counted_step(plan)
    assert step is not None

    figures = {one.name: one for one in plan.figures}

    assert "depends on the edges" in str(workload_of(plan))
    weights = sum(one.numel() for one in build(step).parameters())
    assert figures["network.size"].value == weights
