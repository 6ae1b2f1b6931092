"""Strategies that were made up: workers and a simulation that tell what real ones tell, at once, and wait where a test wants to
look."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from advisor.agent.simulating import race, raced
from advisor.agent.strategies import reference_of
from advisor.agent.sweeps import sweep, swept
from advisor.children.stopping import STOPPED, Stop
from advisor.distributed.comparing import compared
from advisor.distributed.job import (
    Began,
    Calibrated,
    Job,
    Measured,
    Point,
    Progress,
    Ready,
    Run,
    Segment,
    Staleness,
    Timed,
    Undone,
)
from advisor.distributed.launching.launch import Results
from advisor.distributed.strategies import ALONE, strategy
from advisor.errors import input_error
from advisor.inference.plan import Plan
from advisor.session.desk import Desk
from advisor.session.inputs import Inputs
from advisor.session.simulating import Asked as Simulating
from advisor.session.simulating import Simulation
from advisor.session.simulating_plans import PlanSimulation
from advisor.session.syncing import Asked as Training
from advisor.session.syncing import Trained
from advisor.simulation.result import Doing, Result, Span
from advisor.simulation.result import Staleness as Late
from advisor.simulation.scenario import Scenario
from advisor.tui.screens.running.run_screen import Phase
from advisor.tui.screens.strategies.strategies import StrategiesScreen
from tests.tui.measurements_made import DIGITS, MACHINE, rules
from tests.tui.pilots import Running, settled
from tests.tui.stand_in import StandIn
from tests.tui.waiting import until

SPEED = {"synchronous": 1.0, "local_sgd": 1.5, "asynchronous": 1.3, "delay_compensated": 1.25}
"""How many times as fast as the plan's own; others are as fast."""
SECONDS = 8.0
LOOKS = 12
NOTES = ("Examples are made up: name yours with --data.", "The link is only acted: [/red] is no markup.")


def loss_at(name: str, seed: int, seconds: float) -> float:
    return 0.2 + 2.1 * math.exp(-0.5 * SPEED.get(name, 1.0) * (1 + 0.02 * seed) * seconds)


def run_of(name: str, seed: int, workers: int = 2) -> Run:
    """A training of 8 s."""
    places = [SECONDS * number / LOOKS for number in range(LOOKS + 1)]
    late = strategy(name).declared.kind.value == "server"
    ranks = range(workers + late)
    pieces = [(rank, 0.1 * n, doing) for rank in ranks for n, doing in enumerate(_pieces(rank, workers))]
    return Run(
        strategy=name, seed=seed, seconds=SECONDS, examples=41_000, updates=320, dropped=0,
        examples_per_s=5_125.0 * SPEED.get(name, 1.0),
        curve=tuple(Point(at, round(5_000 * at), loss_at(name, seed, at)) for at in places),
        metric="accuracy", held_out=Measured(0.931 + seed / 1000, 0.92, 0.94),
        staleness=Staleness((10, 20, 2), 1.0, 2.0) if late else Staleness((32,), 0.0, 0.0),
        bytes=64_000_000, waiting=(0.31, *(0.04,) * (workers - 1)), steps=((0.01, 0.011),) * workers,
        timeline=tuple(Segment(rank, begin, begin + 0.1, doing) for rank, begin, doing in pieces),
    )  # fmt: skip


def _pieces(rank: int, workers: int) -> Sequence[str]:
    if rank >= workers:
        return ["waiting", "applying"] * 5
    return ["computing", "waiting", "exchanging"] * 3 if rank == 0 else ["computing", "computing", "exchanging"] * 3


@dataclass
class MadeStrategies:
    """Takes the place of `Desk.train_strategies`. With `waits` it waits in the last training of the first seed, until it is let
    go or stopped; strategies that are named in `undone` give no numbers."""

    waits: bool = False
    undone: tuple[str, ...] = ()
    asked: list[tuple[Training, float]] = field(default_factory=list)
    let_go: threading.Event = field(default_factory=threading.Event)

    def __call__(self, job: Job, asked: Training, seconds: float, listener: Any, stop: Stop) -> Trained:
        self.asked.append((asked, seconds))
        listener(Ready("2.13.0", 55_050, "Examples are made up: 20,000 of 10 classes.", 62))
        line = Timed((1_000, 1_000_000), (0.001, 0.002), 0.0009, 1e-9)
        listener(Calibrated(((0.01, 0.011), (0.012, 0.01)), ((0.009,), (0.009,)), line, line, 0.001))
        runs, undone, failed = [], [], ""
        for number, (one, seed) in enumerate(job.runs, start=1):
            name = str(one)
            if stop.all:
                failed = STOPPED
                break
            listener(Began(name, seed, number, len(job.runs)))
            if one.name in self.undone:
                undone.append(Undone(name, seed, "The loss is no number any more."))
                listener(undone[-1])
                continue
            for look in range(1, 30):
                at = SECONDS * look / 30
                listener(Progress(name, seed, at, round(5_000 * at), 10 * look, loss_at(name, seed, at) * 1.05))
            if self.waits and number == len(job.strategies):
                while not (self.let_go.wait(0.02) or stop.all):
                    pass
                if stop.all:
                    continue
            runs.append(run_of(name, seed, 1 if name == ALONE else job.workers))
            listener(runs[-1])
        if not runs:
            raise input_error("Nothing was trained", failed or "no strategy gave numbers")
        return trained(job, runs, undone, failed)


