"""One rank from its start to its end: it meets the others, measures with them, and says how it ended; rank 0 reports."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import psutil

from advisor.children.errors import CannotRunError
from advisor.cluster import profile as profiles
from advisor.cluster.launch import Launch
from advisor.cluster.measurement import Measured, measure
from advisor.cluster.profile import ClusterProfile, step_words
from advisor.cluster.report import text
from advisor.cluster.watch import Watch
from advisor.errors import InputError, input_error
from advisor.files.named import read_named
from advisor.files.output import check_output, write_text
from advisor.machine.state import MAX_BYTES, StateError, parse_json
from advisor.plain import decode, json_text
from advisor.probes.workload import Device, Workload
from advisor.wording import printable, shorten

if TYPE_CHECKING:
    from advisor.cluster.meeting import Meeting

DONE, FAILED, WRONG = 0, 1, 2
"""Exit statuses."""
_MEMORY_SHARE = 0.5
"""Of what is free, for the training steps of all ranks of a node."""
_TITLE = "The training step cannot be timed"


@dataclass(frozen=True, slots=True)
class Asked:
    """The wishes of the command line."""

    output: Path | None = None
    force: bool = False
    seconds: float = 60.0
    wait: float = 120.0
    workload: Path | None = None
    save: str = profiles.LAST
    """The name under which it is kept on this host."""


def run(launch: Launch, asked: Asked) -> NoReturn:
    """Ends the process, with its exit status. Raises InputError for what every rank finds wrong by itself."""
    workload = None if asked.workload is None else workload_in(asked.workload)
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")  # its warnings of lost connections are pages long
    from advisor.cluster.meeting import Meeting

    watch = Watch(launch.rank, FAILED)
    try:
        meeting = Meeting(launch, asked.wait, watch)
    except (CannotRunError, RuntimeError, OSError) as error:
        _say(str(error) if isinstance(error, CannotRunError) else f"The ranks did not meet: {shorten(error, 200)}")
        _leave(FAILED)
    if meeting.is_first:
        _say(f"All {launch.ranks} ranks are here. They are measured for about {asked.seconds:g} seconds.")
    _leave(_take_part(meeting, asked, workload, watch))


def _leave(status: int) -> NoReturn:
    """At once: where an exchange has failed, its threads may hang."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def workload_in(path: Path) -> Workload:
    """The training step that a file describes. Raises InputError."""
    raw, where = read_named(path, MAX_BYTES, _TITLE), shorten(path, 200)
    try:
        workload = decode(Workload, parse_json(raw), "it")
    except ValueError as error:
        raise input_error(_TITLE, shorten(error, 200), where=where) from None
    if reason := workload.why_not():
        raise input_error(_TITLE, reason, where=where)
    return workload


def _take_part(meeting: Meeting, asked: Asked, workload: Workload | None, watch: Watch) -> int:
    import torch

    signal.signal(signal.SIGTERM, lambda *_: meeting.end())  # a launcher ends all where one has failed: a word first
    measured = Measured(meeting.backend, torch.__version__, meeting.nodes, meeting.devices, _words(workload))
    if meeting.is_first:
        watch.tell = lambda sentence: _report(measured.profile(sentence), sentence, asked)
    ended = ""
    try:
        refusal = meeting.first_says(_refusal(asked) if meeting.is_first else "")
        if refusal:
            _say(refusal if meeting.is_first else "")
            return WRONG
        measure(meeting, measured, asked.seconds, _step(meeting, workload, measured.notes))
        meeting.wait_for_all()
    except (CannotRunError, RuntimeError, OSError) as error:
        ended = meeting.last_words(error)
    if not meeting.is_first:
        _say(ended if "Rank 0" in ended else "")
        return FAILED if ended else DONE
    return _report(measured.profile(ended), ended, asked)


def _report(profile: ClusterProfile | None, ended: str, asked: Asked) -> int:
    """By rank 0. Returns the exit status."""
    if profile is None:
        _say(f"The cluster was not measured. {ended}")
        return FAILED
    print(printable(text(profile)), end="")
    try:
        profiles.save(profile, asked.save)
    except StateError as error:
        _say(str(error))
    if asked.output is not None:
        try:
            write_text(asked.output, json_text(profile.to_json()) + "\n", force=asked.force)
        except InputError as error:
            _say(str(error))
            return FAILED
    _say(ended)
    return FAILED if ended else DONE


def _refusal(asked: Asked) -> str:
    """The reason why the output cannot be written; said before anything is measured."""
    try:
        if asked.output is not None:
            check_output(asked.output, force=asked.force)
    except InputError as error:
        return str(error)
    return ""


def _words(workload: Workload | None) -> str:
    return "" if workload is None else step_words(workload.describe(), workload.batch_size, workload.precision)


def _step(meeting: Meeting, workload: Workload | None, notes: list[str]) -> Callable[[], float] | None:
    """One training step, and its seconds; None where there is none, or some rank cannot make it, which is noted."""
    if workload is None:
        return None
    from advisor.cluster.measuring import timed
    from advisor.probes.child.training_step import TrainingStep

    here = workload.on(Device.CUDA if meeting.on_cards else Device.CPU)
    ranks = next(len(node.ranks) for node in meeting.nodes if meeting.rank in node.ranks)
    reason, step = "", None
    try:
        step = TrainingStep(here, int(psutil.virtual_memory().available * _MEMORY_SHARE / ranks), seed=0)
    except (CannotRunError, ValueError, RuntimeError) as error:
        reason = shorten(error, 200)
    reasons = [
        f"Rank {rank} cannot make the training step: {said}"
        for rank, said in enumerate(meeting.all_say(reason))
        if said
    ]
    notes += reasons[:1]
    if reasons or step is None:
        return None
    made = step
    return lambda: timed(meeting, lambda: made.run(here.batch_size, here.precision))


def _say(sentence: str) -> None:
    if sentence:
        print(printable(sentence), file=sys.stderr)
