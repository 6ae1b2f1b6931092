"""Trials in a real child process: what it says is kept, whatever happens to it."""

from __future__ import annotations

import csv
import math
import os
import random
import re
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import datasets as shipped

from advisor.agent.remembered.trial_journal import TrialJournal
from advisor.agent.trials.events import TrialEvent, TrialListener
from advisor.agent.trials.state import Trials
from advisor.agent.trials.trying import MOST_STARTS, Trying
from advisor.children.supervise import Limits
from advisor.datasets.dataset import Task
from advisor.datasets.given import GivenSplit
from advisor.datasets.inspect import inspect
from advisor.errors import InputError, Problem
from advisor.training.child.climb import Climb, Telling
from advisor.training.child.metrics import R2
from advisor.training.child.request import (
    MESSAGES,
    Began,
    Costly,
    EpochSeen,
    Finals,
    Message,
    Note,
    Ready,
    Refused,
    Request,
    read_request,
    request_line,
)
from advisor.training.ladder.candidates import Planned
from advisor.training.ladder.insight import Insight, NotKnown, Slices
from advisor.training.ladder.ladder import Step
from advisor.training.ladder.outcome import DataTried, Difference, Final, Metric, Winner
from advisor.training.ladder.trial_record import Kind, Stage, Status, Trial

DATA = DataTried("/d.csv", "y", "0" * 16, "tabular", "classify", 100, 20, 80, "Drawn.", 5, 0.25)
READY = Ready(DATA, Metric("accuracy", "accuracy", 0.01), 8)
LINEAR = Trial("linear", Kind.BASELINE, Stage.BASELINES, 0, {}, (0.9, 0.8), 0.1)
INSIGHT = Insight("linear", slices=Slices((), 0, 20), not_known=(NotKnown("importance", "No time."),))
FINALS = Finals((Final("linear", Kind.BASELINE, (0.9,), 0.9, 0.8, 1.0),), (Difference("a", "b", 0.1, 0.0, 0.2),))
SAID: list[Message] = [
    READY, Began("linear", Stage.BASELINES, 0, Kind.BASELINE), Began("linear", None, 0, Kind.BASELINE),
    EpochSeen(3, 0.5), LINEAR, FINALS, Costly("random forest", 40.0), Note("so"), INSIGHT,
    Refused("No", (Problem("d.csv", "empty", "Fill it."),)),
]  # fmt: skip


@pytest.fixture
def wine(tmp_path: Path) -> Path:
    inputs, targets = shipped.load_wine(return_X_y=True)
    path = tmp_path / "wine.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"x{n}" for n in range(inputs.shape[1])), "kind"])
        writer.writerows(
            [*row, f"kind {target}"] for row, target in zip(inputs.tolist(), targets.tolist(), strict=True)
        )
    return path


def request(path: Path, seconds: float = 20.0) -> Request:
    found = inspect(path, "kind")
    return Request(str(path), "kind", found.fingerprint, Planned("ffn", (), (16,)), seconds, seconds, 0, 1, 10_000)


@pytest.mark.parametrize("message", SAID, ids=lambda message: type(message).__name__)
def test_a_message_survives_the_way(message: Message) -> None:
    assert MESSAGES.read(MESSAGES.line(message)) == message


def test_a_request_survives_the_way() -> None:
    asked = Request("/d.csv", None, "f", Planned("ffn", ("cnn",), (1, 2)), 60.0, 30.0, 1, 2, 1000, (LINEAR,))
    assert read_request(request_line(asked)) == asked


@given(st.binary(max_size=200) | st.recursive(
    st.none() | st.integers() | st.text(max_size=5), lambda deeper: st.lists(deeper, max_size=3)
    | st.dictionaries(st.sampled_from(["type", "name", "scores", "rung"]), deeper, max_size=3)
).map(lambda value: repr(value).replace("'", '"').replace("None", "null").encode()))  # fmt: skip
def test_what_is_no_message_is_refused(line: bytes) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        MESSAGES.read(line)


