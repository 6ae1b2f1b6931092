"""Processes that learn together: each takes its share of every batch, and they exchange gradients (ranks).

`python -m advisor.probes.child.rank PARENT` is told a RankLaunch, meets the others through a file in the child's private folder,
and then does what each line says: training steps, or exchanges of the network's gradients alone. torch is imported within
functions: a rank is bound to its processors before torch starts its threads.

A store of torch's own behind a port would have no password, and let any user of this computer spoil a measurement. The
connections of gloo remain, on the loopback interface: who guesses a small number at the right moment could still take the
place of a rank there and spoil a measurement, but run nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from advisor.children.errors import CannotRunError
from advisor.children.helper import Say, serve
from advisor.networks.description import UnbuildableError
from advisor.plain import decode
from advisor.probes.child.peer import bind
from advisor.probes.judging.trial import peak_memory_bytes
from advisor.probes.workload import Device, Execution, Precision, Workload

if TYPE_CHECKING:
    import torch


class Doing(StrEnum):
    TRAINING = "training"
    """The whole training step, each with its share of the batch."""
    AT_ONCE = "at once"
    """The exchange of all gradients as one flat buffer."""
    PIECE_BY_PIECE = "piece by piece"
    """The exchange of the gradients, one tensor after the other."""


@dataclass(frozen=True, slots=True)
class RankLaunch:
    """The settings with which a rank is started."""

    workload: Workload
    """With its own share of the batch and of the threads."""
    rank: int
    ranks: int
    seconds: float
    """The time that any exchange may take at most."""
    memory_bytes: int
    seed: int
    trains: bool
    """True if it makes training steps, false if it only exchanges."""
    store: str = ""
    """The file through which ranks meet."""
    processors: Sequence[int] | None = None


def _work(arguments: Mapping[str, Any], told: Iterator[Mapping[str, Any]], say: Say) -> None:
    """Run in the rank."""
    launch = decode(RankLaunch, arguments, "launch")
    bind(launch.processors, None)
    workload = launch.workload
    import torch

    if workload.threads is not None:
        torch.set_num_threads(workload.threads)
    on_card = workload.device is Device.CUDA
    if on_card:
        torch.cuda.set_device(launch.rank)
    _meet(launch, on_card)
    run = _trainer(launch, workload) if launch.trains else _exchanger(launch, workload)
    say(torch=torch.__version__, threads=torch.get_num_threads())
    for order in told:
        for _ in range(order["steps"]):
            run(Doing(order["doing"]), order["size"])
        if on_card:
            torch.cuda.synchronize()
        say(peak=torch.cuda.max_memory_allocated() if on_card else peak_memory_bytes())


def _meet(launch: RankLaunch, on_card: bool) -> None:
    """Return when all ranks are there. Raises CannotRunError where torch has no way to exchange."""
    from torch import distributed
    from torch._C._distributed_c10d import FileStore

    backend = "nccl" if on_card else "gloo"
    if not distributed.is_available() or not distributed.is_backend_available(backend):
        raise CannotRunError(f"this build of torch has no {backend}, with which processes exchange gradients.")
    timeout = timedelta(seconds=launch.seconds)
    store = FileStore(launch.store, launch.ranks)
    store.set_timeout(timeout)
    distributed.init_process_group(backend, store=store, rank=launch.rank, world_size=launch.ranks, timeout=timeout)


def _trainer(launch: RankLaunch, workload: Workload) -> Callable[[Doing, int], object]:
    """The training step as torch recommends it for several processes: gradients are exchanged while others are computed."""
    import torch
    from torch.nn.parallel import DistributedDataParallel

    from advisor.probes.child.training_step import TrainingStep

    class SharedStep(TrainingStep):
        def __init__(self) -> None:
            super().__init__(workload, launch.memory_bytes, launch.seed)
            shared = DistributedDataParallel(self._network)
            compiled = workload.execution is Execution.COMPILED
            self._forward = torch.compile(shared, dynamic=False) if compiled else shared

    tf32 = workload.precision is Precision.TF32
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
    step = SharedStep()
    return lambda _, examples: step.run(min(examples, workload.batch_size), workload.precision)


def _exchanger(launch: RankLaunch, workload: Workload) -> Callable[[Doing, int], object]:
    """Sum made-up gradients of the network over all ranks, up to so many numbers."""
    import torch
    from torch import distributed

    tensors = gradient_sizes(workload)
    total = sum(tensors)
    buffer_and_copies = 3 * 4 * total
    if buffer_and_copies > launch.memory_bytes:
        raise CannotRunError(
            f"its {total:,} gradients do not fit the {launch.memory_bytes / 1e9:.1f} GB that it may take."
        )
    flat = torch.zeros(total, device=workload.device.value)
    pieces: Sequence[torch.Tensor] = torch.split(flat, tensors)

    def exchange(doing: Doing, numbers: int) -> None:
        if doing is Doing.AT_ONCE:
            distributed.all_reduce(flat[:numbers])
            return
        begin = 0
        for piece in pieces:
            distributed.all_reduce(piece[: numbers - begin])
            begin += piece.numel()
            if begin >= numbers:
                break

    return exchange


def gradient_sizes(workload: Workload) -> list[int]:
    """Numbers in each tensor of weights. Raises as `network_of` does."""
    from advisor.probes.child.lesson import weights_of

    return weights_of(workload)


if __name__ == "__main__":
    serve(_work, UnbuildableError)
