"""The worth of torch.compile: the whole training step with and without, the time to compile spread over the plan's steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.probes.probe import Probe, Setting, Varies, among
from advisor.probes.surroundings import Surroundings
from advisor.probes.workload import Device, Execution, Workload

_FOR_TRITON = 7
"""The least compute capability for which torch compiles."""


def _not_here(workload: Workload | None, surroundings: Surroundings) -> str | None:
    if workload is None or workload.device is Device.CPU or surroundings.compute_capability is None:
        return None
    if surroundings.compute_capability < _FOR_TRITON:
        return (
            f"torch compiles for cards of compute capability {_FOR_TRITON} and more; this one has "
            f"{surroundings.compute_capability:g}."
        )
    return None


def _recommended(
    values: Mapping[str, Any], topic: str, workload: Workload | None, surroundings: Surroundings
) -> Setting:
    """Compiled where the list of good practice has it, as it has for cards for which torch compiles."""
    on_card = workload is not None and workload.device is Device.CUDA
    able = (surroundings.compute_capability or 0) >= _FOR_TRITON
    advised = on_card and able and "fill_the_card" in (values.get(topic) or ())
    return Execution.COMPILED.value if advised else Execution.EAGER.value


COMPILE = Probe(
    name="compile",
    place=50,
    question="Does torch.compile make training with the plan's own network shorter, the time to compile included?",
    topic="practice",
    fact="probe.compile.best",
    cost_seconds=60.0,
    varies=Varies.EXECUTION,
    bound_by=("machine", "network", "torch", "batch_size", "precision", "threads"),
    not_here=_not_here,
    choose=among(Execution.EAGER.value, Execution.COMPILED.value),
    recommended=_recommended,
    opt_in=True,
)
