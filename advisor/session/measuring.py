"""Measuring a machine for a plan: one choreography for `advisor probe`, the wizard and Python."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from advisor.agent.agent import Revision, settle
from advisor.agent.events import MeasuringEvent, MeasuringListener, ProbeFinished
from advisor.agent.remembered.journal import Journal
from advisor.agent.remembered.memory import LAST
from advisor.children.stopping import STOPPED, Stop
from advisor.children.temporary import remove_abandoned
from advisor.errors import Complain, InputError, input_error
from advisor.facts.fact_base import Source
from advisor.facts.values import parse_value
from advisor.facts.vocabulary import Fact, FactType
from advisor.machine.detection.detection import look_closer
from advisor.machine.doctor.architecture import gpu_usable_by_torch
from advisor.probes.ask_torch import ask_torch
from advisor.probes.outcome import Outcome
from advisor.session.inputs import Inputs
from advisor.session.models import code_of
from advisor.session.recalling import keep
from advisor.version import torch_version
from advisor.wording import shorten

SHORTEST, LONGEST = 1, 86400
"""Of a budget, in seconds."""


def seconds_of(budget: str | float) -> float:
    """Seconds from `60s`, `2 min`, or a bare number of seconds. Raises InputError."""
    text = str(budget)
    fact = Fact("--budget", "", FactType.NUMBER, unit="hours", minimum=SHORTEST / 3600, maximum=LONGEST / 3600)
    spelled = f"{text.strip()} s" if text.strip()[-1:].isdigit() else text
    try:
        hours = parse_value(fact, spelled, where="--budget")
    except InputError:
        hours = None
    if not isinstance(hours, float):
        remedy = f"Write for example 60s or 2 min; from {SHORTEST} to {LONGEST} seconds."
        raise input_error("This is no time to measure in", f"{shorten(text)!r}", where="--budget", remedy=remedy)
    return hours * 3600


TORCH_SECONDS = 20.0
"""For asking torch about the cards, out of the budget."""
NO_RESUMING = "If this run is stopped, it cannot go on from there"
"""The title of why there is no journal."""


class ResumableInterrupt(KeyboardInterrupt):
    """Ctrl-C, or whatever else raises KeyboardInterrupt: what was finished by then is kept, and the same call goes on."""


@dataclass(frozen=True)
class Measured:
    """A run of probes."""

    revision: Revision
    """The plan before and after, and every outcome."""
    inputs: Inputs
    """With the machine as it was looked at closely."""
    kept: tuple[Outcome, ...]
    """Of the outcomes of this run, those that later plans count."""
    resumable: bool = False
    """True if the journal has anything that the same call would not measure again."""


@contextmanager
def measuring(
    inputs: Inputs,
    seconds: float,
    *,
    complain: Complain,
    only: Sequence[str] | None = None,
    folder: str | None = None,
    save: str = LAST,
    fresh: bool = False,
    spent: float = 0.0,
    on_event: MeasuringListener | None = None,
    stop: Stop | None = None,
) -> Iterator[Measured]:
    """Measure this machine for the plan of these inputs, and advise again; each outcome is kept as soon as it is there.

    Within the block what was found is delivered. The journal goes only when that is done: until then the same call finds
    everything in it, whatever ends the program or fails.

    Args:
        inputs: of the machine on which this runs.
        seconds: for everything, with what an earlier run of the same question has spent before it was stopped.
        complain: is told what goes wrong and stops nothing: without a journal the run could not be resumed.
        only: names of probes; otherwise those that could change the plan.
        folder: on the disk that holds the data.
        save: the name under which the outcomes are kept.
        fresh: forget what a stopped run has finished.
        spent: seconds of the budget that are gone already.
        on_event: is told what happens, in this thread; what it raises ends the run.
        stop: another thread sets it; what is finished by then comes back.

    Raises InputError where nothing can be measured, or where it was stopped before it began; ResumableInterrupt.
    """
    begun = time.monotonic() - spent
    check_here(inputs, "Nothing can be measured")
    remove_abandoned()
    stop = stop or Stop()
    names = sorted(only) if only is not None else None
    closer = looked_at_closely(inputs, folder, stop)
    machine = closer.machine
    assert machine is not None  # noqa: S101 - it is here
    if stop.all:
        raise input_error("Nothing was measured", STOPPED)
    journal = open_journal(_question(inputs, names, seconds, folder), fresh, complain)
    kept: list[Outcome] = []

    def hear(event: MeasuringEvent) -> None:
        if isinstance(event, ProbeFinished) and event.outcome.measured and keep(machine, event.outcome, complain, save):
            kept.append(event.outcome)
        if on_event is not None:
            on_event(event)

    try:
        revision = settle(
            closer.knowledge, closer.facts, machine, seconds - (time.monotonic() - begun), school=closer.school,
            only=names, on_event=hear, folder=folder, journal=journal, trials=closer.trials, stop=stop, journal_stays=True,
            code=code_of(closer.facts, closer.network),
        )  # fmt: skip
        yield Measured(revision, closer, tuple(kept), journal is not None and bool(journal.outcomes))
        if journal is not None:
            journal.close(finished=not stop.all)
    except KeyboardInterrupt as error:
        if journal is not None and journal.outcomes:
            raise ResumableInterrupt from error
        raise
    finally:
        if journal is not None:
            journal.close(finished=False)


def check_here(inputs: Inputs, title: str) -> None:
    """Raises InputError where the plan is for another machine than this one."""
    if not inputs.here:
        what = "the plan is for another machine than this one"
        raise input_error(title, what, remedy="Leave out --machine, so that it is for this one.")


def looked_at_closely(inputs: Inputs, folder: str | None, stop: Stop | None = None) -> Inputs:
    """The machine with its caches, memory, clocks and disks; where it has a card, also whether torch can use it.

    Args:
        stop: whoever asks to stop does not wait for torch's answer.
    """
    assert inputs.machine is not None  # noqa: S101 - it is here
    machine = look_closer(inputs.machine, folders=(folder or str(Path.cwd()),))
    facts = inputs.facts.with_values(inputs.knowledge.vocabulary.declared(machine.facts()), Source.DETECTED)
    return with_cards(replace(inputs, machine=machine, facts=facts), stop)


def with_cards(inputs: Inputs, stop: Stop | None = None) -> Inputs:
    """With whether torch can use the cards, where there are any."""
    if inputs.machine is None or not inputs.machine.gpus:
        return inputs
    usable = gpu_usable_by_torch(inputs.machine, ask_torch(TORCH_SECONDS, stop=stop))
    if usable is None:
        return inputs
    found = inputs.knowledge.vocabulary.declared({"machine.gpu.usable_by_torch": usable})
    return replace(inputs, facts=inputs.facts.with_values(found, Source.DETECTED))


def open_journal(question: Mapping[str, Any], fresh: bool, complain: Complain) -> Journal | None:
    """The journal of this very question; without one measuring goes on and could not be resumed, which is a complaint."""
    try:
        journal = Journal.open(question)
    except InputError as error:
        complain(NO_RESUMING, str(error.problems[0]))
        return None
    if journal is None:
        complain("Another run measures the same", "Both will disturb each other; this one could not be resumed.")
    elif fresh:
        journal.forget()
    return journal


def _question(inputs: Inputs, names: Sequence[str] | None, seconds: float, folder: str | None) -> dict[str, Any]:
    """Everything that tells this run from others."""
    assert inputs.machine is not None  # noqa: S101 - it is here
    known = {
        name: entry.value for name in sorted(inputs.facts.names()) if (entry := inputs.facts.known(name)) is not None
    }
    return {
        "facts": {name: str(sorted(value) if isinstance(value, frozenset) else value) for name, value in known.items()},
        "only": list(names or ()),
        "seconds": seconds,
        "folder": folder,
        "school": inputs.school.value,
        "machine": inputs.machine.fingerprint,
        "torch": torch_version(),
        "rules": inputs.knowledge.digest,
    }
