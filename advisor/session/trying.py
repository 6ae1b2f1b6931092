"""Trying the plan on data: one choreography for `advisor try`, the wizard and Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from advisor.agent.remembered.trial_journal import TrialJournal
from advisor.agent.trials.events import Forewarned, TrialListener
from advisor.agent.trials.trying import Trying
from advisor.children.stopping import Stop
from advisor.children.temporary import remove_abandoned
from advisor.datasets.given import AS_THE_DATA_ARE, GivenSplit
from advisor.errors import Complain, InputError, input_error
from advisor.plain import encode
from advisor.probes.outcome import Outcome
from advisor.session.inputs import Inputs
from advisor.session.measuring import NO_RESUMING, check_here
from advisor.session.recalling import keep_trials
from advisor.session.trial_request import prepared
from advisor.training.child.request import Request
from advisor.training.ladder.outcome import TrialResults
from advisor.version import torch_version


@dataclass(frozen=True)
class Tried:
    """A run of trials."""

    outcome: TrialResults
    found: tuple[Outcome, ...]
    """Its judgements of the plan, as later plans count them."""
    request: Request
    """The question that the trials answer."""


@contextmanager
def trying(
    inputs: Inputs,
    seconds: float,
    *,
    complain: Complain,
    seed: int = 0,
    metric: str | None = None,
    given: GivenSplit = AS_THE_DATA_ARE,
    horizon: int | None = None,
    fresh: bool = False,
    spent: float = 0.0,
    on_event: TrialListener | None = None,
    stop: Stop | None = None,
) -> Iterator[Tried]:
    """Try the plan of these inputs on their data, the simplest models first; what is judged is kept.

    Within the block what was found is delivered. The journal goes only when that is done: until then the same call finds
    everything in it, whatever ends the program or fails.

    Args:
        inputs: of the machine on which this runs, with data that were inspected.
        seconds: for everything, with what an earlier run of the same question has spent before it was stopped.
        complain: is told what goes wrong and stops nothing: without a journal the run could not be resumed.
        seed: another number holds other examples out.
        metric: by which models are compared, one of ours or of scikit-learn's; None for the task's.
        given: the split into training and test, where somebody asks for one.
        horizon: steps that a forecast predicts at once; None for one.
        fresh: forget what a stopped run has finished.
        spent: seconds of the budget that are gone already.
        on_event: is told what happens, in this thread; what it raises ends the run.
        stop: another thread sets it; what is finished by then comes back.

    Raises InputError where nothing can be learned from the data, NothingTriedError where there was no time for anything, and
    KeyboardInterrupt where it comes before the data were in memory; later it ends the run as `stop` does.
    """
    if inputs.inspection is None:
        raise input_error("There are no data", "none were named", remedy="Point at your data first.")
    check_here(inputs, "Nothing can be tried")
    remove_abandoned()
    found = prepared(inputs, seconds, seed, spent, stop, given, horizon)
    found = replace(found, request=replace(found.request, metric=metric))
    if found.warned and on_event is not None:
        on_event(Forewarned(found.warned))
    journal = _open_journal(found.inputs, found.request, seconds, fresh, complain)
    try:
        run = Trying(found.request, journal=journal, listener=on_event, stop=stop)
        try:
            outcome = run.run()
        except KeyboardInterrupt:
            if run.known.ready is None:
                raise
            outcome = run.outcome(interrupted=True)
        outcome = replace(outcome, notes=(*found.warned, *outcome.notes), seconds=outcome.seconds + found.seconds)
        yield Tried(outcome, keep_trials(inputs.machine, outcome, complain), found.request)
        if journal is not None:
            journal.close(finished=not outcome.interrupted)
    finally:
        if journal is not None:
            journal.close(finished=False)


def _open_journal(
    inputs: Inputs, request: Request, seconds: float, fresh: bool, complain: Complain
) -> TrialJournal | None:
    """The journal of this very question; without one the trials go on and could not be resumed, which is a complaint."""
    assert inputs.machine is not None  # noqa: S101 - it is here
    question: dict[str, Any] = {
        "path": request.path,
        "target": request.target,
        "task": request.task,
        "data": request.fingerprint,
        "planned": encode(request.planned),
        "seconds": seconds,
        "seed": request.seed,
        "metric": request.metric,
        "horizon": request.horizon,
        "given": encode(request.given),
        "most_examples": request.most_examples,
        "machine": inputs.machine.fingerprint,
        "torch": torch_version(),
    }
    try:
        journal = TrialJournal.open(question, fresh=fresh)
    except InputError as error:
        complain(NO_RESUMING, str(error.problems[0]))
        return None
    if journal is None:
        complain("Another run tries the same", "Both will disturb each other; this one could not be resumed.")
    return journal
