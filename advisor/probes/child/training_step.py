"""The plan's own training step in torch, as the child times it.

Threads are switched within one process (torch.set_num_threads). Compared with processes started with each number, in
turns, that costs nothing that could be seen: the ratio of one to two threads was the same within 1 % for convolutions,
and closer than two starts of the same process came to each other otherwise (up to 25 % apart, by luck of the addresses).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from advisor.children.errors import CannotRunError, TooLongError
from advisor.networks.recompute import recompute
from advisor.probes.child.lesson import Inputs, lesson_of, network_of, weights_of
from advisor.probes.judging.trial import peak_memory_bytes
from advisor.probes.probe import Setting, Work
from advisor.probes.protocol import Predicted
from advisor.probes.workload import (
    BYTES_A_WEIGHT,
    FEWEST_NORMALIZED,
    Activations,
    Device,
    Execution,
    MemoryFormat,
    NamedNetwork,
    Precision,
    Update,
    Workload,
)
from advisor.wording import shorten

_GROWTH = 4
_WORST_GROWTH = 2 * _GROWTH
_SECOND_LOOKS = 2
_LOSS_SCALE = 1024.0
"""For fp16; torch's own first scale of 65536 overflows at first, and a step that overflows does less than a whole one."""
_LONGEST_REASON = 300

_OPTIMIZERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "sgd": torch.optim.SGD,
    "sgd_momentum": partial(torch.optim.SGD, momentum=0.9),
    "sgd_nesterov": partial(torch.optim.SGD, momentum=0.9, nesterov=True),
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
    first did (a network that has memorised its batch computes with numbers near zero, which is slower).

    Raises:
        UnbuildableError: the network cannot be built.
        CannotRunError: there is no such device, or its weights alone need more than the memory: `memory_bytes` on a
            CPU, what is free on a card.
    """

    def __init__(self, workload: Workload, memory_bytes: int, seed: int) -> None:
        self.workload = workload
        self.device = usable(workload.device)
        on_card = workload.device is Device.CUDA
        with _explained("the network"):
            _check_weights(workload, torch.cuda.mem_get_info(self.device)[0] if on_card else memory_bytes)
            torch.manual_seed(seed)
            network: nn.Module = network_of(workload).to(self.device)
        self._last_format = workload.memory_format is MemoryFormat.CHANNELS_LAST
        if self._last_format:
            network = network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        if workload.activations is Activations.RECOMPUTED:
            recomputed(network)
        self._network = network
        self._forward: Callable[..., Any] = network
        with _explained("the network"):
            lesson = lesson_of(workload, network)
        self._lesson = lesson
        self._loss = lesson.loss
        self.weights = sum(weights.numel() for weights in network.parameters())
        trained = [weights for weights in network.parameters() if weights.requires_grad]
        fused = {"fused": True} if workload.update is Update.FUSED else {}
        self._optimizer = _OPTIMIZERS[workload.optimizer](trained, lr=0.0, **fused)
        self._scaler = torch.amp.GradScaler(self.device.type, init_scale=_LOSS_SCALE)
        self._generator = torch.Generator().manual_seed(seed)
        self._batches: dict[int, tuple[Inputs, Tensor]] = {}
        self.largest: dict[Precision, int] = {}
        """The largest batch that has been run whole, by number format."""

    def run(self, batch_size: int, precision: Precision, *, eager: bool = False) -> Tensor:
        """Forget the gradients, forward, loss, backward, optimiser step; the loss of the batch.

        Args:
            eager: not compiled, even after `compile`.

        Raises:
            CannotRunError: out of memory, and what this batch held is given back; too few examples for batch normalisation.
        """
        if batch_size < FEWEST_NORMALIZED and self.workload.normalization == "batch_norm":
            raise CannotRunError("a single example cannot be normalised as a batch.")
        with _explained(f"a batch of {batch_size} examples", lambda: self._forget(batch_size), self.workload.named):
            inputs, targets = self._batch(batch_size)
            self._optimizer.zero_grad(set_to_none=True)
            with self._autocast(precision):
                loss = self._loss((self._network if eager else self._forward)(*inputs), targets)
            if precision is not Precision.FP16:
                torch.autograd.backward(loss)
                self._optimizer.step()
                return loss.detach()
            torch.autograd.backward(self._scaler.scale(loss))
            self._scaler.step(self._optimizer)
            self._scaler.update()
            return loss.detach()

    def compile(self) -> None:
        """From now on the network is compiled, which torch does at the first step of each batch size."""
        if self._forward is self._network:
            self._forward = torch.compile(self._network, dynamic=False)

    def wait(self) -> None:
        """Until the card has done what it was told; a CPU has done it already."""
        if self.device.type == "cuda":
            with _explained("a step"):
                torch.cuda.synchronize(self.device)

    def _autocast(self, precision: Precision) -> AbstractContextManager[object]:
        number_format = _HALVES.get(precision)
        return torch.autocast(self.device.type, number_format) if number_format else nullcontext()

    def _batch(self, size: int) -> tuple[Inputs, Tensor]:
        if size not in self._batches:
            inputs, targets = self._lesson.batch(size, self._generator)
            moved = tuple(map(self._placed, inputs))
            self._batches[size] = moved, moved[0] if targets is inputs[0] else targets.to(self.device)
        return self._batches[size]

    def _placed(self, values: Tensor) -> Tensor:
        if self._last_format and values.dim() == 4:
            values = values.contiguous(memory_format=torch.channels_last)
        return values.to(self.device)

    def _forget(self, size: int) -> None:
        self._batches.pop(size, None)
        self._optimizer.zero_grad(set_to_none=True)
        if self.device.type == "cuda":
            torch.cuda.empty_cache()


def usable(device: Device) -> torch.device:
    """The device in torch. Raises CannotRunError where torch cannot use it."""
    if device is Device.CUDA and not torch.cuda.is_available():
        raise CannotRunError("torch cannot use a graphics card here; `advisor doctor` says why and what to do.")
    return torch.device(device.value)


def step_key(workload: Workload) -> tuple[object, ...]:
    """The settings that need a network of their own; batch size, number format and threads don't."""
    return workload.device, workload.memory_format, workload.execution, workload.activations, workload.update