@pytest.mark.slow
def test_a_run_ends_with_a_verdict(wine: Path) -> None:
    outcome = Trying(request(wine, 20.0)).run()
    assert outcome.best is not None
    assert outcome.best.score > 0.85
    assert not outcome.best.seen, "its score is that of examples that chose nothing"
    assert outcome.verdict in (Winner.NETWORK, Winner.BASELINE, Winner.NO_DIFFERENCE)
    finals = {final.name: final.mean for final in outcome.finals}
    assert finals["trivial"] < 0.5
    assert {"linear", outcome.best.name} <= set(finals)
    assert (outcome.data.held_out, outcome.data.learnt_from) == (36, 142)
    assert {bet.topic for bet in outcome.bets} >= {"network.type"}
    assert outcome.insight is not None
    assert outcome.insight.of == outcome.best.name
    assert outcome.insight.confusion is not None
    assert outcome.insight.importance is not None
    document = outcome.to_json()
    assert (document["schema"], document["metric"]) == ("advisor/trial/1", "accuracy")


def test_whole_numbers_are_tried_as_the_quantity_that_somebody_says_they_are(tmp_path: Path) -> None:
    path = tmp_path / "stars.csv"
    draw = random.Random(0)
    rows = [(draw.random(), draw.random()) for _ in range(120)]
    path.write_text("x,y,stars\n" + "".join(f"{x},{y},{1 + round(2 * x + 2 * y)}\n" for x, y in rows))
    found = inspect(path, "stars", Task.REGRESS)
    asked = Request(
        str(path), "stars", found.fingerprint, Planned("ffn", (), (16,)), 3.0, 3.0, 0, 1, 1000, task="regress"
    )
    seen: list[Ready] = []
    slow = Limits(grace_seconds=120.0)  # for loading what reads the data, on a busy machine
    Trying(asked, listener=lambda event: seen.append(event) if isinstance(event, Ready) else None, limits=slow).run()
    assert (seen[0].data.task, seen[0].metric.name) == ("regress", "r2")
    with pytest.raises(InputError, match="changed"):
        Trying(replace(asked, task="classify"), limits=slow).run()


def test_data_that_changed_meanwhile_are_refused(wine: Path) -> None:
    asked = request(wine)
    wine.write_text(wine.read_text().replace("kind 0", "kind 5"))
    with pytest.raises(InputError, match="changed"):
        Trying(asked).run()


def begun_on(
    path: Path, rows: Sequence[tuple[float, str, object]], metric: str | None, given: GivenSplit
) -> list[Message]:
    """The messages of a run that has divided these rows of a number, a time or group, and a target."""
    path.write_text(f"x,{given.group or given.time_column},y\n" + "".join(f"{x},{who},{y}\n" for x, who, y in rows))
    asked = Request(
        str(path), "y", inspect(path, "y").fingerprint, Planned("ffn", (), (16,)), 60.0, 60.0, 0, 1, 1000,
        metric=metric, given=given,
    )  # fmt: skip
    said: list[Message] = []

    class Listed(Telling):
        def __call__(self, message: Message) -> None:
            said.append(message)

    run = Climb(asked, time.monotonic(), Listed(0, 60.0))
    assert all(run._trial(Step(candidate, 0), math.inf).counts for candidate in run._ladder.menu.openers[:2])
    return said


def test_folds_of_which_a_metric_says_nothing_are_left_out_for_all(tmp_path: Path) -> None:
    draw = random.Random(0)
    rows = [(draw.random(), f"group {n % 9}", "rare" if n % 9 < 3 and n % 2 else "usual") for n in range(270)]
    said = begun_on(tmp_path / "groups.csv", rows, "roc_auc", GivenSplit(group="who"))
    ready = next(one for one in said if isinstance(one, Ready))
    note = next(one for one in said if isinstance(one, Note))
    assert ready.data.folds > 1
    assert re.match(r"\d+ folds were left out, since ROC AUC says nothing", str(note.text))


