"""The rate of matrix products in each number format that the processor or the card has units for."""

from __future__ import annotations

from advisor.probes.probe import Probe, Setting, Work, always
from advisor.probes.surroundings import Surroundings
from advisor.probes.workload import Workload

HAS_BF16 = 8.0
"""Compute capability from which cards multiply tf32 and bf16 (NVIDIA, CUDA C++ Programming Guide)."""


def _choose(workload: Workload | None, surroundings: Surroundings, recommended: Setting) -> tuple[Setting, ...]:
    """32 bits first: a format that is very slow shows beside it.

    fp64 gives a processor without bf16 something to be compared with; its rate is shown, and kept in no fact.
    """
    if not surroundings.cuda:
        return ("fp32", "bf16", "fp64")
    if (surroundings.compute_capability or 0) >= HAS_BF16:
        return ("fp32", "tf32", "bf16", "fp16")
    return ("fp32", "fp16")


MATMUL = Probe(
    name="matmul",
    place=180,
    question="In which number format does this machine multiply large matrices fastest, and how fast?",
    cost_seconds=10.0,
    bench="matmul",
    work=Work.FLOP,
    needs_network=False,
    bound_by=("machine", "torch"),
    choose=_choose,
    recommended=always("fp32"),
    gauges={
        "probe.matmul.fp32": "fp32",
        "probe.matmul.tf32": "tf32",
        "probe.matmul.bf16": "bf16",
        "probe.matmul.fp16": "fp16",
    },
)
