"""What a report offers for measuring is what can be measured where the plan was made."""

from __future__ import annotations

from advisor.facts.fact_base import FactBase, Source
from advisor.facts.vocabulary import Value
from advisor.inference.advise import advise
from advisor.report.contents import open_ends
from tests.starter.projects import knowledge

DIGITS: dict[str, Value] = {
    "task.kind": "classify", "task.outputs": 10, "data.modality": "image", "data.examples": 1797, "data.inputs": 64,
}  # fmt: skip
CORES: dict[str, Value] = {"machine.cpu.physical_cores": 4, "machine.cpu.usable_cores": 4}


def offered(detected: dict[str, Value]) -> set[str]:
    facts = FactBase.of(detected, Source.DETECTED).with_values(DIGITS, Source.ASKED)
    plan = advise(knowledge(), facts)
    assert "device" in plan.probes
    return {end.code.rpartition(" ")[2] for end in open_ends(plan, knowledge()) if "advisor probe" in end.code}


def test_without_a_graphics_card_none_is_to_be_compared() -> None:
    names = offered(CORES | {"machine.gpu.count": 0, "machine.gpu.backend": "none"})
    assert "device" not in names
    assert "threads" in names


def test_where_little_is_known_of_the_machine_nothing_is_left_out() -> None:
    assert "device" in offered({})
