"""One training of two steps, as a process of its own: how much memory it takes beyond what its imports take.

It is given a line of JSON, `{"workload" | "timm", "batch", "optimizer", "precision", "recomputed"}`, and answers with one,
`{"bytes"}`: the peak of its resident memory less what was resident once everything was imported.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn

from advisor.models.code import Code, Library
from advisor.models.tracing.building import builder
from advisor.networks.builders import Loss, build, cross_entropy, loss_function
from advisor.networks.examples import example_batch
from advisor.networks.recompute import recompute
from advisor.plain import decode
from advisor.probes.workload import Workload
from advisor.training.loop.optimizers import optimizer

Training: TypeAlias = tuple[nn.Module, Loss, Tensor, Tensor]
"""A network, its loss, a batch and its targets."""
STEPS = 2
"""The optimiser's states are there from the first on, so the second one is whole."""
_CLASSES = 1000


def main() -> None:
    asked = json.loads(sys.stdin.readline())
    make = _of_timm(asked) if "timm" in asked else lambda: _built(asked)
    _warm_up(asked["optimizer"])
    Path("/proc/self/clear_refs").write_text("5")  # begins a new peak
    before = _resident("VmRSS")
    torch.manual_seed(0)
    torch.set_num_threads(1)
    _train(asked, *make())
    print(json.dumps({"bytes": _resident("VmHWM") - before}))


def _warm_up(name: str) -> None:
    """Train four weights, since torch imports a quarter of itself with the first optimiser and backward pass."""
    network = nn.Sequential(nn.Conv2d(1, 1, 1), nn.Linear(1, 1))
    steps = optimizer(name, network.parameters(), 1e-4)
    torch.autograd.backward(network(torch.rand(1, 1, 1, 1)).sum())
    steps.step()


def _train(asked: dict[str, Any], network: nn.Module, loss_of: Loss, inputs: Tensor, targets: Tensor) -> None:
    steps = optimizer(asked["optimizer"], network.parameters(), 1e-4)
    network.train()
    for _ in range(STEPS):
        steps.zero_grad()
        with torch.autocast("cpu", torch.bfloat16) if asked["precision"] == "bf16" else nullcontext():
            loss = loss_of(network(inputs), targets)
        torch.autograd.backward(loss)
        steps.step()


def _built(asked: dict[str, Any]) -> Training:
    workload = decode(Workload, asked["workload"], "the workload")
    network = build(workload)
    if asked["recomputed"] and not recompute(network):
        raise SystemExit("nothing of it can be computed again")
    batch = example_batch(workload, asked["batch"], torch.Generator().manual_seed(0))
    return network, loss_function(workload), *batch


def _of_timm(asked: dict[str, Any]) -> Callable[[], Training]:
    """Imports the library at once."""
    build, shape = builder(Code(Library.TIMM, asked["timm"]))

    def make() -> Training:
        network = build()
        if asked["recomputed"]:
            network.set_grad_checkpointing(True)
        inputs = torch.rand(asked["batch"], *shape)
        return network, cross_entropy, inputs, torch.randint(_CLASSES, (asked["batch"],))

    return make


def _resident(which: str) -> int:
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(which))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    main()
