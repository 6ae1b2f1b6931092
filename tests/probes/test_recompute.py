from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest
import torch
from torch import nn

from advisor.children.errors import CannotRunError
from advisor.networks.builders import build, loss_function
from advisor.networks.examples import example_batch
from advisor.networks.registry import family
from advisor.probes.child.training_step import recomputed
from advisor.probes.workload import Workload
from tests.networks.all_examples import EXAMPLES

torch.set_num_threads(1)
NETWORKS = {name: spec for examples in EXAMPLES.values() for name, spec in (examples.recomputed or {}).items()}
RECURRENT = [network for network in EXAMPLES if family(network).recurrent]


def gradients(network: nn.Module, workload: Workload) -> tuple[torch.Tensor, list[torch.Tensor]]:
    inputs, targets = example_batch(workload, 4, torch.Generator().manual_seed(1))
    torch.manual_seed(2)  # a vae draws its code
    loss = loss_function(workload)(network(inputs), targets)
    torch.autograd.backward(loss)
    return loss.detach(), [weight.grad for weight in network.parameters() if weight.grad is not None]


@pytest.mark.parametrize("workload", NETWORKS.values(), ids=NETWORKS)
def test_recomputing_changes_neither_loss_nor_gradients(workload: Workload) -> None:
    torch.manual_seed(0)
    plain = build(workload)
    torch.manual_seed(0)
    again = recomputed(build(workload))
    loss, expected = gradients(plain, workload)
    same, found = gradients(again, workload)
    torch.testing.assert_close(same, loss)
    assert len(found) == len(expected) == len(list(plain.parameters()))
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other)
    assert list(again.state_dict()) == list(plain.state_dict())


@pytest.mark.parametrize("workload", NETWORKS.values(), ids=NETWORKS)
def test_something_is_computed_twice_and_less_is_kept(workload: Workload) -> None:
    torch.manual_seed(0)
    plain, again = build(workload), recomputed(build(workload))
    runs, kept = count(plain, workload)
    more_runs, fewer_kept = count(again, workload)
    assert more_runs > runs
    assert fewer_kept < kept


def count(network: nn.Module, workload: Workload) -> tuple[int, int]:
    """How often parts of the network without children are computed in a step, and how much they keep in bytes."""
    runs = 0
    kept: dict[int, int] = {}
    own = {weight.data_ptr() for weight in network.parameters()}

    def ran(*_: object) -> None:
        nonlocal runs
        runs += 1

    for module in network.modules():
        if isinstance(module, nn.Linear | nn.Conv1d | nn.Conv2d | nn.Conv3d | nn.ConvTranspose2d | nn.LayerNorm):
            module.register_forward_hook(ran)

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    inputs, targets = example_batch(workload, 4, torch.Generator().manual_seed(1))
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        loss = loss_function(workload)(network(inputs), targets)
    total = sum(kept.values())
    torch.autograd.backward(loss)
    return runs, total


PEAK = """
import sys, torch
from advisor.probes.judging.trial import peak_memory_bytes
from advisor.probes.child.training_step import TrainingStep
from advisor.probes.workload import Activations, Precision, Workload
torch.set_num_threads(1)
deep = Workload("ffn", "tabular", 64, 10, (64,) * 64, activations=Activations(sys.argv[1]))
step = TrainingStep(deep, 10**10, 0)
step.run(1, Precision.FP32)
before = peak_memory_bytes()
step.run(8192, Precision.FP32)
print(peak_memory_bytes() - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="sets an option of glibc")
def test_a_deep_chain_needs_much_less_memory() -> None:
    """64 results of 2 MB each; in 9 segments their 9 inputs, and the 8 results of one segment at a time.

    The system's allocator is told to give back at once what is freed: what it keeps for later would be counted too.
    """
    peak = {}
    environment = os.environ | {"MALLOC_MMAP_THRESHOLD_": "100000"}
    for activations in ("kept", "recomputed"):
        command = [sys.executable, "-c", PEAK, activations]
        peak[activations] = int(subprocess.run(command, capture_output=True, check=True, env=environment).stdout)
    assert peak["recomputed"] < 0.6 * peak["kept"]


@pytest.mark.parametrize("network", RECURRENT)
def test_a_recurrent_network_has_nothing_to_recompute(network: str) -> None:
    workload = Workload(network, "time_series", 3, 1, (5, 5), sequence_length=4, loss="mse")
    with pytest.raises(CannotRunError, match="no long chain of layers"):
        recomputed(build(workload))


def test_a_short_chain_has_nothing_to_recompute() -> None:
    with pytest.raises(CannotRunError, match="no long chain of layers"):
        recomputed(build(replace(NETWORKS["ffn"], hidden_units=(5,))))