def test_a_metric_that_says_nothing_of_the_held_out_examples_is_refused_or_replaced(tmp_path: Path) -> None:
    draw, path = random.Random(0), tmp_path / "level.csv"
    rows = [(draw.random(), str(day), draw.random() if day < 180 else 0.1) for day in range(240)]
    said = begun_on(path, rows, None, GivenSplit(time_column="when"))
    assert next(one for one in said if isinstance(one, Ready)).metric.name == "rmse"
    with pytest.raises(InputError, match="R² says nothing of the held-out examples, since their values never vary"):
        begun_on(path, rows, "r2", GivenSplit(time_column="when"))


@pytest.mark.parametrize(
    ("named", "remedy"), [("r2", "Take rmse or mae, or"), (None, "Take rmse or mae with --metric")]
)
def test_a_metric_that_nobody_named_is_no_fault_of_the_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str | None, remedy: str
) -> None:
    path = tmp_path / "level.csv"
    rows = [(day % 7, str(day), day % 5 if day < 180 else 0.1) for day in range(240)]
    monkeypatch.setattr("advisor.training.child.climb.metric_of", lambda *_: R2)
    with pytest.raises(InputError) as refused:
        begun_on(path, rows, named, GivenSplit(time_column="when"))
    (problem,) = refused.value.problems
    assert problem.where == ("--metric" if named else str(path))
    assert problem.remedy.startswith(remedy)


class StoppedError(Exception):
    """Stands for a kill at some moment."""


def stopping_after(number: int) -> TrialListener:
    """A listener that stops the run when so many trials are done."""
    done = []

    def listen(about: TrialEvent) -> None:
        if isinstance(about, Trial):
            done.append(about)
            if len(done) == number:
                raise StoppedError

    return listen


@pytest.mark.slow
def test_a_stopped_run_goes_on_from_its_last_trial(wine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "state"))
    asked, question = request(wine, 15.0), {"a": "question"}
    journal = TrialJournal.open(question, fresh=False)
    assert journal is not None
    stopped = Trying(asked, journal=journal, listener=stopping_after(3))
    with pytest.raises(StoppedError):
        stopped.run()
    journal.close(finished=False)
    kept = stopped.known.trials
    assert len(kept) == 3

    journal = TrialJournal.open(question, fresh=False)
    assert journal is not None
    again = Trying(asked, journal=journal)
    assert again.known.trials == kept
    assert again.known.spent > 0
    outcome = again.run()
    journal.close(finished=True)
    assert outcome.trials[:3] == tuple(kept)
    assert outcome.resumed == 3
    assert all(len(trial.losses) == len(trial.scores) for trial in outcome.trials), "those from the journal too"
    assert all(0 <= loss <= 2 for trial in outcome.trials for loss in trial.losses)
    assert len({trial.key for trial in outcome.trials}) == len(outcome.trials), "nothing is tried twice"
    assert not list((tmp_path / "state").glob("*/journal/*.trial.jsonl"))


def begun(state: Path) -> Path:
    """The journal of a run that was killed after its first trial."""
    journal = TrialJournal.open({}, fresh=False)
    assert journal is not None
    journal.write(READY, 1.0)
    journal.write(LINEAR, 2.0)
    journal.close(finished=False)
    return next(state.glob("*/journal/*.trial.jsonl"))


def test_half_a_line_of_a_killed_run_is_no_trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path))
    path = begun(tmp_path)
    with path.open("ab") as file:
        file.write(path.read_bytes().split(b"\n")[1][:40])
    journal = TrialJournal.open({}, fresh=False)
    assert journal is not None
    known = journal.known()
    assert (known.ready, known.trials, known.spent) == (READY, [LINEAR], 2.0)
    journal.close(finished=False)
    journal = TrialJournal.open({}, fresh=True)
    assert journal is not None
    assert journal.known().trials == []
    journal.close(finished=True)


def test_what_another_version_has_scored_is_scored_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path))
    path = begun(tmp_path)
    path.write_text(path.read_text().replace("advisor/trial-journal/2", "advisor/trial-journal/1"))
    journal = TrialJournal.open({}, fresh=False)
    assert journal is not None
    assert journal.known().trials == []
    journal.close(finished=True)


