"""The Python interface: a session with the advisor, as `advisor.Session`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from advisor.agent.agent import Revision
from advisor.agent.events import MeasuringEvent, MeasuringListener, ProbeFinished
from advisor.agent.trials.events import TrialListener
from advisor.children.stopping import Stop
from advisor.datasets.given import GivenSplit
from advisor.errors import did_you_mean, input_error
from advisor.inference.plan import Plan
from advisor.knowledge.model import School
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

_SCHOOLS = (School.TODAY, School.SURVEY)


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


class Session:
    """One project: its answers, its data and a machine, and everything found out about them.

        >>> session = Session({"task.kind": "classify", "data.modality": "image"}, machine="none")
        >>> session.plan().value("network.type")
        'cnn'

    Plans count what was measured on this machine and tried on these data before, and what `measure` and `try_on_data` find
    meanwhile; both are kept for later sessions, in the state folder that the command line uses.
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

    def report(self, format: Literal["text", "json", "markdown", "html"] = "text") -> str:
        """The plan as text, JSON, Markdown, or one HTML file with the evidence beside it.

        Raises:
            InputError: there is no such format.
        """
        plan = self.plan()
        return report_of(plan, self.inputs.knowledge, format, lambda: evidence_of(self.inputs, plan))


def _warn(title: str, what: str) -> None:
    warnings.warn(f"{title}: {what}", AdvisorWarning, stacklevel=3)
