"""The programs that are disturbed: what is awaited and typed on their way, and what each has finished."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.faults.terminals import Terminal, state_files

ENTER, ESCAPE, CTRL_P, CTRL_Q, CTRL_S = "\r", "\x1b", "\x10", "\x11", "\x13"
RESULT = "result.json"
SMALL = (
    "--set", "task.kind=classify", "--set", "task.outputs=2", "--set", "data.modality=image", "--set", "data.inputs=64",
    "--set", "data.examples=5000", "--set", "project.pretrained_allowed=no",
)  # fmt: skip
WRITTEN = ("--format", "json", "--output", RESULT, "--force")

WRITING = ("os:fsync", "os:replace", "os:unlink")
STARTING = ("subprocess:_fork_exec", "tempfile:mkdtemp", "shutil:rmtree")

Finished = Mapping[str, Any]
"""What was finished, by a name: an answer, the outcome of a probe, the scores of a trial."""


@dataclass(frozen=True)
class Step:
    """A stage of a run: it begins when `awaited` is seen; then keys are pressed, and it usually lasts so many seconds."""

    awaited: str
    keys: tuple[str, ...] = ()
    lasts: float = 1.0


@dataclass(frozen=True)
class Program:
    """One command and the steps of its run; the first step is its start."""

    name: str
    command: tuple[str, ...]
    steps: tuple[Step, ...]
    finished: Callable[[Path], Finished]
    """What the files under a folder say that is finished."""
    told: str = "(?!)"
    """A line on the terminal that says of something that it is finished."""
    again: tuple[str, ...] = ()
    """The command that goes on, where it is not the same."""
    to_the_end: tuple[Step, ...] = ()
    """The steps of the command that goes on; none where it ends by itself."""
    on_screen: bool = False
    """True if it draws on the whole screen."""
    leaving: str = ""
    """The keys that end a conversation, where it is one."""
    calls: tuple[str, ...] = (*WRITING, *STARTING)
    """Functions that it calls on its way, at which a fault may be aimed."""
    results: tuple[str, ...] = (RESULT,)
    """Names of files that it may write."""

    def sees(self, terminal: Terminal, step: Step, since: int) -> int | None:
        """The place behind what is awaited; None as long as it is not seen."""
        if self.on_screen:
            return 0 if re.search(step.awaited, terminal.text()) else None
        found = re.compile(step.awaited, re.MULTILINE).search(terminal.lines(), since)
        return None if found is None else found.end()

    def count_told(self, terminal: Terminal) -> int:
        return len(re.findall(self.told, terminal.lines(), re.MULTILINE))

    def leave(self, terminal: Terminal) -> None:
        terminal.press(self.leaving)


# --- what is finished ------------------------------------------------------------------------------------------------


def journal_lines(folder: Path, ending: str) -> Iterator[dict[str, Any]]:
    """The whole lines of every journal: the last may be half of one, where somebody was killed while writing."""
    for path in state_files(folder / "state"):
        if path.name.endswith(ending):
            yield from map(json.loads, path.read_bytes().split(b"\n")[:-1])


def result(folder: Path) -> dict[str, Any]:
    path = folder / RESULT
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found


def _by_name(outcomes: list[dict[str, Any]]) -> Finished:
    return {f"{one['probe']} of {one['date']}": one for one in outcomes if one["failure"] is None}


def probed(folder: Path) -> Finished:
    journalled = [entry["outcome"] for entry in journal_lines(folder, ".jsonl") if entry["outcome"] is not None]
    return _by_name([*journalled, *result(folder).get("outcomes", ())])


def benched(folder: Path) -> Finished:
    journalled = [entry["outcome"] for entry in journal_lines(folder, ".jsonl") if entry["outcome"] is not None]
    networks = result(folder).get("networks", ())
    return _by_name([*journalled, *(outcome for network in networks for outcome in network["outcomes"])])


def tried(folder: Path) -> Finished:
    entries = [entry["content"] for entry in journal_lines(folder, ".trial.jsonl") if entry["what"] == "Trial"]
    trials = [*entries, *result(folder).get("trials", ())]
    return {f"{one['name']} on rung {one['rung']}": one["scores"] for one in trials if one["failure"] is None}


def answered(folder: Path) -> Finished:
    saved = [path for path in state_files(folder / "state") if path.name == "interview.json"]
    found: Finished = json.loads(saved[0].read_text())["answers"] if saved else {}
    return found


# --- the programs ----------------------------------------------------------------------------------------------------

PROBE = Program(
    "probe",
    ("probe", *SMALL, "--only", "threads", "--only", "layout", "--budget", "13s", *WRITTEN),
    (
        Step("", lasts=0.6),
        Step(r"^\w+: .*\?", lasts=6.0),
        Step(r"^(threads|layout): \w", lasts=0.2),
        Step(r"^\w+: .*\?", lasts=4.0),
        Step(r"^(threads|layout): \w", lasts=0.6),
    ),
    probed,
    told=r"^(threads|layout): (confirmed|overturned|undecided|no difference)",
)
BENCH = Program(
    "bench",
    ("bench", "lstm32", "--width", "0.01", "--threads", "1,2", "--batch", "32,128", "--budget", "13s", *WRITTEN),
    (
        Step("", lasts=0.6),
        Step(r"^threads: .*\?", lasts=6.0),
        Step(r"^threads: \w", lasts=0.1),
        Step(r"^batch: .*\?", lasts=3.0),
        Step(r"^batch: \w", lasts=0.6),
    ),
    benched,
    told=r"^(threads|batch): (confirmed|overturned|undecided|no difference)",
)
TRY = Program(
    "try",
    ("try", "--data", "wine.csv", "--target", "kind", "--budget", "14s", *WRITTEN),
    (
        Step("", lasts=0.6),
        Step(r"examples\.", lasts=0.3),
        Step(r"^trivial: ", lasts=0.2),
        Step(r"^linear: ", lasts=0.4),
        Step(r"^random forest: ", lasts=1.0),
        Step(r"^gradient boosting: ", lasts=4.0),
    ),
    tried,
    told=r"^[\w -]+: accuracy [\d.]+ ± [\d.]+ on",
)
PROMPT = r"^\[[a-z_.]+\] "
PLAIN = Program(
    "plain wizard",
    ("wizard", "--plain", "--machine", "none"),
    (
        Step("", lasts=0.4),
        Step(PROMPT, ("classify\n",), 0.3),
        Step(PROMPT, ("10\n",), 0.3),
        Step(PROMPT, ("why\n",), 0.3),
        Step(PROMPT, ("save report.md!\n",), 0.3),
        Step(PROMPT, ("\n",), 0.3),
        Step(PROMPT, ("plan\n",), 0.3),
        Step(PROMPT, (), 0.3),
    ),
    answered,
    again=("wizard", "--plain", "--machine", "none", "--resume"),
    to_the_end=(Step(r"Resumed with \d+ answers?\."), Step(PROMPT, ("!\n",))),
    leaving="!\n",
    calls=WRITING,
    results=("report.md",),
)

_BEGUN = (Step("", lasts=0.7), Step("1 Begin", (ENTER,), 1.0))
_ON_SCREEN: dict[str, Any] = {
    "again": ("wizard", "--resume", "--data", "wine.csv", "--target", "kind"),
    "to_the_end": (Step("Don't know", (CTRL_Q,)),),
    "on_screen": True,
    "leaving": CTRL_Q,
    "calls": WRITING,
    "results": ("report.md", "report.html"),
    "finished": answered,
    "command": ("wizard", "--data", "wine.csv", "--target", "kind"),
}
ANSWERING = Program(
    "full screen",
    steps=(
        *_BEGUN,
        Step("How complicated", ("1",), 0.5),
        Step("◂ ", ("p",), 0.5),
        Step("─ Plan ", (CTRL_S,), 0.5),
        Step("Save what", ("\x1b[B", ENTER, CTRL_S), 0.6),
        Step("Saved", (ESCAPE,), 0.5),
    ),
    **_ON_SCREEN,
)
PROBING = Program(
    "full screen, probing",
    steps=(
        *_BEGUN,
        Step("How complicated", ("1",), 0.5),
        Step("◂ ", (CTRL_P,), 0.5),
        Step("Search for", ("measure",), 0.5),
        Step("Machine: Measure", (ENTER,), 0.5),
        Step(r"ticked: about", (CTRL_S,), 1.0),
        Step("s left of", (), 8.0),
    ),
    **_ON_SCREEN,
)
TRYING = Program(
    "full screen, trying",
    steps=(
        *_BEGUN,
        Step("How complicated", ("1",), 0.5),
        Step("◂ ", (CTRL_P,), 0.5),
        Step("Search for", ("data: try",), 0.5),
        Step("Data: Try", (ENTER,), 0.5),
        Step(r"esc Back +\^s Try", (CTRL_S,), 1.0),
        Step("s left of", (), 8.0),
    ),
    **_ON_SCREEN,
)