class StepTrial:
    """The training step in one setting: a number of threads, a batch size, a number format."""

    def __init__(
        self,
        step: TrainingStep,
        workload: Workload,
        setting: Setting,
        work: Work = Work.STEP,
        tell: Callable[[Predicted], None] | None = None,
    ) -> None:
        self._step = step
        self._listener = tell
        self._workload = workload
        self.setting = setting
        self.examples = workload.batch_size
        self.work = float(self.examples) if work is Work.EXAMPLE else 1.0

    def warm_up(self, seconds: float) -> None:
        """Run batches of 1, 4, 16, ... examples up to the whole one, since a kernel may be awfully slow; then compile.

        Begins with the largest size that another trial has run in this number format. Tells after each size how long
        the whole step will take. Raises CannotRunError before a size that would take longer than `seconds`, where the memory is
        not enough, and where the loss is no number.
        """
        size = min(self._step.largest.get(self._workload.precision, self._workload.fewest), self.examples)
        self._once(size)  # what torch prepares only once is not timed
        last, (elapsed, loss) = 0.0, self._timed(size)
        while size < self.examples:
            growth = min(max(1.0, elapsed / last), _WORST_GROWTH) if last else 1.0
            if elapsed * growth > seconds:  # a busy machine can hold up one step: only what is slow again counts
                elapsed = min(elapsed, *(self._timed(size)[0] for _ in range(_SECOND_LOOKS)))
                growth = min(max(1.0, elapsed / last), _WORST_GROWTH) if last else 1.0
            size = min(size * _GROWTH, self.examples)
            if elapsed * growth > seconds:
                expected = elapsed * growth
                self._predict(expected * self.examples / size, too_long=True)
                raise TooLongError(
                    f"a step of {size} examples would take about {expected:.1f} s, too long for the time left."
                )
            last, (elapsed, loss) = elapsed, self._timed(size)
        if not torch.isfinite(loss):
            raise CannotRunError(f"the loss is {loss.item()} in {self._workload.precision}.")
        self._step.largest[self._workload.precision] = size
        if self._workload.execution is Execution.COMPILED:
            self._compile(seconds)

    def step(self) -> None:
        self._activate()
        self._step.run(self.examples, self._workload.precision)

    def finish(self) -> None:
        self._step.wait()

    def peak_memory_bytes(self) -> int:
        """Of the process; of the card where it computes there."""
        device = self._step.device
        return torch.cuda.max_memory_allocated(device) if device.type == "cuda" else peak_memory_bytes()

    def _compile(self, seconds: float) -> None:
        """The first compiled step, which compiles; `seconds` are for a step that is compiled already."""
        self._activate()
        try:
            self._step.compile()
            self._step.run(self.examples, self._workload.precision)
        except RuntimeError as error:  # also torch._dynamo's own errors
            raise CannotRunError(
                f"torch cannot compile it ({_first_line(error)}). It needs a C++ compiler such as g++, and for a "
                "graphics card Triton as well."
            ) from error
        self.finish()

    def _timed(self, size: int) -> tuple[float, Tensor]:
        """Seconds, and the loss."""
        begun = time.perf_counter()
        loss = self._once(size)
        elapsed = time.perf_counter() - begun
        if size < self.examples:
            self._predict(elapsed * self.examples / size)
        return elapsed, loss

    def _predict(self, seconds: float, *, too_long: bool = False) -> None:
        if self._listener is not None:
            self._listener(Predicted(self.setting, seconds, too_long))

    def _once(self, size: int) -> Tensor:
        """Not compiled, since every size would be compiled by itself."""
        self._activate()
        loss = self._step.run(size, self._workload.precision, eager=True)
        self._step.wait()
        return loss

    def _activate(self) -> None:
        threads = self._workload.threads
        if threads is not None and threads != torch.get_num_threads():
            torch.set_num_threads(threads)
        if self._step.device.type == "cuda":
            tf32 = self._workload.precision is Precision.TF32
            torch.backends.cuda.matmul.allow_tf32 = tf32
            torch.backends.cudnn.allow_tf32 = tf32