def test_two_runs_of_one_question_do_not_share_a_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path))
    first = TrialJournal.open({}, fresh=False)
    assert first is not None
    assert TrialJournal.open({}, fresh=False) is None
    first.close(finished=True)


CRASHING = """
import os, signal, sys
from advisor.training.child.request import *
from advisor.training.ladder.trial_record import *
from advisor.training.ladder.outcome import *
asked = read_request(sys.stdin.buffer.readline())
out = sys.stdout.buffer
def tell(message):
    out.write(MESSAGES.line(message)); out.flush()
tell(Ready(DataTried("/d", "y", "f", "tabular", "classify", 100, 20, 80, "Drawn.", 5, 0.25),
     Metric("accuracy", "accuracy", 0.01), 8))
done, scores = {trial.name for trial in asked.finished}, (0.5, 0.6, 0.7)
for name, stage, kind in (("trivial", Stage.TRIVIAL, Kind.TRIVIAL), ("linear", Stage.BASELINES, Kind.BASELINE),
                          ("random forest", Stage.BASELINES, Kind.BASELINE)):
    if name in done:
        continue
    tell(Began(name, stage, 0, kind))
    if name == "linear":
        HARM
    tell(Trial(name, kind, stage, 0, {}, scores, 0.1))
AFTERWARDS
tell(Ended())
"""


EXPLAINED = """
from advisor.training.ladder.insight import *
tell(Finals(tuple(Final(name, kind, (score,), score, score - 0.1, score + 0.1) for name, kind, score in (
         ("trivial", Kind.TRIVIAL, 0.5), ("random forest", Kind.BASELINE, 0.8))),
     (Difference("random forest", "trivial", 0.3, 0.2, 0.4),)))
tell(Insight("random forest", not_known=(NotKnown("slices", "No time."), NotKnown("importance", "No time."))))
tell(Insight("random forest", slices=Slices((), 0, 20), not_known=(NotKnown("importance", "No time."),)))
"""


def misbehaving(harm: str, afterwards: str = "") -> list[str]:
    return [sys.executable, "-c", CRASHING.replace("HARM", harm).replace("AFTERWARDS", afterwards)]


@pytest.mark.parametrize("harm", ["os.kill(os.getpid(), signal.SIGKILL)", "import time; time.sleep(600)", "pass"])
def test_whatever_ends_the_child_that_explains_the_winner_the_verdict_and_what_is_known_stay(harm: str) -> None:
    asked = Request("/d", "y", "f", Planned(), 6.0, 6.0, 0, 1, 100)
    command = misbehaving("scores = (0.8, 0.9, 0.9); continue", f"{EXPLAINED}\n{harm}")
    state = Trials(6.0, lambda: 0.0)
    outcome = Trying(asked, command=command, listener=state.tell, limits=Limits(grace_seconds=0.5)).run()
    assert outcome.verdict is Winner.BASELINE
    assert outcome.insight is not None
    assert outcome.insight.slices is not None
    assert [one.piece for one in outcome.insight.not_known] == ["importance"]
    assert "random forest" in state.doing
    killed = "KILL" in harm
    assert [note for note in outcome.notes if "ended early" in note] == list(outcome.notes)
    assert len(outcome.notes) == killed, "it is not started anew for that"


def test_a_resumed_run_keeps_what_is_known_until_it_knows_as_much() -> None:
    nothing = Insight("linear", not_known=(NotKnown("slices", ""), NotKnown("importance", "")))
    assert not nothing.adds_to(INSIGHT)
    assert INSIGHT.adds_to(nothing)
    assert INSIGHT.adds_to(INSIGHT)
    assert replace(nothing, of="random forest").adds_to(INSIGHT), "another won"


