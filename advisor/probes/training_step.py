"""The plan's own training step in torch, as the child times it."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor, nn

from advisor.networks.builders import build
from advisor.networks.examples import example_batch
from advisor.networks.losses import loss_function
from advisor.probes.contest import CannotRunError
from advisor.probes.memory import peak_memory_bytes
from advisor.probes.probe import Setting
from advisor.probes.workload import Device, Precision, Workload

STATES = 4
"""Copies of the weights that training holds with Adam: weights, gradients and two moments."""
_GROWTH = 4
_WORST_GROWTH = 2 * _GROWTH
_SECOND_LOOKS = 2

_OPTIMIZERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "sgd": torch.optim.SGD,
    "sgd_momentum": lambda weights, lr: torch.optim.SGD(weights, lr, momentum=0.9),
    "sgd_nesterov": lambda weights, lr: torch.optim.SGD(weights, lr, momentum=0.9, nesterov=True),
    "adagrad": torch.optim.Adagrad,
    "adadelta": torch.optim.Adadelta,
    "rmsprop": torch.optim.RMSprop,
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
    "nadam": torch.optim.NAdam,
}
_HALVES = {Precision.BF16: torch.bfloat16, Precision.FP16: torch.float16}


class TrainingStep:
    """One network with its loss and optimiser, and made-up examples for every batch size asked for.

    The learning rate is 0: the same arithmetic is done, but the weights stay, so that the last step costs what the
    first did (a network that has learnt its batch by heart computes with numbers near zero, which is slower).

    Raises:
        UnbuildableError: the network cannot be built.
        CannotRunError: its weights alone need more than `memory_bytes`.
    """

    def __init__(self, workload: Workload, memory_bytes: int, seed: int) -> None:
        self.workload = workload
        self.device = torch.device(workload.device.value)
        with torch.device("meta"):  # counts the weights without making them
            weights = sum(parameter.numel() for parameter in build(workload).parameters())
        if workload.device is Device.CPU and STATES * 4 * weights > memory_bytes:
            raise CannotRunError(
                f"its {weights:,} weights, their gradients and the optimiser's state need "
                f"{STATES * 4 * weights / 1e9:.1f} GB, more than the {memory_bytes / 1e9:.1f} GB that a probe may take."
            )
        torch.manual_seed(seed)
        self._generator = torch.Generator().manual_seed(seed)
        self._network: nn.Module = build(workload).to(self.device)
        self._loss = loss_function(workload)
        self._optimizer = _OPTIMIZERS[workload.optimizer](self._network.parameters(), lr=0.0)
        self._scaler = torch.amp.GradScaler(self.device.type)
        self._batches: dict[int, tuple[Tensor, Tensor]] = {}
        self.largest: dict[Precision, int] = {}
        """The largest batch that has been run whole, by number format."""

    def run(self, batch_size: int, precision: Precision) -> Tensor:
        """Forgets the gradients, forward, loss, backward, optimiser step; the loss of the batch."""
        inputs, targets = self._batch(batch_size)
        self._optimizer.zero_grad(set_to_none=True)
        with self._autocast(precision):
            loss = self._loss(self._network(inputs), targets)
        if precision is not Precision.FP16:
            torch.autograd.backward(loss)
            self._optimizer.step()
            return loss.detach()
        torch.autograd.backward(self._scaler.scale(loss))
        self._scaler.step(self._optimizer)
        self._scaler.update()
        return loss.detach()

    def wait(self) -> None:
        """Until the card has done what it was told; a CPU has done it already."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def _autocast(self, precision: Precision) -> AbstractContextManager[object]:
        number_format = _HALVES.get(precision)
        return torch.autocast(self.device.type, number_format) if number_format else nullcontext()

    def _batch(self, size: int) -> tuple[Tensor, Tensor]:
        if size not in self._batches:
            inputs, targets = example_batch(self.workload, size, self._generator)
            self._batches[size] = inputs.to(self.device), targets.to(self.device)
        return self._batches[size]


class StepTrial:
    """The training step in one setting: a number of threads, a batch size, a number format."""

    def __init__(self, step: TrainingStep, workload: Workload, setting: Setting) -> None:
        self._step = step
        self._workload = workload
        self.setting = setting
        self.examples = workload.batch_size

    def warm_up(self, seconds: float) -> None:
        """Runs batches of 1, 4, 16, ... examples up to the whole one, since a kernel may be awfully slow.

        Begins with the largest size that another trial has run in this number format. Raises CannotRunError before a
        size that would take longer than `seconds`, where the memory is not enough, and where the loss is no number.
        """
        size = min(self._step.largest.get(self._workload.precision, 1), self.examples)
        self._once(size)  # what torch prepares only once is not timed
        last, (elapsed, loss) = 0.0, self._timed(size)
        while size < self.examples:
            growth = min(max(1.0, elapsed / last), _WORST_GROWTH) if last else 1.0
            if elapsed * growth > seconds:  # a busy machine can hold up one step: only what is slow again counts
                elapsed = min(elapsed, *(self._timed(size)[0] for _ in range(_SECOND_LOOKS)))
                growth = min(max(1.0, elapsed / last), _WORST_GROWTH) if last else 1.0
            size = min(size * _GROWTH, self.examples)
            if elapsed * growth > seconds:
                raise CannotRunError(
                    f"a step of {size} examples would take about {elapsed * growth:.1f} s, too long for the time left."
                )
            last, (elapsed, loss) = elapsed, self._timed(size)
        if not torch.isfinite(loss):
            raise CannotRunError(f"the loss is {loss.item()} in {self._workload.precision}.")
        self._step.largest[self._workload.precision] = size

    def step(self) -> None:
        self._activate()
        self._step.run(self.examples, self._workload.precision)

    def finish(self) -> None:
        self._step.wait()

    def peak_memory_bytes(self) -> int:
        """Of the process; of the card where it computes there."""
        return torch.cuda.max_memory_allocated() if self._step.device.type == "cuda" else peak_memory_bytes()

    def _timed(self, size: int) -> tuple[float, Tensor]:
        """Seconds, and the loss."""
        begun = time.perf_counter()
        loss = self._once(size)
        return time.perf_counter() - begun, loss

    def _once(self, size: int) -> Tensor:
        self._activate()
        try:
            loss = self._step.run(size, self._workload.precision)
            self._step.wait()
        except RuntimeError as error:
            if isinstance(error, torch.OutOfMemoryError) or "allocate memory" in str(error):
                raise CannotRunError(f"a batch of {size} examples does not fit the memory.") from error
            raise
        return loss

    def _activate(self) -> None:
        threads = self._workload.threads
        if threads is not None and threads != torch.get_num_threads():
            torch.set_num_threads(threads)
        if self._step.device.type == "cuda":
            tf32 = self._workload.precision is Precision.TF32
            torch.backends.cuda.matmul.allow_tf32 = tf32
            torch.backends.cudnn.allow_tf32 = tf32
