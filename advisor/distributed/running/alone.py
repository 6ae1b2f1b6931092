"""One worker by itself, with the learning rate of its own batch: what several workers have to be better than."""

from __future__ import annotations

from advisor.distributed.running.learner import Flat, Learner, optimizer_of, start_chance
from advisor.distributed.running.part import Assignment, InStep
from advisor.distributed.updates import step


class Alone(InStep):
    """The first worker takes all batches in their order, and never a straggler's time; the others rest."""

    def __init__(self, run: Assignment) -> None:
        super().__init__(run)
        self.workers = self.team.group([0])
        network = run.lesson.fresh(run.seed).to(self.team.device)
        start_chance(run.seed, 0)
        stream = run.lesson.stream(run.job.task.batch, run.seed)
        self.learner = Learner(run.lesson, network, stream, (0, 1), run.diary)
        self.flat = Flat(network)
        self._optimizer = optimizer_of(run.job.task, self.flat.weights, 1)

    def work(self) -> None:
        self.diary.look(0, lambda: self.flat.weights)
        while True:
            self.flat.gradient.zero_()
            self.learner.gradient()
            step(self._optimizer, self.flat.weights, self.flat.gradient)
            self.diary.updated(self.run.examples)
            if not self.goes_on(self.learner.taken, lambda: self.flat.weights):
                return
