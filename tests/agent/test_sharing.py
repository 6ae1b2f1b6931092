"""Several devices are advised only where the plan's own figures say that they are faster, or where training needs them."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.agent.settling.advising import advise_here
from advisor.facts.fact_base import FactBase
from advisor.inference.plan import Plan, Status
from advisor.knowledge.cache import knowledge_for
from advisor.knowledge.model import Knowledge, School
from advisor.machine.profiles.devices import Precision
from advisor.machine.profiles.files import find_device

CARDS = {
    "machine.gpu.count": 2, "machine.gpu.name": "rtx-a6000", "machine.gpu.backend": "cuda", "machine.gpu.nvlink": False,
    "machine.gpu.compute_capability": 8.6, "machine.gpu.usable_by_torch": True, "machine.gpu.memory_bytes": 48_000_000_000,
    "cluster.nodes": 1,
}  # fmt: skip
TEXTS = {
    "task.kind": "classify", "task.outputs": 10, "data.modality": "text", "data.inputs": 30_000, "data.examples": 500_000,
    "data.sequence_length": 64, "network.parameters": 500_000_000, "project.pretrained_allowed": False,
}  # fmt: skip


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return knowledge_for(())


def advised(knowledge: Knowledge, school: School = School.TODAY, **facts: Any) -> Plan:
    stated = {**CARDS, **TEXTS, **{name.replace("__", "."): value for name, value in facts.items()}}
    return advise_here(knowledge, FactBase.of(stated), None, school=school)


def speed_up(plan: Plan) -> float | None:
    return next((one.value for one in plan.figures if one.name == "scaling.speed_up"), None)


def test_cards_behind_a_slow_link_do_not_share_a_batch(knowledge: Knowledge) -> None:
    plan = advised(knowledge, machine__link__host_to_device_bytes_per_second=3e9)
    entry = plan.recommendations["compute.device"]
    assert (entry.value, entry.status) == ("gpu", Status.LEANING)
    assert entry.because[0].rule == "compute.device.exchange-between-cards"
    assert plan.facts["parallelism.machine_speed_up"].value < 1.2
    assert plan.value("parallelism.strategy") == "none"
    assert plan.value("training.batch_size") == plan.value("training.micro_batch") * plan.value("training.accumulation")


def test_cards_behind_a_fast_link_share_it(knowledge: Knowledge) -> None:
    plan = advised(knowledge, machine__link__host_to_device_bytes_per_second=100e9)
    assert plan.value("compute.device") == "multi_gpu"
    assert "parallelism.machine_speed_up" not in plan.facts
    assert speed_up(plan) >= 1.2


def test_a_slow_link_matters_not_where_one_card_is_too_small(knowledge: Knowledge) -> None:
    link = {"machine__link__host_to_device_bytes_per_second": 3e9}
    plan = advised(knowledge, network__parameters=4_000_000_000, **link)
    assert plan.value("compute.device") == "multi_gpu"
    assert plan.value("parallelism.strategy") == "sharded_data_parallel"


def test_a_slow_network_leaves_the_work_to_one_machine(knowledge: Knowledge) -> None:
    network = {"cluster__network_bytes_per_second": 1e8, "machine__link__host_to_device_bytes_per_second": 100e9}
    plan = advised(knowledge, cluster__nodes=4, project__target_readiness=9, **network)
    assert plan.value("compute.device") == "multi_gpu"
    assert plan.facts["parallelism.cluster_speed_up"].value < 1.2 * plan.facts["parallelism.machine_speed_up"].value
    assert speed_up(plan) == pytest.approx(plan.facts["parallelism.machine_speed_up"].value, rel=0.01)


def test_a_measured_speed_up_that_is_stated_outranks_the_computed_one(knowledge: Knowledge) -> None:
    slow = {"machine__link__host_to_device_bytes_per_second": 3e9}
    assert advised(knowledge, parallelism__machine_speed_up=1.9, **slow).value("compute.device") == "multi_gpu"


def test_a_slow_cluster_that_was_measured_leaves_the_work_to_one_machine(knowledge: Knowledge) -> None:
    fast = {"cluster__network_bytes_per_second": 1e10, "machine__link__host_to_device_bytes_per_second": 100e9}
    plan = advised(knowledge, cluster__nodes=4, parallelism__cluster_speed_up=1.0, **fast)
    assert plan.value("compute.device") == "multi_gpu"
    assert plan.facts["parallelism.machine_speed_up"].value > 1.2


@pytest.mark.parametrize(("count", "nodes", "name"), [(2, 1, "machine"), (2, 4, "cluster")])
def test_a_speed_up_that_is_stated_is_that_of_the_figures(
    count: int, nodes: int, name: str, knowledge: Knowledge
) -> None:
    links = {"cluster__network_bytes_per_second": 1e10, "machine__link__host_to_device_bytes_per_second": 100e9}
    stated = {"machine__gpu__count": count, "cluster__nodes": nodes, f"parallelism__{name}_speed_up": 1.7 * nodes}
    plan = advised(knowledge, project__target_readiness=9, **links, **stated)
    assert plan.value("compute.device") == ("cluster" if nodes > 1 else "multi_gpu")
    assert speed_up(plan) == pytest.approx(1.7 * nodes)


def test_the_survey_knows_no_such_limit(knowledge: Knowledge) -> None:
    plan = advised(knowledge, School.SURVEY, machine__link__host_to_device_bytes_per_second=3e9)
    assert plan.value("compute.device") == "multi_gpu"


def test_several_cards_are_no_more_than_leaning_while_their_link_is_unknown(knowledge: Knowledge) -> None:
    known = {"task__multilabel": False, "data__splittable": True, "project__target_readiness": 6}
    unknown_link = advised(knowledge, **known).recommendations["compute.device"]
    assert (unknown_link.value, unknown_link.status) == ("multi_gpu", Status.LEANING)
    fast = {**known, "machine__link__host_to_device_bytes_per_second": 100e9}
    assert advised(knowledge, **fast).recommendations["compute.device"].status is Status.SETTLED


def test_machines_slower_than_one_card_leave_the_work_to_it_where_the_link_inside_is_unknown(
    knowledge: Knowledge,
) -> None:
    plan = advised(knowledge, cluster__nodes=4, cluster__network_bytes_per_second=1e8, project__target_readiness=9)
    entry = plan.recommendations["compute.device"]
    assert (entry.value, entry.because[0].rule) == ("gpu", "compute.device.slower-than-one-card")
    assert plan.facts["parallelism.cluster_speed_up"].value < 1
    assert plan.value("sync.strategy") == "none"


def test_machines_without_cards_count_with_their_processors(knowledge: Knowledge) -> None:
    """And a card that is named, but of which there is none, gives no figure."""
    stated = {"machine__gpu__count": 0, "machine__cpu__model": "AMD EPYC 9654 96-Core Processor", "cluster__nodes": 4}
    plan = advised(knowledge, network__parameters=1_000_000, cluster__network_bytes_per_second=1e10, **stated)
    assert plan.value("compute.device") == "cluster"
    peaks = {one.value for figure in plan.figures for one in figure.inputs if one.name == "plan.peak_flops"}
    profile = find_device("AMD EPYC 9654 96-Core Processor")
    assert profile is not None
    assert peaks == {profile.peak_flops[Precision(str(plan.value("training.precision")))].value}