def trained(job: Job, runs: Sequence[Run], undone: Sequence[Undone] = (), failed: str = "") -> Trained:
    whole = {
        name: [[(point.seconds, point.loss) for point in run.curve] for run in runs if run.strategy == name]
        for name in dict.fromkeys(str(one) for one, _ in job.runs)
        if sum(run.strategy == name for run in runs) == len(job.seeds)
    }
    alone = whole.pop(ALONE, None)
    found = compared(whole, job.strategies[0], alone) if len(whole) > 1 and job.strategies[0] in whole else None
    return Trained(job, Results(runs=tuple(runs), undone=tuple(undone), failed=failed), found, NOTES)


def simulated(scenario: Scenario, notes: Sequence[str]) -> Simulation:
    """A simulation of 20 virtual seconds."""
    return Simulation(scenario, result_of(scenario), None, (*notes, "Not [b]known[/b]: write it with --link."))


def compared_for_plan(scenario: Scenario, names: Sequence[str], notes: Sequence[str], plan: Plan) -> PlanSimulation:
    """Strategies that come to the loss by their SPEED, and numbers of workers; nothing of it counts."""
    results = [result_of(one) for one in race(scenario, names)]
    return PlanSimulation(
        scenario=scenario, names=tuple(names), results=tuple(results), comparison=raced(names, results) if names else None,
        sweep=swept([result_of(one) for one in sweep(scenario)]), notes=(*notes, "Not [b]known[/b]: write it with --link."),
        outcomes=(), before=plan, after=plan,
    )  # fmt: skip


def result_of(scenario: Scenario) -> Result:
    """One simulation of 20 virtual seconds."""
    turns = [(0.0, 0.8, Doing.COMPUTING), (0.8, 1.0, Doing.WAITING), (1.0, 1.2, Doing.EXCHANGING)]
    spans = tuple(
        Span(worker, begin + 1.2 * turn, end + 1.2 * turn, doing)
        for worker in range(min(scenario.workers, 4))
        for turn in range(6)
        for begin, end, doing in turns
    )
    speed = SPEED.get(scenario.strategy.name, 1.0) * (1 + 0.02 * scenario.seed)
    return Result(
        strategy=str(scenario.strategy), workers=scenario.workers, seconds=20.0, steps=scenario.workers * scenario.steps,
        updates=scenario.steps, examples=scenario.batch * scenario.workers * scenario.steps, examples_per_s=1234.5,
        staleness=Late(), waiting_share=0.123, bytes=7_000_000, worker_examples=(100,) * scenario.workers, timeline=spans,
        loss=tuple((float(at), 0.2 + 2 * math.exp(-0.3 * speed * at)) for at in range(21)),
        metric=((0.0, 0.1), (20.0, 0.93)), metric_name="accuracy",
    )  # fmt: skip


@dataclass
class StrategiesDesk(StandIn):
    """A desk with strategies: what would be done is asked of the real one, what takes minutes is made up."""

    made: MadeStrategies = field(default_factory=MadeStrategies)
    simulates: threading.Event | None = None
    """A simulation waits until this is set, or it is stopped."""
    simulations: list[Simulating] = field(default_factory=list)
    last_trained: Trained | None = None
    last_simulated: Simulation | None = None
    last_compared: PlanSimulation | None = None
    here: bool = True
    """The plan is for the machine on which this runs."""

    trainings = Desk.trainings
    cluster = Desk.cluster
    contest = Desk.contest

    @property
    def inputs(self) -> Inputs:
        return replace(self.inputs_now(), here=self.here, inspection=self.inspection)

    def train_strategies(self, asked: Training, seconds: float, listener: Any, stop: Stop) -> Trained:
        job, _ = self.trainings(asked, seconds)  # type: ignore[misc]
        self.last_trained = self.made(job, asked, seconds, listener, stop)
        return self.last_trained

    def simulate_strategy(self, asked: Simulating, seconds: float, tell: Any, stop: Stop) -> Simulation:
        self._simulate(asked, tell, stop)
        self.last_simulated = simulated(*self.cluster(asked))  # type: ignore[misc]
        return self.last_simulated

    def compare_for_plan(self, asked: Simulating, seconds: float, tell: Any, stop: Stop) -> PlanSimulation:
        self._simulate(asked, tell, stop)
        found = self.contest(asked)  # type: ignore[misc]
        self.last_compared = compared_for_plan(*found, self.interview.plan())
        return self.last_compared

    def _simulate(self, asked: Simulating, tell: Any, stop: Stop) -> None:
        self.simulations.append(asked)
        tell(0.25)
        while self.simulates is not None and not (self.simulates.wait(0.02) or stop.all):
            pass
        if stop.all:
            raise input_error("Nothing was simulated", STOPPED)


def strategies_desk(
    *, waits: bool = False, undone: tuple[str, ...] = (), simulation_waits: bool = False, **answers: str
) -> StrategiesDesk:
    """A desk whose plan is a network for pictures of digits."""
    desk = StrategiesDesk(rules(), machine=MACHINE)
    desk.made = MadeStrategies(waits, undone)
    desk.simulates = threading.Event() if simulation_waits else None
    for name, text in {**DIGITS, **answers}.items():
        desk.interview.answer(name, text)
    assert reference_of(desk.interview.plan()) == "synchronous"
    return desk


async def done(run: Running) -> StrategiesScreen:
    """Begins, and waits for the end."""
    screen: StrategiesScreen = run.screen
    await run.press("ctrl+s")
    await until(run, lambda: screen.phase is Phase.DONE)
    await settled(run.pilot)
    return screen
