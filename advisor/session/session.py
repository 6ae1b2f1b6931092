"""The Python interface: a session with the advisor, as `advisor.Session`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

from advisor.agent.agent import Revision
from advisor.agent.events import MeasuringEvent, MeasuringListener, ProbeFinished
from advisor.agent.trials.events import TrialListener
from advisor.children.errors import CannotRunError
from advisor.children.stopping import STOPPED, Stop
from advisor.datasets.given import GivenSplit
from advisor.errors import InputError, Problem, did_you_mean, input_error
from advisor.inference.plan import Plan
from advisor.knowledge.model import School
from advisor.probes.outcome import Outcome
from advisor.report.page import Look
from advisor.report.plan.explanation import Explanation, explain, find_topic
from advisor.report.plan.explanation_text import explanation_page
from advisor.session.data import folder_of
from advisor.session.evidence import evidence_of
from advisor.session.inputs import gather, plan_of
from advisor.session.keeping import tried_and_kept
from advisor.session.measuring import measuring, seconds_of
from advisor.session.models import shape_text
from advisor.session.reporting import report_of
from advisor.training.ladder.outcome import TrialResults
from advisor.wording import shorten

if TYPE_CHECKING:
    from advisor.distributed.job import Message
    from advisor.session.simulating import Simulation
    from advisor.session.simulating_plans import PlanSimulation
    from advisor.session.syncing import Trained
    from advisor.simulation.request import Progress

_SCHOOLS = (School.TODAY, School.SURVEY)
_MOST_SEEDS, _MOST_SEED = 20, 1_000_000


class AdvisorWarning(UserWarning):
    """A problem that stops nothing, such as measurements of earlier runs that cannot be read."""


@dataclass(frozen=True)
class Explained:
    """The explanation of one recommendation; as text, the page that `advisor explain` prints."""

    explanation: Explanation
    plan: Plan

    def __str__(self) -> str:
        assert self.plan.knowledge is not None  # noqa: S101 - `advise` gives it
        return explanation_page(self.explanation, self.plan, self.plan.knowledge, Look())

    def to_json(self) -> dict[str, Any]:
        """The document that `advisor explain --format json` prints."""
        return self.explanation.to_json()


class Wishes(TypedDict, total=False):
    """Settings of a simulation; see `Session.simulate`."""

    workers: int | None
    steps: int | None
    batch: int | None
    step_time: str | None
    link: str | float | None
    latency: str | float
    cluster: str | Path | None
    straggler: float
    overlap: float | None
    inner_link: str | float | None
    servers: int
    precision: str | None
    activations: str | float | None
    failures: str | float | None
    restart: str | float
    checkpoint: str | float | None
    checkpoint_cost: str | float
    loss: bool | None
    seed: int
    stop: Stop | None


class Session:
    """One project: its answers, its data and a machine, and everything found out about them.

        >>> session = Session({"task.kind": "classify", "data.modality": "image"}, machine="none")
        >>> session.plan().value("network.type")
        'cnn'

    Plans count what was measured on this machine and tried on these data before, and what `measure`, `try_on_data`, `sync` and
    `simulate` find meanwhile; all is kept for later sessions, in the state folder that the command line uses.
    """

    def __init__(
        self,
        answers: Mapping[str, object] | str | Path | None = None,
        *,
        data: str | Path | None = None,
        target: str | None = None,
        model: str | None = None,
        input: str | int | Sequence[int] | Sequence[Sequence[int]] | None = None,
        python: str | Path | None = None,
        machine: str | Path = "auto",
        school: Literal["today", "survey"] = "today",
        rules: str | Path | Sequence[str | Path] = (),
    ) -> None:
        """
        Args:
            answers: facts by name, `{"task.kind": "classify"}` or nested by group, their values as in a file of answers
                (`"16 GiB"`, `"50k"`, True; None for unknown); or such a file.
            data: a file or folder of data, which is inspected.
            target: the column (or array) to predict.
            model: the network to train: a name of `advisor models list`, `timm:NAME`, a config.json, a file of weights, or
                `FILE.py:FUNCTION`, which is run in a process of its own.
            input: the shape of one example, (3, 224, 224) or `3x224x224`; a sequence of them for several inputs, or commas
                between them.
            python: the interpreter in which that function works.
            machine: `auto` for this one; `none`; a device; a measured machine; a file of facts or of a profile.
            school: today's practice, or the survey of 2018 as written.
            rules: folders of rules put on top.

        Raises:
            InputError: every problem of the answers together; data that cannot be read; no such model, machine or school.
        """
        if school not in _SCHOOLS:
            raise input_error(
                "There is no such school", shorten(school), where="school", remedy=did_you_mean(str(school), _SCHOOLS)
            )
        packs = [rules] if isinstance(rules, str | Path) else rules
        self.inputs = gather(
            Path(answers) if isinstance(answers, str) else answers,
            machine=str(machine),
            school=School(school),
            packs=[Path(pack) for pack in packs],
            data=None if data is None else Path(data),
            target=target,
            model=model,
            input=shape_text(input),
            python=None if python is None else Path(python),
            complain=_warn,
        )
        """Everything that plans of this session are made from."""

    def plan(self) -> Plan:
        """Advise: a recommendation for every topic, with its status, its reasons and what would flip it.

        `plan.to_json()` is the document of `advisor recommend --format json`; a notebook shows a plan as a table.

        Raises:
            InputError: two answers exclude each other.
        """
        return plan_of(self.inputs)

    def explain(self, topic: str, why_not: str | None = None) -> Explained:
        """Explain one recommendation: why, why not another value, and what would flip it.

        Args:
            topic: its name or title, such as `network.type`.
            why_not: a value that is not recommended.

        Raises:
            InputError: there is no such topic, or no such value of it.
        """
        name = find_topic(self.inputs.knowledge, topic)
        plan = self.plan()
        return Explained(explain(plan, self.inputs.knowledge, name, why_not), plan)

    def measure(
        self,
        budget: str | float = "60s",
        on_event: MeasuringListener | None = None,
        *,
        only: Sequence[str] | None = None,
        stop: Stop | None = None,
        fresh: bool = False,
    ) -> Revision:
        """Measure this machine for the plan with short experiments in child processes, as `advisor probe` does.

        A run that was ended early goes on where it stopped when it is called with the same arguments.

        Args:
            budget: seconds, or a text such as `60s` or `2 min`; with what a stopped run has spent.
            on_event: is told what happens, in this thread. What it raises ends the run, and its children.
            only: names of probes; otherwise those that could change the plan.
            stop: another thread sets it to end the probe under way, or the run; what is finished comes back.
            fresh: forget what a stopped run has finished.

        Returns:
            The plan before and after, every outcome, and the probes that were not run, with the reason.

        Raises:
            InputError: the plan is for another machine, or the budget is no time from 1 to 86,400 seconds.
            KeyboardInterrupt: the children are gone by then, and finished outcomes are kept.
        """
        seconds = seconds_of(budget)
        found = self.inputs.inspection
        folder = None if found is None else folder_of(Path(found.path))

        def hear(event: MeasuringEvent) -> None:
            if isinstance(event, ProbeFinished) and event.outcome.measured:
                self.inputs = replace(self.inputs, outcomes=(*self.inputs.outcomes, event.outcome))
            if on_event is not None:
                on_event(event)

        with measuring(
            self.inputs, seconds, complain=_warn, only=only, folder=folder, fresh=fresh, on_event=hear, stop=stop
        ) as done:
            return done.revision

    def try_on_data(
        self,
        budget: str | float = "120s",
        on_event: TrialListener | None = None,
        *,
        seed: int = 0,
        metric: str | None = None,
        save: str | Path | None = None,
        test: str | Path | None = None,
        time_column: str | None = None,
        group: str | None = None,
        stop: Stop | None = None,
        fresh: bool = False,
    ) -> TrialResults:
        """Try the plan on the data in a child process, the simplest models first, as `advisor try` does.

        A run that was ended early goes on where it stopped when it is called with the same arguments.

        Args:
            budget: seconds, or a text such as `60s` or `2 min`; with what a stopped run has spent.
            on_event: is told what happens, in this thread. What it raises ends the run, and its child.
            seed: another number holds other examples out.
            metric: by which models are compared: `accuracy`, `roc_auc`, or another name of ours or of scikit-learn's.
            save: a new folder, into which the winner is saved for `advisor apply`; a part of the budget is kept for that. Where
                there is no winner, or it cannot be saved, a warning says so.
            test: a file or folder like the data, whose examples are held out; all of the data are then learned from.
            time_column: the latest examples by this column are held out.
            group: examples with one value of this column are never on both sides; it is no input.
            stop: another thread sets it to end the run; what is finished comes back.
            fresh: forget what a stopped run has finished.

        Returns:
            Every trial with its scores, the best model, and the verdict on each bet of the plan. After Ctrl-C with
            `interrupted` set, if the data were in memory by then.

        Raises:
            InputError: there are no data, nothing can be learned from them, they cannot be divided so, the winner could not
                be saved there, or there was no time for anything.
            KeyboardInterrupt: before the data were in memory.
        """
        done, _ = tried_and_kept(
            self.inputs,
            seconds_of(budget),
            None if save is None else Path(save),
            complain=_warn,
            seed=seed,
            metric=metric,
            given=GivenSplit(None if test is None else str(test), time_column, group),
            fresh=fresh,
            on_event=on_event,
            stop=stop,
        )
        self.inputs = replace(self.inputs, trials=(*self.inputs.trials, *done.found))
        return done.outcome

    def sync(
        self,
        budget: str | float = "3min",
        on_event: Callable[[Message], None] | None = None,
        *,
        strategies: str | Sequence[str] | None = None,
        workers: int = 2,
        link: str | float | None = None,
        latency: str | float = "0s",
        straggler: float = 1.0,
        batch: int | None = None,
        rate: float | None = None,
        seeds: int = 3,
        seed: int = 0,
        stop: Stop | None = None,
    ) -> Trained:
        """Train the plan's network under several strategies with workers of this machine, as `advisor sync` does.

        Plans of such workers count it from then on, where the notes of the result say nothing else.

        Args:
            budget: seconds, or a text such as `60s` or `2 min`.
            on_event: is told what the workers say, in this thread. What it raises ends the run, and all workers.
            strategies: names with their settings, `"synchronous,local_sgd:every=16"`, or a sequence of them; otherwise the
                plan's own and its usual rivals.
            workers: processes that learn together.
            link: the rate of each worker's link, such as `100Mbit/s`, or bytes a second; `inf` for no limit; otherwise that
                between the plan's nodes, if there are several.
            latency: of a message from one worker to another, seconds or a text such as `2ms`.
            straggler: the last worker takes so many times as long.
            batch: examples of one worker's step; otherwise the plan's.
            rate: the learning rate of one worker's batch.
            seeds: trainings with each strategy, from 1 to 20.
            seed: of the division of the examples.
            stop: another thread sets it to end the run; what is finished comes back.

        Returns:
            Every training, their comparison by the time to a loss (None where too few were finished), what that rests on, and
            the plan before and after. Where it ended early, `results.failed` says why, and so does a warning.

        Raises:
            InputError: the plan is for another machine, an argument is wrong, or no training was finished.
            KeyboardInterrupt: the workers are gone by then, and nothing is kept.
        """
        from advisor.session.syncing import Asked, trained  # 40 ms, as in `simulate`: few sessions come to it

        _check_whole("The strategies cannot be compared so", ("workers", workers, 1, None), ("batch", batch, 1, None),
                     ("seeds", seeds, 1, _MOST_SEEDS), ("seed", seed, 0, _MOST_SEED))  # fmt: skip
        names = strategies if isinstance(strategies, str | None) else ",".join(strategies)
        joined = None if link is None else str(link)
        asked = Asked(names, workers, joined, _time(latency), straggler, batch, rate, seeds, seed)
        stop = stop or Stop()
        try:
            done = trained(
                self.inputs, asked, seconds_of(budget), complain=_warn, hear=on_event or (lambda _: None), stop=stop
            )
        except CannotRunError as error:
            raise input_error("Nothing was trained", str(error)) from error
        failed = done.results.failed
        if not done.results.runs:
            late = "The time was over before any training was finished. Give more with budget."
            raise input_error("Nothing was trained", failed or (STOPPED if stop.all else late))
        if failed and not stop.all:
            _warn("A training ended early", failed)
        self._count(done.outcomes)
        return done

    @overload
    def simulate(
        self,
        strategy: str,
        budget: str | float = ...,
        on_event: Callable[[Progress], None] | None = ...,
        **wishes: Unpack[Wishes],
    ) -> Simulation: ...

    @overload
    def simulate(
        self,
        strategy: None = ...,
        budget: str | float = ...,
        on_event: Callable[[Progress], None] | None = ...,
        **wishes: Unpack[Wishes],
    ) -> PlanSimulation: ...

    def simulate(
        self,
        strategy: str | None = None,
        budget: str | float = "2 min",
        on_event: Callable[[Progress], None] | None = None,
        *,
        workers: int | None = None,
        steps: int | None = None,
        batch: int | None = None,
        step_time: str | None = None,
        link: str | float | None = None,
        latency: str | float = "0s",
        cluster: str | Path | None = None,
        straggler: float = 1.0,
        overlap: float | None = None,
        inner_link: str | float | None = None,
        servers: int = 1,
        precision: str | None = None,
        activations: str | float | None = None,
        failures: str | float | None = None,
        restart: str | float = "5min",
        checkpoint: str | float | None = None,
        checkpoint_cost: str | float = "0s",
        loss: bool | None = None,
        seed: int = 0,
        stop: Stop | None = None,
    ) -> Simulation | PlanSimulation:
        """Simulate workers that nobody has at hand, in virtual time, as `advisor simulate` does.

        Args:
            strategy: one alone, with its settings, such as `local_sgd:every=16`; without it, strategies and numbers of workers
                are compared for the plan.
            budget: seconds, or a text such as `60s` or `2 min`.
            on_event: is told the share that is done, in this thread. What it raises ends the simulation.
            workers: how many learn together; otherwise the plan's, or 8.
            steps: gradients of each worker; otherwise 200.
            batch: examples of one worker's step; otherwise the plan's.
            step_time: of one worker: `measured` (on this machine), `constant:1s`, `exponential:1s`, `lognormal:1s:0.3` or
                `gamma:1s:0.2`; otherwise the plan's.
            link: the rate of each worker's link, such as `10Gbit/s`, or bytes a second; `inf` for no limit; otherwise
                the plan's.
            latency: of a message from one worker to another; as all times below, seconds or a text such as `2ms`.
            cluster: a file that `python -m advisor.cluster` has written: its ranks are the workers.
            straggler: the last worker takes so many times as long.
            overlap: the share of a step during which gradients can be exchanged already; otherwise they are exchanged in
                buckets during the backward pass, as PyTorch does it.
            inner_link: network speed inside a group under a mixed strategy, `link` by default.
            servers: number of parameter servers that share the weights.
            precision: the number format of what workers exchange: `fp32`, `bf16` or `fp16`; otherwise as the plan computes,
                with gradients in 32 bits, as mixed precision keeps them.
            activations: of a pipeline, bytes that a stage passes on for one example, or a text such as `800kB`; otherwise
                counted of the network.
            failures: the mean time between failures of one worker, such as `300h`.
            restart: from a failure until the work goes on.
            checkpoint: between two checkpoints, such as `20min`.
            checkpoint_cost: all wait so long for a checkpoint.
            loss: True with real gradients of a small network, False for times alone; None for them where that takes seconds.
            seed: the same number gives the same result.
            stop: another thread sets it to end the simulation.

        Returns:
            With a strategy, its result. Without, the comparison of strategies, the numbers of workers, and the plan before and
            after; this session's plans count it from then on.

        Raises:
            InputError: this cannot be simulated, takes longer than the budget, or was stopped.
            KeyboardInterrupt: the process that simulates is gone by then.
        """
        from advisor.session.simulating import Asked, simulated
        from advisor.session.simulating_plans import simulated_for_plan
        from advisor.simulation.request import Progress

        asked = Asked(
            "synchronous" if strategy is None else strategy, workers, steps, batch, step_time,
            None if link is None else str(link), _time(latency), straggler, overlap,
            None if failures is None else _time(failures), _time(restart),
            None if checkpoint is None else _time(checkpoint), _time(checkpoint_cost), loss, seed,
            precision, None if inner_link is None else str(inner_link), servers,
            None if activations is None else str(activations), None if cluster is None else Path(cluster),
        )  # fmt: skip
        seconds = seconds_of(budget)

        def tell(share: float) -> None:
            if on_event is not None:
                on_event(Progress(share))

        try:
            if strategy is not None:
                return simulated(self.inputs, asked, seconds, stop, tell)
            found = simulated_for_plan(self.inputs, asked, seconds, complain=_warn, stop=stop, tell=tell)
        except CannotRunError as error:
            raise input_error("Nothing was simulated", str(error)) from error
        self._count(found.outcomes)
        return found

    def report(self, format: Literal["text", "json", "markdown", "html"] = "text") -> str:
        """The plan as text, JSON, Markdown, or one HTML file with the evidence beside it.

        Raises:
            InputError: there is no such format.
        """
        plan = self.plan()
        return report_of(plan, self.inputs.knowledge, format, lambda: evidence_of(self.inputs, plan))

    def _count(self, outcomes: Sequence[Outcome]) -> None:
        """Let plans of this session count them from now on."""
        self.inputs = replace(self.inputs, outcomes=(*self.inputs.outcomes, *outcomes))


def _time(asked: str | float) -> str:
    return asked if isinstance(asked, str) else f"{asked:.9g}s"


def _check_whole(title: str, *asked: tuple[str, int | None, int, int | None]) -> None:
    """Raises InputError for all numbers that are out of their bounds.

    Args:
        asked: a name, the number or None, the least and the most.
    """
    problems = [
        Problem(name, f"{value!r} is no whole number from {least}{'' if most is None else f' to {most:,}'}")
        for name, value, least, most in asked
        if value is not None and not (isinstance(value, Integral) and least <= value <= (most or value))
    ]
    if problems:
        raise InputError(title, problems)


def _warn(title: str, what: str) -> None:
    warnings.warn(f"{title}: {what}", AdvisorWarning, stacklevel=3)
