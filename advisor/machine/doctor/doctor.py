"""Disagreements of machine, driver and torch: a pure function from their reports to findings with remedies."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.machine.doctor import architecture, gpus, host, torch_build
from advisor.machine.doctor.finding import Environment, Examination, Finding, Severity
from advisor.machine.machine import Machine
from advisor.machine.torch_view import TorchView

VARIABLES = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "CUDA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
)
"""The variables that an examination looks at."""


def findings(machine: Machine, torch_view: TorchView, environment: Environment) -> tuple[Finding, ...]:
    """The worst first; nothing where nothing disagrees.

    Args:
        machine: after a closer look. What is unknown of it gives no finding.
        torch_view: what torch says, or why it says nothing.
        environment: variables, folders and the interpreter around both.
    """
    examination = Examination(machine, torch_view, environment)
    found = [
        finding
        for room in (torch_build, architecture, gpus, host)
        for check in room.CHECKS
        for finding in check(examination)
    ]
    return worst_first(found)


def worst_first(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """The same by severity."""
    order = list(Severity)
    return tuple(sorted(found, key=lambda finding: order.index(finding.severity)))