def _check_weights(workload: Workload, memory_bytes: int) -> None:
    weights = sum(weights_of(workload)) if workload.named is None else workload.named.parameters
    if BYTES_A_WEIGHT * weights > memory_bytes:
        place = "is free on the card" if workload.device is Device.CUDA else "a probe may take"
        raise CannotRunError(
            f"its {weights:,} weights, their gradients and the optimiser's state need "
            f"{BYTES_A_WEIGHT * weights / 1e9:.1f} GB, more than the {memory_bytes / 1e9:.1f} GB that {place}."
        )


@contextmanager
def _explained(what: str, mend: Callable[[], None] = lambda: None, named: NamedNetwork | None = None) -> Iterator[None]:
    """Make a reason of running out of memory, of a card that fails, such as one for which torch has no code, and of whatever
    somebody else's network raises.
    """
    try:
        yield
    except CannotRunError:
        raise
    except RuntimeError as error:
        said = str(error)
        if isinstance(error, torch.OutOfMemoryError) or "allocate memory" in said:
            mend()
            raise CannotRunError(f"{what} does not fit the memory.") from error
        if "CUDA" in said or "cuDNN" in said:
            raise CannotRunError(
                f"{what} failed on the graphics card ({_first_line(error)}). `advisor doctor` says whether the card, its "
                "driver and torch fit together."
            ) from error
        if named is None:
            raise
        raise CannotRunError(f"{what} failed in {named.describe()}: {_first_line(error)}") from error
    except Exception as error:  # somebody else's code raises anything
        if named is None:
            raise
        text = f"{type(error).__name__}: {_first_line(error)}"
        raise CannotRunError(f"{what} failed in {named.describe()}: {text}") from error


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return shorten(lines[0] if lines else type(error).__name__, _LONGEST_REASON)


def recomputed(network: nn.Module) -> nn.Module:
    """The same network, changed in place. Raises CannotRunError where there is nothing to compute again."""
    if not recompute(network):
        raise CannotRunError("the network has no long chain of layers or blocks that could be computed again.")
    return network
