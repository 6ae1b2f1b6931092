"""A pipeline by torch: the layers are divided among workers, and the parts of a batch pass through them one after the other."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.distributed.pipelining import PipelineStage, Schedule1F1B

from advisor.distributed.running.learner import Flat, optimizer_of
from advisor.distributed.running.part import Assignment, InStep
from advisor.distributed.updates import step
from advisor.errors import input_error
from advisor.models.stages import ends
from advisor.networks.families.cnn.network import PictureCnn
from advisor.networks.families.ffn.network import FeedForward


class Pipeline(InStep):
    """The first `stages` workers hold the layers; others have nothing to do. A step is of as many examples as that of all workers
    together, in `parts` equal parts, each forwards and backwards in turn (1F1B; Narayanan et al. 2019, PipeDream-Flush).

    How long a worker computes cannot be told from waiting within a step: the time of its processor is taken for it.
    """

    def __init__(self, run: Assignment) -> None:
        super().__init__(run)
        self.learner = run.learner()
        count, rank = run.strategy.whole("stages"), self.team.rank
        self._last = rank == count - 1
        self._examples = self.team.workers * run.examples
        self._parts = parts_of(self._examples, run.strategy.whole("parts"))
        inputs, _ = self._batch()
        stages = divided(self.learner.network, inputs[:1], count)
        group = self.team.group(range(count))
        self._stage = nn.Sequential(*stages[rank])
        self.flat = Flat(self._stage)
        between = self._between(stages, inputs[: self._examples // self._parts])
        stage = PipelineStage(
            self._stage, rank, count, self.team.device, input_args=between[rank], output_args=between[rank + 1], group=group
        )  # fmt: skip
        self._schedule = Schedule1F1B(stage, self._parts, loss_fn=run.lesson.loss)
        self._optimizer = optimizer_of(run.job.task, self.flat.weights, self.team.workers)
        self.workers = group
        sent = [between[place].numel() * between[place].element_size() for place in (rank, rank + 1)]
        self._sent = self._parts * ((sent[0] if rank > 0 else 0) + (0 if self._last else sent[1]))

    def work(self) -> None:
        self.diary.look(0, lambda: self.flat.weights)
        while True:
            self._step()
            self.diary.updated(self._examples)
            if not self.goes_on(self.learner.taken, lambda: self.flat.weights):
                return

    def _step(self) -> None:
        """Raises NoNumberError where the loss is no number."""
        processor = time.thread_time()
        inputs, targets = self._batch()
        losses: list[Tensor] = []
        self.flat.gradient.zero_()
        self._schedule.step(
            *([inputs] if self.team.rank == 0 else []), target=targets if self._last else None, losses=losses
        )
        loss = sum(float(one) for one in losses) / len(losses) if losses else 0.0
        self.learner.taken += 1
        computing = self.learner.slowed(time.thread_time() - processor)
        self.diary.bytes += self._sent
        if self.run.pace is not None:
            self.run.pace.wait(self._sent / self._parts, time.monotonic())
        step(self._optimizer, self.flat.weights, self.flat.gradient)
        self.diary.did_both(computing)
        self.diary.computed(computing, self.learner.finite(loss))

    def _batch(self) -> tuple[Tensor, Tensor]:
        """The examples of all workers in one step."""
        first = self.learner.taken * self.team.workers
        parts = [self.learner.batch(first + worker) for worker in range(self.team.workers)]
        return torch.cat([inputs for inputs, _ in parts]), torch.cat([targets for _, targets in parts])

    @torch.no_grad()
    def _between(self, stages: Sequence[Sequence[nn.Module]], part: Tensor) -> list[Tensor]:
        """A part of a batch before each stage, and after the last."""
        found = [part]
        for stage in stages:
            found.append(nn.Sequential(*stage)(found[-1]))
        return [found[0], *(one.detach().requires_grad_() for one in found[1:])]

    @property
    def keeps(self) -> bool:
        """All do: each has its layers."""
        return True

    def joined(self, parts: Sequence[Tensor]) -> Tensor:
        return torch.cat(list(parts))


def parts_of(examples: int, wanted: int) -> int:
    """The most equal parts, up to those wanted, into which so many examples can be divided."""
    return next(parts for parts in range(min(wanted, examples), 0, -1) if examples % parts == 0)


def divided(network: nn.Module, example: Tensor, count: int) -> list[list[nn.Module]]:
    """The layers of each stage, so that no stage has much more to compute than another.

    Raises InputError for a network whose layers do not simply follow one another, or that has fewer than there are stages.
    """
    layers = layers_of(network)
    work = _work(layers, example)
    weighty = sum(one > 0 for one in work)
    if weighty < count:
        raise input_error(
            "The pipeline has more stages than the network has layers", f"{count} stages, {weighty} layers with weights",
            where="pipeline", remedy="Name fewer with stages=.",
        )  # fmt: skip
    return [layers[begin:end] for begin, end in pairwise([0, *ends(work, count)])]


def layers_of(network: nn.Module) -> list[nn.Module]:
    """Layers of which each takes what the one before gives. Raises InputError where there are none such."""
    match network:
        case FeedForward():
            return [nn.Flatten(1), *network.layers]
        case PictureCnn():
            return [*network.stages, *network.pool, network.head]
        case _:
            what = f"the layers of {type(network).__name__} do not simply follow each other"
            raise input_error(
                "This network cannot be divided into stages", what, where="pipeline",
                remedy="A pipeline is made of an ffn, or of a cnn of pictures.",
            )  # fmt: skip


@torch.no_grad()
def _work(layers: Sequence[nn.Module], example: Tensor) -> list[float]:
    """Multiply-adds of each layer for one example, about: each weight is used at every place of what the layer gives."""
    found = []
    for layer in layers:
        example = layer(example)
        places = example[0, 0].numel() if example.dim() > 2 else 1
        found.append(float(sum(weights.numel() for weights in layer.parameters()) * places))
    return found
