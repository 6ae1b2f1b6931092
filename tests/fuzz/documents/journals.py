"""Journals of stopped runs of `probe` and `try`, from which the same command goes on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import timedelta
from functools import cache, partial
from typing import Any
from unittest import mock

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from advisor.agent import agent
from advisor.agent.remembered import journal, trial_journal
from advisor.agent.remembered.journal import Entry
from advisor.agent.remembered.journal_file import JournalFile
from advisor.agent.trials.trying import Trying
from advisor.plain import encode
from advisor.session import machines
from advisor.training.child.request import Began, Finals, Ready
from tests.agent.profiles_made import MACHINE, MEMORY, ONE_THREAD, compared, gauged
from tests.report.test_insight import INSIGHT
from tests.tui.trials_made import DATA, METRIC, OUTCOME, TRIALS

from ..case import STATE, Case, Format
from ..trees import mutated as mutated_tree
from ..trees import text

_ANY_QUESTION = "44136fa355b3678a"
"""The name of the journal of a run of which nothing is asked."""
_PROBE, _TRY = (f"{STATE}/journal/{_ANY_QUESTION}{ending}" for ending in (".jsonl", ".trial.jsonl"))
_PROBING = (
    ("probe", "--budget", "60s", "--set", "data.modality=image", "--set", "task.kind=classify"),
    ("probe", "--budget", "60s", "--set", "data.modality=tabular", "--format", "json"),
    ("probe", "--budget", "60s", "--only", "threads", "--only", "memory", "--format", "html", "--output", "page.html"),
)
_TRYING = (
    ("try", "--data", "d.csv", "--target", "y", "--budget", "60s"),
    ("try", "--data", "d.csv", "--target", "y", "--budget", "60s", "--format", "json"),
    ("try", "--data", "d.csv", "--target", "y", "--budget", "60s", "--format", "html", "--output", "page.html"),
)
_DATA = "a,b,y\n" + "".join(f"{n},{n * n % 7},{'pq'[n % 2]}\n" for n in range(60))


@cache
def _probed() -> list[Any]:
    told = gauged({MEMORY: 3e10, ONE_THREAD: 1e10}, probe="memory")
    entries = (
        Entry("memory", 0.0),
        Entry("memory", 3.5, told),
        Entry("threads", 3.5),
        Entry("threads", 9.0, compared()),
    )
    begun = (Entry("precision", 9.0), Entry("precision", 9.0, by_hand=True), Entry("batch", 9.5))
    return [{"schema": journal.SCHEMA, **encode(entry)} for entry in (*entries, *begun)]


@cache
def _tried() -> list[Any]:
    began = [Began(trial.name, trial.stage, trial.rung, trial.kind) for trial in TRIALS]
    told = [Ready(DATA, METRIC, 3), *(message for pair in zip(began, TRIALS, strict=True) for message in pair)]
    told += [began[-1], Finals(OUTCOME.finals, OUTCOME.differences), replace(INSIGHT, of="ffn 100")]
    return [
        {"schema": trial_journal.SCHEMA, "date": "2026-11-22T10:00:00+00:00", "what": type(message).__name__,
         "spent": float(number), "content": encode(message)}
        for number, message in enumerate(told)
    ]  # fmt: skip


def _open_any(open_: Any, _: Mapping[str, Any], ending: str = ".jsonl") -> JournalFile | None:
    opened: JournalFile | None = open_({}, ending)
    return opened


@contextmanager
def _nothing_new() -> Iterator[None]:
    """Let every run find the journal, however old, and measure and try nothing beyond it."""
    with ExitStack() as patched:
        for module in (journal, trial_journal):
            patched.enter_context(mock.patch.object(module, "KEPT_FOR", timedelta(days=36_500)))
        patched.enter_context(mock.patch.object(JournalFile, "open", partial(_open_any, JournalFile.open)))
        patched.enter_context(mock.patch.object(machines, "detect", return_value=MACHINE))
        patched.enter_context(mock.patch.object(agent._Session, "_next", return_value=None))
        patched.enter_context(mock.patch.object(Trying, "_climb", return_value=None))
        yield


def _case(command: tuple[str, ...], lines: Sequence[Any]) -> Case:
    content = "".join(f"{text(line)}\n" for line in lines).encode("ascii")
    files = {_PROBE: content} if command[0] == "probe" else {_TRY: content, "d.csv": _DATA.encode()}
    return Case(command, files, writes=("page.html",), names=("jsonl",))


@st.composite
def _mutated(draw: DrawFn, commands: Sequence[tuple[str, ...]], lines: Sequence[Any]) -> Case:
    changed = list(lines)
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(changed) - 1))
        kind = draw(st.integers(0, 9))
        if kind < 7:
            changed[place] = draw(mutated_tree(changed[place], 2))
        elif kind < 8:
            changed.insert(draw(st.integers(0, len(changed))), changed[place])
        elif kind < 9 and len(changed) > 1:
            del changed[place]
        else:
            changed = changed[: place + 1]
    return _case(draw(st.sampled_from(commands)), changed)


FORMATS = [
    Format(
        "journals", lambda: [_case(command, _probed()) for command in _PROBING],
        lambda: _mutated(_PROBING, _probed()), around=_nothing_new,
    ),
    Format(
        "trials", lambda: [_case(command, _tried()) for command in _TRYING],
        lambda: _mutated(_TRYING, _tried()), around=_nothing_new,
    ),
]  # fmt: skip
