"""The launch of a plan's training: sizes for schedulers, as far as the plan knows them, and what follows a failure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from advisor.facts.fact_base import Source
from advisor.inference.plan import Plan
from advisor.machine.profiles.files import find_device
from advisor.starter.blueprint import Computing, Launch
from advisor.starter.sizes import advice_of, fact_of

RESTARTS = 3
"""After a failure of a process; the usual number of torch.distributed.elastic. A fault in the program would fail again."""
ELASTIC_RESTARTS = 100
"""For machines that come and go, since each that leaves or comes is a restart: as the rule base has it."""
RESERVE = 0.1
"""The share of the machines without which an elastic training goes on; 5 to 10 % are usual (Llama Team 2024)."""
NOTICE_SECONDS = 120
"""The longest notice that clouds give before they take a spot machine away; at least so long before the end of a job."""
SYSTEM_SHARE = 0.1
"""Of the memory of a machine, which its system and its scheduler keep."""
GPU_RESOURCES: Mapping[str, str] = MappingProxyType({"cuda": "nvidia.com/gpu", "rocm": "amd.com/gpu"})
"""The names of the makers' device plugins for Kubernetes, by the interface of the GPU."""
ACCELERATORS: Mapping[str, str] = MappingProxyType(
    {
        "a10": "A10",
        "a100-pcie-40gb": "A100",
        "a100-pcie-80gb": "A100-80GB",
        "a100-sxm-40gb": "A100",
        "a100-sxm-80gb": "A100-80GB",
        "a10g": "A10G",
        "b200-sxm": "B200",
        "gh200-96gb": "GH200",
        "h100-pcie-80gb": "H100",
        "h100-sxm-80gb": "H100",
        "h200-sxm-141gb": "H200",
        "k80": "K80",
        "l4": "L4",
        "l40s": "L40S",
        "mi300x": "MI300X",
        "rtx-3090": "RTX3090",
        "rtx-4090": "RTX4090",
        "rtx-5090": "RTX5090",
        "rtx-6000-ada": "RTX6000-Ada",
        "rtx-a6000": "RTXA6000",
        "t4": "T4",
        "v100-sxm2-16gb": "V100",
        "v100-sxm2-32gb": "V100-32GB",
    }
)
"""Names of SkyPilot 0.14 by the names of our device profiles."""


def launch_of(plan: Plan, computing: Computing) -> Launch | None:
    """None where a single process trains."""
    if computing.device not in ("multi_gpu", "cluster"):
        return None
    nodes = computing.nodes if computing.device == "cluster" else 1
    elastic = nodes > 1 and advice_of(plan, "fault_tolerance") == "elastic"
    communication = advice_of(plan, "communication") or []
    return Launch(
        nodes=nodes,
        least_nodes=nodes - max(1, int(RESERVE * nodes)) if elastic else nodes,
        processes=max(1, computing.gpus),
        cpus=_cpus(plan, computing),
        gpus=computing.gpus,
        gpu_resource=GPU_RESOURCES.get(str(fact_of(plan, "machine.gpu.backend"))),
        accelerator=_accelerator(fact_of(plan, "machine.gpu.name")),
        memory_gib=_memory_gib(fact_of(plan, "machine.memory_bytes")),
        backend=next((name for name in ("nccl", "gloo") if name in communication), None),
        spot=_taken_away(plan),
        restarts=RESTARTS,
        worker_restarts=ELASTIC_RESTARTS if elastic else RESTARTS,
        notice_seconds=max(NOTICE_SECONDS, _seconds_to_save(plan)),
        hours=None if computing.hours is None else max(1, round(computing.hours)),
    )


def _taken_away(plan: Plan) -> bool:
    """True where somebody said that machines are taken away; where it is assumed, nobody has chosen to rent such ones."""
    known = plan.facts.get("cluster.preemptions_per_day")
    return known is not None and known.source is not Source.ASSUMED and known.value != 0


def _cpus(plan: Plan, computing: Computing) -> int:
    """A core for each thread and each loader of every process, and no more than a node has beside what it needs itself: a
    scheduler never finds a place for more."""
    wanted = max(1, computing.gpus) * ((computing.threads or 1) + computing.workers)
    cores = fact_of(plan, "machine.cpu.usable_cores") or fact_of(plan, "machine.cpu.physical_cores")
    return min(wanted, max(1, cores - max(1, cores // 10))) if isinstance(cores, int) else wanted


def _accelerator(card: object) -> str | None:
    profile = None if card is None else find_device(str(card))
    return None if profile is None else ACCELERATORS.get(profile.name)


def _memory_gib(bytes_of_machine: object) -> int | None:
    return int((1 - SYSTEM_SHARE) * bytes_of_machine / 2**30) or None if isinstance(bytes_of_machine, int) else None


def _seconds_to_save(plan: Plan) -> int:
    """Twice the time that a checkpoint takes, since the step before it is finished first."""
    figure = next((figure.value for figure in plan.figures if figure.name == "checkpoint.seconds"), None)
    return math.ceil(2 * figure) if isinstance(figure, int | float) else 0