def test_what_is_known_about_another_than_the_winner_is_not_told() -> None:
    trying = Trying(Request("/d", "y", "f", Planned(), 30.0, 30.0, 0, 1, 100))
    trying.known.ready, trying.known.trials = READY, [LINEAR]
    trying.known.insight = replace(INSIGHT, of="random forest")
    assert trying.outcome().insight is None
    trying.known.insight = INSIGHT
    assert trying.outcome().insight == INSIGHT


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
        ("sys.exit('no space')", "no space"),
        ("raise MemoryError('too large')", "too large"),
    ],
)
def test_a_crash_costs_the_trial_that_was_running(harm: str, reason: str) -> None:
    asked = Request("/d", "y", "f", Planned(), 30.0, 30.0, 0, 1, 100)
    outcome = Trying(asked, command=misbehaving(harm)).run()
    by_name = {trial.name: trial for trial in outcome.trials}
    assert by_name["linear"].status is Status.FAILED
    assert reason in (by_name["linear"].failure or "")
    assert by_name["random forest"].scores == (0.5, 0.6, 0.7), "the next child goes on with what is left"
    assert [trial.name for trial in outcome.trials].count("trivial") == 1
    assert any(one.name == "linear" and reason in one.reason for one in outcome.not_tried)


def test_too_much_memory_costs_the_trial_that_was_running() -> None:
    asked = Request("/d", "y", "f", Planned(), 30.0, 30.0, 0, 1, 100)
    limits = Limits(memory_bytes=300_000_000, grace_seconds=1.0)
    hungry = misbehaving("held = b'1' * 600_000_000; import time; time.sleep(60)")
    outcome = Trying(asked, command=hungry, limits=limits).run()
    failed = next(trial for trial in outcome.trials if trial.name == "linear")
    assert "of memory and may take 300 MB" in (failed.failure or "")


def test_a_child_that_hangs_is_ended_with_the_budget() -> None:
    asked = Request("/d", "y", "f", Planned(), 2.0, 2.0, 0, 1, 100)
    seen: list[psutil.Process] = []

    def listen(about: TrialEvent) -> None:
        seen.extend(psutil.Process().children(recursive=True))

    outcome = Trying(
        asked, command=misbehaving("import time; time.sleep(600)"), listener=listen, limits=Limits(grace_seconds=0.5)
    ).run()
    assert [trial.name for trial in outcome.trials] == ["trivial"]
    assert outcome.verdict is Winner.UNFINISHED
    assert seen
    assert not any(process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in seen)


def test_a_child_that_never_starts_well_is_not_started_for_ever() -> None:
    asked = Request("/d", "y", "f", Planned(), 60.0, 60.0, 0, 1, 100)
    broken = [sys.executable, "-c", "import sys; sys.stdin.readline(); sys.exit('broken')"]
    trying = Trying(asked, command=broken)
    with pytest.raises(InputError, match="broken"):
        trying.run()
    assert len(trying.known.notes) == MOST_STARTS


def test_a_trial_that_ends_the_whole_run_again_and_again_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path))
    journal = TrialJournal.open({}, fresh=False)
    assert journal is not None
    journal.write(READY, 1.0)
    for _ in range(2):
        journal.write(Began("linear", Stage.BASELINES, 0, Kind.BASELINE), 1.0)
    asked = Request("/d", "y", "f", Planned(), 30.0, 30.0, 0, 1, 100)
    outcome = Trying(asked, journal=journal, command=misbehaving("os._exit(3)")).run()
    journal.close(finished=True)
    failed = next(trial for trial in outcome.trials if trial.name == "linear")
    assert "ended in the middle of it each time" in (failed.failure or "")
    assert any(trial.name == "random forest" for trial in outcome.trials)


def reasons(trying: Trying, **how: bool) -> dict[str, str]:
    return {one.name: one.reason for one in trying.outcome(**how).not_tried}


def test_what_was_not_tried_comes_with_its_own_reason() -> None:
    trying = Trying(Request("/d", "y", "f", Planned(), 30.0, 30.0, 0, 1, 100))
    trying.known.ready, trying.known.trials = READY, [LINEAR]
    trying.known.costly["gradient boosting"] = 47.3
    assert reasons(trying)["gradient boosting"] == "It would take about 47 s, and there was no time left for that."
    assert reasons(trying)["random forest"] == "No time was left."
    stopped = reasons(trying, interrupted=True)
    assert set(stopped.values()) == {"The run was stopped before its turn came."}, "whatever it would have taken"


