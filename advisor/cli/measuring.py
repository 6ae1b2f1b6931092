"""What `advisor probe`, `try`, `bench` and the wizard share of measuring: the time, the machine seen closely, the journal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.console import warn
from advisor.cli.inputs import Inputs

if TYPE_CHECKING:
    from advisor.agent.remembered.journal import Journal
    from advisor.children.stopping import Stop
    from advisor.machine.detection.detection import Machine
    from advisor.probes.outcome import Outcome

TORCH_SECONDS = 20.0
"""For asking torch about the cards, out of the budget."""
NO_RESUMING = "If this run is stopped, it cannot go on from there"
"""The title of why there is no journal."""
SHORTEST, LONGEST = 1, 86400
"""What `--budget` may be, in seconds."""


def looked_at_closely(inputs: Inputs, folder: str | None, stop: Stop | None = None) -> Inputs:
    """The machine with its caches, memory, clocks and disks; where it has a card, also whether torch can use it.

    Args:
        stop: whoever asks to stop does not wait for torch's answer.
    """
    from advisor.facts.fact_base import Source
    from advisor.machine.detection.detection import look_closer
    from advisor.machine.doctor.architecture import gpu_usable_by_torch
    from advisor.probes.ask_torch import ask_torch

    assert inputs.machine is not None  # noqa: S101 - gathered with machine auto
    machine = look_closer(inputs.machine, folders=(folder or str(Path.cwd()),))
    found = {name: value for name, value in machine.facts().items() if name in inputs.knowledge.vocabulary.facts}
    facts = inputs.facts.with_values(found, Source.DETECTED)
    if machine.gpus and "machine.gpu.usable_by_torch" in inputs.knowledge.vocabulary.facts:
        usable = gpu_usable_by_torch(machine, ask_torch(TORCH_SECONDS, stop=stop))
        if usable is not None:
            facts = facts.with_values({"machine.gpu.usable_by_torch": usable}, Source.DETECTED)
    return replace(inputs, machine=machine, facts=facts)


def with_data(inputs: Inputs, data: Path | None, target: str | None) -> Inputs:
    """With what is found in the data. They may also be of a kind that cannot be inspected: their disk is measured then."""
    from advisor.cli.inputs import inspection_of, with_inspection
    from advisor.errors import InputError

    folder_of(data)  # says where there is no such path
    try:
        inspection = inspection_of(data, target)
    except InputError as error:
        if target is not None:
            raise
        warn("No facts were found in these data", f"{error.title}: {error.problems[0].what}.")
        return inputs
    if inspection is None:
        return inputs
    facts = with_inspection(inputs.knowledge, inputs.facts, inspection)
    return replace(inputs, facts=facts, inspection=inspection)


def folder_of(data: Path | None) -> str | None:
    """The folder on the disk that holds the data."""
    if data is None:
        return None
    from advisor.errors import input_error

    if not data.exists():
        raise input_error(
            "There are no such data", "the path does not exist", where=str(data), remedy="Check the path."
        )
    return str((data if data.is_dir() else data.parent).resolve())


def open_journal(
    inputs: Inputs,
    only: Sequence[str] | None,
    seconds: float,
    folder: str | None,
    fresh: bool,
    complain: Callable[[str, str], None] = warn,
) -> Journal | None:
    """The journal of this very question; without one measuring goes on and could not be resumed.

    Args:
        complain: is told why, as a title and a sentence.
    """
    from advisor.agent.remembered.journal import Journal
    from advisor.agent.settling.scope import torch_version
    from advisor.errors import InputError

    assert inputs.machine is not None  # noqa: S101
    known = {
        name: entry.value for name in sorted(inputs.facts.names()) if (entry := inputs.facts.known(name)) is not None
    }
    question = {
        "facts": {name: str(sorted(value) if isinstance(value, frozenset) else value) for name, value in known.items()},
        "only": sorted(only or ()),
        "seconds": seconds,
        "folder": folder,
        "school": inputs.school.value,
        "machine": inputs.machine.fingerprint,
        "torch": torch_version(),
        "rules": inputs.knowledge.digest,
    }
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


def keep(machine: Machine, outcome: Outcome, name: str, say: Callable[[str], None]) -> bool:
    """Remembers one outcome that is worth it; whether that was done.

    A state folder that cannot be written is a warning.
    """
    if not outcome.worth_keeping:
        say(f"  {outcome.probe}: not kept for later plans, since other programs took much of the machine.")
        return False
    from advisor.agent.remembered.memory import remember
    from advisor.errors import InputError

    try:
        remember(machine, [outcome], name)
    except InputError as error:
        warn("The measurement cannot be kept for later", str(error.problems[0]))
        return False
    return True


def parse_budget(text: str) -> float:
    """Seconds from `60s`, `2 min`, or a bare number of seconds. Raises InputError."""
    from advisor.errors import InputError, input_error
    from advisor.facts.values import parse_value
    from advisor.facts.vocabulary import Fact, FactType
    from advisor.wording import shorten

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


def check_output(output: Path, force: bool) -> None:
    """Says before measuring what could not be written afterwards."""
    from advisor.errors import input_error

    title = "The output cannot be written"
    if output.exists() and not force:
        raise input_error(title, "the file exists", where=str(output), remedy="Name another file or add --force.")
    if not output.parent.is_dir():
        raise input_error(title, "there is no such folder", where=str(output.parent), remedy="Create it first.")
