"""Sharded data parallel by torch's FSDP2: each worker keeps a share of every layer's weights, and gathers the rest for use."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor

from advisor.distributed.running.learner import optimizer_of
from advisor.distributed.running.part import Assignment, InStep


class Sharded(InStep):
    """Every layer that has weights of its own is a unit, which is gathered before use, forwards and backwards.

    How long a worker computes cannot be told from waiting within a step: the time of its processor is taken for it.
    """

    def __init__(self, run: Assignment) -> None:
        super().__init__(run)
        self.learner = run.learner()
        network = self.learner.network
        assert self.workers is not None  # noqa: S101  this rank is a worker
        mesh = DeviceMesh.from_group(self.workers, self.team.device.type, mesh=list(range(self.team.workers)))
        gathered = list(units(network))
        self._numbers = sum(weights.numel() for part in gathered for weights in part.parameters())
        self._of_root = sum(weights.numel() for weights in network.parameters()) - self._numbers
        for part in gathered:
            fully_shard(part, mesh=mesh)
        fully_shard(network, mesh=mesh)
        self._optimizer = optimizer_of(run.job.task, list(network.parameters()), self.team.workers)

    def work(self) -> None:
        self.diary.look(0, self._own)
        while True:
            self._step()
            self.diary.updated(self.team.workers * self.run.examples)
            if not self.goes_on(self.learner.taken, self._own):
                return

    def _step(self) -> None:
        begun, processor = time.monotonic(), time.thread_time()
        loss = self.learner.backward()
        computing = self.learner.slowed(time.thread_time() - processor)
        self._optimizer.step()
        self._optimizer.zero_grad()
        self.team.finish()
        self._count(begun)
        self.diary.did_both(computing)
        self.diary.computed(computing, loss)

    def _count(self, begun: float) -> None:
        """Two gatherings and a scattering of each layer; what the root holds itself is gathered once, and kept until the end."""
        times = 3 * self._numbers + 2 * self._of_root
        count = self.team.workers
        sent = (count - 1) / count * times * next(self.learner.network.parameters()).element_size()
        self.diary.bytes += sent
        if self.run.pace is not None and count > 1:
            self.run.pace.wait(sent, begun)

    @property
    def keeps(self) -> bool:
        """All do: each has its share."""
        return True

    def _own(self) -> Tensor:
        """This worker's share of all weights, one after the other."""
        parts = [_local(weights).reshape(-1) for weights in self.learner.network.parameters()]
        return torch.cat(parts)

    def joined(self, parts: Sequence[Tensor]) -> Tensor:
        """Each tensor was divided along its first axis, the first worker's share at the beginning."""
        places, found = [0] * len(parts), []
        for weights in self.learner.network.parameters():
            for worker, share in enumerate(torch.empty(weights.shape, device="meta").chunk(len(parts))):
                found.append(parts[worker][places[worker] : places[worker] + share.numel()])
                places[worker] += share.numel()
        return torch.cat(found)


def units(network: nn.Module) -> Iterator[nn.Module]:
    """The layers that are gathered by themselves: those with weights of their own, but for weights that several layers share.

    Attention uses the weights of the layer within it without calling that, so it is one.
    """
    holders = Counter(weights for part in network.modules() for weights in part.parameters(recurse=False))
    within: set[nn.Module] = set()
    for part in network.modules():
        if part is network or part in within:
            continue
        own = list(part.parameters(recurse=isinstance(part, nn.MultiheadAttention)))
        if isinstance(part, nn.MultiheadAttention):
            within.update(part.modules())
        if own and all(holders[weights] == 1 for weights in own):
            yield part


@torch.no_grad()
def _local(weights: nn.Parameter) -> Tensor:
    assert isinstance(weights, DTensor)  # noqa: S101  fully_shard made it one
    return weights.to_local().detach()