def test_what_was_begun_and_cut_off_is_told_apart_from_what_was_not_reached() -> None:
    asked = Request("/d", "y", "f", Planned(), 2.0, 2.0, 0, 1, 100)
    hanging = misbehaving("import time; time.sleep(600)")
    trying = Trying(asked, command=hanging, limits=Limits(grace_seconds=20.0))
    begun: list[str] = []

    def stop_at_linear(about: TrialEvent) -> None:
        begun.extend([about.name] if isinstance(about, Began) else [])
        if begun[-1:] == ["linear"]:
            raise KeyboardInterrupt

    trying._listener = stop_at_linear
    with pytest.raises(KeyboardInterrupt):
        trying.run()
    assert reasons(trying)["linear"] == "It was begun, and the time was over before its first scores were there."
    assert reasons(trying)["random forest"] == "No time was left."
    assert "begun, and the run was stopped" in reasons(trying, interrupted=True)["linear"]


def test_what_a_child_that_always_ends_early_did_not_try_says_so() -> None:
    ready_only = [sys.executable, "-c", CRASHING.partition("done =")[0]]
    trying = Trying(Request("/d", "y", "f", Planned(), 600.0, 600.0, 0, 1, 100), command=ready_only)
    trying.run()
    assert f"ended early {MOST_STARTS} times" in reasons(trying)["gradient boosting"]


def test_a_run_that_goes_on_too_late_says_that_the_held_out_examples_were_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path))
    journal = TrialJournal.open({}, fresh=False)
    assert journal is not None
    journal.write(READY, 1.0)
    journal.write(LINEAR, 29.0)
    asked = Request("/d", "y", "f", Planned(), 30.0, 30.0, 0, 1, 100)
    outcome = Trying(asked, journal=journal, command=misbehaving("")).run()
    journal.close(finished=True)
    assert outcome.verdict is Winner.UNFINISHED
    assert outcome.best is not None
    assert outcome.best.seen
    assert outcome.notes == (
        "1 s of the budget were left, too few to look at the held-out examples. Begin anew with a longer --budget.",
    )


def test_finals_of_a_run_that_goes_on_count_once_they_say_more_than_what_is_known() -> None:
    def told(**seeds: int) -> Finals:
        finals = [Final(name, Kind.BASELINE, (0.9,) * count, 0.9, 0.8, 1.0) for name, count in seeds.items()]
        return Finals(tuple(finals), ())

    known = told(linear=1, forest=3)
    assert not told(linear=1, forest=1).adds_to(known)
    assert not known.adds_to(known)
    assert told(linear=1, forest=4).adds_to(known)
    assert told(linear=1, boosting=1).adds_to(known)


def test_the_parent_needs_no_heavy_library() -> None:
    import subprocess

    code = (
        "import sys, advisor.agent.trials.trying, advisor.report.found.trying;"
        "import advisor.cli.commands.experiments.try_, advisor.cli.trying_progress;"
        "print([name for name in ('torch', 'sklearn', 'numpy', 'polars') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_child_ends_when_its_parent_is_killed(wine: Path) -> None:
    import subprocess

    asked = request_line(replace(request(wine, 60.0)))
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import subprocess, sys, os\n"
            "child = subprocess.Popen([sys.executable, '-m', 'advisor.training.child.main', str(os.getpid())],"
            " stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
            "child.stdin.write(sys.stdin.buffer.readline()); child.stdin.flush()\n"
            "print(child.pid, flush=True)\n"
            "print(child.stdout.readline(), flush=True)\n"
            "child.wait()",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert parent.stdin is not None
    assert parent.stdout is not None
    parent.stdin.write(asked)
    parent.stdin.flush()
    child = psutil.Process(int(parent.stdout.readline()))
    assert b"Ready" in parent.stdout.readline()
    os.kill(parent.pid, signal.SIGKILL)
    parent.communicate()
    _, alive = psutil.wait_procs([child], timeout=10)
    assert not [one for one in alive if one.status() != psutil.STATUS_ZOMBIE]
