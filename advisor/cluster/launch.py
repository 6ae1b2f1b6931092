"""The place of a process of a cluster, from the variables that torchrun or srun set. No torch here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from advisor.errors import input_error

_TITLE = "The processes of the cluster are not started right"
_REMEDY = (
    "Start it on all nodes with `torchrun --nnodes=N --nproc-per-node=M ... -m advisor.cluster`, "
    "or with `srun python -m advisor.cluster`."
)
_FIRST_PORT, _PORTS = 20_000, 20_000
"""Of Slurm jobs: each its own, so that jobs that share a node do not meet."""


@dataclass(frozen=True, slots=True)
class Launch:
    """One process among all."""

    rank: int
    ranks: int
    local_rank: int
    """On its node."""
    node: int | None
    """The number of the node; None where only the host's name tells it."""
    address: str
    """Of rank 0, where all meet."""
    port: int
    meets_at_agent: bool = False
    """True if torchrun listens there, and not rank 0."""
    attempt: int = 0
    """Of torchrun, which starts all again where one has failed."""


def launch_of(variables: Mapping[str, str]) -> Launch:
    """By the environment of the process. Raises InputError where it says too little, or nonsense."""
    if "RANK" in variables:
        return _of_torchrun(variables)
    if "SLURM_PROCID" in variables:
        return _of_slurm(variables)
    raise input_error(_TITLE, "it measures with all processes of a cluster, and this is a single one", remedy=_REMEDY)


def _of_torchrun(variables: Mapping[str, str]) -> Launch:
    return _checked(
        Launch(
            rank=_number(variables, "RANK"),
            ranks=_number(variables, "WORLD_SIZE"),
            local_rank=_number(variables, "LOCAL_RANK", 0),
            node=_number(variables, "GROUP_RANK") if "GROUP_RANK" in variables else None,
            address=_text(variables, "MASTER_ADDR"),
            port=_number(variables, "MASTER_PORT"),
            meets_at_agent=variables.get("TORCHELASTIC_USE_AGENT_STORE") == "True",
            attempt=_number(variables, "TORCHELASTIC_RESTART_COUNT", 0),
        )
    )


def _of_slurm(variables: Mapping[str, str]) -> Launch:
    nodes = variables.get("SLURM_STEP_NODELIST") or _text(variables, "SLURM_NODELIST")
    port = _FIRST_PORT + _number(variables, "SLURM_JOB_ID", 0) % _PORTS
    return _checked(
        Launch(
            rank=_number(variables, "SLURM_PROCID"),
            ranks=_number(variables, "SLURM_NTASKS"),
            local_rank=_number(variables, "SLURM_LOCALID", 0),
            node=_number(variables, "SLURM_NODEID") if "SLURM_NODEID" in variables else None,
            address=variables.get("MASTER_ADDR") or first_host(nodes),
            port=_number(variables, "MASTER_PORT", port),
        )
    )


def first_host(nodes: str) -> str:
    """Of a list as Slurm writes it: `node007` of `node[007-012,20],gpu1`."""
    first = re.match(r"(?:[^,\[]|\[[^\]]*\])*", nodes)
    return re.sub(r"\[(\d+)[^\]]*\]", r"\1", first[0] if first else "").strip()


def _checked(launch: Launch) -> Launch:
    if launch.ranks < 2:
        raise input_error(_TITLE, "there is a single process, and exchanges take two", remedy=_REMEDY)
    if not launch.rank < launch.ranks:
        what = f"rank {launch.rank} is not below {launch.ranks}, the number of processes"
        raise input_error(_TITLE, what, remedy=_REMEDY)
    return launch


def _text(variables: Mapping[str, str], name: str) -> str:
    value = variables.get(name, "").strip()
    if not value:
        raise input_error(_TITLE, f"{name} is not set", remedy=_REMEDY)
    return value


def _number(variables: Mapping[str, str], name: str, usual: int | None = None) -> int:
    if usual is not None and not variables.get(name):
        return usual
    value = _text(variables, name)
    if not re.fullmatch(r"\d{1,9}", value):
        raise input_error(_TITLE, f"{value!r} is no number", where=name, remedy=_REMEDY)
    return int(value)
