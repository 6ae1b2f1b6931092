"""Trainings on this machine: the plan's figure of their memory against the memory that they take."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.agent.settling.workloads import step_of
from advisor.facts.fact_base import FactBase
from advisor.inference.plan import Plan
from advisor.knowledge.model import Knowledge
from advisor.plain import encode
from advisor.probes.workload import Workload
from advisor.session.models import MODEL, model_of, with_model
from memory.cases import Case
from memory.plans import planned, value

CHILD = Path(__file__).with_name("child.py")
SECONDS = 300.0
_PICTURES = {"data.modality": "image", "task.kind": "classify", "task.outputs": 1000}


@dataclass(frozen=True, slots=True)
class Training:
    """What was predicted and found of a case, in bytes."""

    case: Case
    predicted: float
    states: float
    found: int

    @property
    def error(self) -> float:
        """Above zero where the figure is too high."""
        return self.predicted / self.found - 1


def measured(knowledge: Knowledge, cases: Sequence[Case]) -> Iterator[Training]:
    for case in cases:
        plan = plan_of(knowledge, case)
        figures = {figure.name: figure for figure in plan.figures}
        states, activations = (value(figures, f"memory.{name}") for name in ("states_on_device", "activations"))
        yield Training(case, states + activations, states, taken(case, plan))


def plan_of(knowledge: Knowledge, case: Case) -> Plan:
    """The plan for a processor, with what the case decides otherwise."""
    facts = FactBase.of({**case.facts, "machine.gpu.count": 0})
    if case.timm:
        facts = FactBase.of({**_PICTURES, "machine.gpu.count": 0, MODEL: f"timm:{case.timm}"})
        facts = with_model(knowledge, facts, model_of(f"timm:{case.timm}"))
    chosen = {
        **case.chosen,
        "training.optimizer": case.optimizer,
        "training.precision": case.precision,
        "training.batch_size": case.batch,
        "training.micro_batch": case.batch,
        "training.adaptation": "full",
        "memory.strategy": "checkpointing" if case.recomputed else "fits",
        "compute.device": "cpu",
        "compute.threads": None,
        "parallelism.strategy": "none",
        "parallelism.model_ranks": 1,
    }
    return planned(knowledge, facts, chosen)


def taken(case: Case, plan: Plan) -> int:
    """Bytes of a process that trains as the plan says, beyond those of its imports."""
    request: dict[str, object] = {
        "batch": case.batch, "optimizer": case.optimizer, "precision": case.precision, "recomputed": case.recomputed,
    }  # fmt: skip
    if case.timm:
        request["timm"] = case.timm
    else:
        workload = step_of(plan)
        assert isinstance(workload, Workload), case.name
        request["workload"] = encode(workload)
    done = subprocess.run(
        [sys.executable, str(CHILD)],
        input=json.dumps(request) + "\n",
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{case.name}: {done.stderr}")
    return int(json.loads(done.stdout)["bytes"])
