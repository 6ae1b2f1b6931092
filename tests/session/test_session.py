"""`advisor.Session`: the same plans, reports, measurements and trials as the commands give."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import advisor
from advisor.agent import agent
from advisor.agent.agent import Revision
from advisor.agent.events import MeasuringEvent, ProbeFinished, ProbeStarted
from advisor.agent.remembered.trial_journal import TrialJournal
from advisor.agent.trials.events import TrialEvent
from advisor.agent.trials.trying import Trying
from advisor.cli.app import program
from advisor.session import measuring, trying
from advisor.training.child.request import Request
from advisor.training.ladder.candidates import Planned
from advisor.training.ladder.trial_record import Trial
from tests.agent.test_agent import StandIn
from tests.cli.program import advisor as command

PICTURES = {
    "task.kind": "classify",
    "data": {"modality": "image", "examples": "50k"},
    "project.pretrained_allowed": None,
}
SETS = [
    "--set", "task.kind=classify", "--set", "data.modality=image", "--set", "data.examples=50k",
    "--set", "project.pretrained_allowed=unknown",
]  # fmt: skip
STEP = {"task.kind": "classify", "data.modality": "image", "data.inputs": 3072, "task.outputs": 10}


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "state"
    monkeypatch.setenv("ADVISOR_STATE", str(folder))
    return folder


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    found = StandIn()
    monkeypatch.setattr(agent, "run", found.run)
    return found


# --- plans -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("machine", ["none", "auto", "rtx-4090"])
def test_a_plan_is_the_one_that_recommend_prints(machine: str, state: Path) -> None:
    done = command("recommend", *SETS, "--machine", machine, "--format", "json", env={"ADVISOR_STATE": str(state)})
    session = advisor.Session(PICTURES, machine=machine)
    assert session.plan().to_json() == json.loads(done.out)
    assert json.loads(session.report("json")) == json.loads(done.out)


def test_answers_may_be_a_file(tmp_path: Path) -> None:
    file = tmp_path / "pictures.yaml"
    file.write_text(
        "task.kind: classify\ndata:\n  modality: image\n  examples: 50k\nproject.pretrained_allowed: unknown\n"
    )
    for answers in (file, str(file)):
        found = advisor.Session(answers, machine="none")
        assert found.plan().to_json() == advisor.Session(PICTURES, machine="none").plan().to_json()


def test_school_and_rules_are_those_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "house.yaml").write_text(
        "- {id: storage.house, topic: storage, school: any, value: network, because: House rule., sources: [judgement],\n"
        "   verified: no}\n"
    )
    assert advisor.Session(PICTURES, machine="none", rules=tmp_path).plan().value("storage") == "network"
    assert advisor.Session(PICTURES, machine="none", rules=[tmp_path]).plan().value("storage") == "network"
    assert advisor.Session(PICTURES, machine="none", school="survey").plan().school == "survey"


@pytest.mark.parametrize("school", ["old", "any", ""])
def test_an_unknown_school_is_refused_with_those_that_there_are(school: str) -> None:
    with pytest.raises(advisor.InputError, match="today and survey"):
        advisor.Session(PICTURES, machine="none", school=school)  # type: ignore[arg-type]


def test_an_explanation_is_the_one_that_explain_prints() -> None:
    given = ("explain", "network.type", *SETS, "--machine", "none", "--why-not", "ffn")
    explained = advisor.Session(PICTURES, machine="none").explain("network.type", why_not="ffn")
    assert explained.to_json() == json.loads(command(*given, "--format", "json").out)
    assert "ffn (feed-forward network): " in str(explained)


def test_reports_have_the_formats_of_recommend() -> None:
    session = advisor.Session(PICTURES, machine="none")
    assert "Network type: cnn" in session.report()
    assert "| Network type | cnn" in session.report("markdown")
    assert session.report("html").startswith("<!doctype html>")
    with pytest.raises(advisor.InputError, match="Did you mean html"):
        session.report("htm")  # type: ignore[arg-type]


def test_a_plan_shows_itself_in_a_notebook_and_names_from_packs_are_escaped(tmp_path: Path) -> None:
    (tmp_path / "house.yaml").write_text(
        "- {id: storage.house, topic: storage, school: any, value: network, because: <script>alert(1)</script>,\n"
        "   sources: [judgement], verified: no}\n"
    )
    table = advisor.Session(PICTURES, machine="none", rules=tmp_path).plan()._repr_html_()
    assert table.startswith("<table><thead><tr><th>Topic</th>")
    assert "<td>Network type</td><td>cnn</td><td>settled</td>" in table
    assert "<script>" not in table
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in table
    assert "not_applicable" not in table
    assert "<td>None</td>" not in table


# --- wrong input -----------------------------------------------------------------------------------------------------


def test_all_problems_of_answers_are_told_at_once() -> None:
    with pytest.raises(advisor.InputError) as caught:
        advisor.Session({"data.modalty": "image", "data": {"examples": "many"}, "network.type": "cnn"}, machine="none")
    said = str(caught.value)
    assert "Did you mean data.modality?" in said
    assert "'many'" in said
    assert "network.type is a recommendation, not a fact" in said


@pytest.mark.parametrize("budget", ["soon", "0.2s", 0, -5, float("nan"), 10**9])
def test_a_budget_is_a_time(budget: Any) -> None:
    with pytest.raises(advisor.InputError, match="This is no time to measure in"):
        advisor.Session(STEP).measure(budget)


def test_another_machine_can_neither_be_measured_nor_tried_on() -> None:
    session = advisor.Session(STEP, machine="none")
    with pytest.raises(advisor.InputError, match="another machine than this one"):
        session.measure(5)
    with pytest.raises(advisor.InputError, match="There are no data"):
        session.try_on_data(5)


def test_what_stops_nothing_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    with pytest.warns(advisor.AdvisorWarning, match="state"):
        advisor.Session(PICTURES)


# --- measuring -------------------------------------------------------------------------------------------------------


def test_measuring_is_what_probe_does_and_counts_from_then_on(
    stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in.verdicts = {}
    events: list[MeasuringEvent] = []
    session = advisor.Session(STEP)
    revision = session.measure("60s", events.append, only=["batch"])
    assert [outcome.probe for outcome in revision.measured] == ["batch"]
    assert [type(event) for event in events] == [ProbeStarted, ProbeFinished]
    assert session.inputs.outcomes == revision.outcomes
    assert session.plan().recommendations["training.batch_size"].to_json() == (
        revision.after.recommendations["training.batch_size"].to_json()
    )
    assert advisor.Session(STEP).inputs.outcomes == revision.outcomes, "later sessions count it too"


def test_probe_and_session_measure_by_one_function(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Any, ...]] = []

    def settle(knowledge: Any, facts: Any, machine: Any, seconds: float, **named: Any) -> Revision:
        named.pop("on_event"), named.pop("journal").close(finished=True), named.pop("stop")
        asked.append((facts, machine.fingerprint, round(seconds), named))
        plan = advisor.Session(STEP).plan()
        return Revision(plan, plan)

    monkeypatch.setattr(measuring, "settle", settle)
    advisor.Session(STEP).measure(20, only=["batch"])
    sets = [word for name, value in STEP.items() for word in ("--set", f"{name}={value}")]
    program().main(["probe", *sets, "--only", "batch", "--budget", "20s"], standalone_mode=False)
    first, second = asked
    assert first[0].entries.keys() == second[0].entries.keys()
    assert first[1:] == second[1:]


def test_what_could_not_be_delivered_is_not_measured_again(stand_in: StandIn) -> None:
    session = advisor.Session(STEP)
    asked: dict[str, Any] = {"only": ["batch"], "complain": pytest.fail}
    with pytest.raises(OSError, match="full"), measuring.measuring(session.inputs, 60.0, **asked) as lost:
        raise OSError("The disk is full")
    with measuring.measuring(session.inputs, 60.0, **asked) as found:
        assert found.revision.resumed == 1
        assert found.revision.outcomes == lost.revision.outcomes
    with measuring.measuring(session.inputs, 60.0, **asked) as again:
        assert again.revision.resumed == 0, "delivered, and so forgotten"


def test_a_stopped_run_keeps_what_is_finished_and_the_same_call_goes_on(stand_in: StandIn) -> None:
    stop = advisor.Stop()

    def stops(event: MeasuringEvent) -> None:
        if isinstance(event, ProbeFinished):
            stop.everything()

    session = advisor.Session(STEP)
    first = session.measure("60s", stops, stop=stop)
    assert len(first.outcomes) == 1
    ran = len(stand_in.ran)
    again = advisor.Session(STEP).measure("60s")
    assert again.resumed == 1
    assert again.outcomes[0] == first.outcomes[0]
    assert len(stand_in.ran) > ran


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_what_a_listener_raises_ends_the_run_and_finished_outcomes_stay(
    stand_in: StandIn, error: type[BaseException]
) -> None:
    def raises(event: MeasuringEvent) -> None:
        if isinstance(event, ProbeStarted) and stand_in.ran:
            raise error

    session = advisor.Session(STEP)
    with pytest.raises(error):
        session.measure("60s", raises)
    assert len(session.inputs.outcomes) == 1
    assert advisor.Session(STEP).measure("60s").resumed == 1


@pytest.mark.slow
def test_a_real_child_is_gone_when_another_thread_stops_the_run() -> None:
    stop = advisor.Stop()
    begun = time.monotonic()
    threading.Timer(3.0, stop.everything).start()
    revision = advisor.Session(STEP).measure("60s", only=["matmul"], stop=stop)
    assert time.monotonic() - begun < 40
    assert not any(outcome.failure for outcome in revision.outcomes)


# --- trying ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def flowers(tmp_path: Path) -> Path:
    path = tmp_path / "flowers.csv"
    rows = (f"{n % 7},{n % 5},{'xy'[n % 2]}\n" for n in range(60))
    path.write_text("a,b,kind\n" + "".join(rows), encoding="utf-8")
    return path


class AskedError(Exception):
    """Ends a run of trials before it begins."""


def test_try_and_session_try_by_one_function(flowers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Request] = []

    def tries(request: Request, **_: Any) -> Trying:
        asked.append(request)
        raise AskedError

    monkeypatch.setattr(trying, "Trying", tries)
    with pytest.raises(AskedError):
        advisor.Session(data=flowers, target="kind").try_on_data("30s", seed=3, metric="log_loss", group="a")
    with pytest.raises(AskedError):
        program().main(
            ["try", "--data", str(flowers), "--target", "kind", "--budget", "30s", "--seed", "3", "--metric", "log_loss",
             "--group", "a"], standalone_mode=False
        )  # fmt: skip
    first, second = (replace(request, budget=30.0, seconds=30.0) for request in asked)
    assert first == second


def test_another_task_for_the_same_target_is_another_question(flowers: Path) -> None:
    inputs = advisor.Session(data=flowers, target="kind").inputs
    asked = Request(str(flowers), "kind", "0" * 16, Planned("ffn", (), (16,)), 30.0, 30.0, 0, 1, 1000)

    def opened(task: str | None) -> TrialJournal | None:
        request = replace(asked, task=task)
        return trying._open_journal(inputs, request, 30.0, fresh=False, complain=lambda *_: None)

    first, again, other = opened("regress"), opened("regress"), opened(None)
    assert first is not None
    assert again is None, "it is open"
    assert other is not None
    for journal in (first, other):
        journal.close(finished=True)


@pytest.mark.slow
def test_trials_count_from_then_on_and_ctrl_c_keeps_what_is_finished(flowers: Path) -> None:
    def interrupts(event: TrialEvent) -> None:
        if isinstance(event, Trial):
            raise KeyboardInterrupt

    session = advisor.Session(data=flowers, target="kind")
    first = session.try_on_data("12s", interrupts)
    assert first.interrupted
    assert len(first.trials) == 1
    results = session.try_on_data("12s")
    assert not results.interrupted
    assert results.resumed == 1
    assert {one.topic for one in session.inputs.trials} <= {bet.topic for bet in results.bets}


@pytest.mark.slow
def test_a_stopped_run_goes_on_where_the_split_is_the_same_and_begins_anew_where_it_is_not(flowers: Path) -> None:
    def interrupts(event: TrialEvent) -> None:
        if isinstance(event, Trial):
            raise KeyboardInterrupt

    session = advisor.Session(data=flowers, target="kind")
    assert len(session.try_on_data("60s", interrupts, group="a").trials) == 1
    assert session.try_on_data("60s", interrupts).resumed == 0
    assert session.try_on_data("60s", interrupts, group="b").resumed == 0
    assert session.try_on_data("60s", interrupts, group="a").resumed == 1


@pytest.mark.slow
def test_the_winner_is_saved_and_what_keeps_it_from_that_is_told(tmp_path: Path) -> None:
    data, folder = tmp_path / "data.csv", tmp_path / "model"
    data.write_text(
        "a,b,kind\n" + "".join(f"{n % 7},{n % 5},{'xy'[n % 7 > 3]}\n" for n in range(200)), encoding="utf-8"
    )
    session = advisor.Session(data=data, target="kind")
    assert session.try_on_data("30s", save=folder).best is not None
    assert (folder / "card.json").exists()
    with pytest.raises(advisor.InputError, match="there is a saved model already"):
        session.try_on_data("30s", save=folder)
    draw = random.Random(4)
    drawn = "".join(f"{draw.random():.3f},{draw.random():.3f},{draw.choice('xy')}\n" for _ in range(80))
    data.write_text(f"a,b,kind\n{drawn}", encoding="utf-8")
    with pytest.warns(advisor.AdvisorWarning, match="No model is saved: Nothing was saved"):
        assert advisor.Session(data=data, target="kind").try_on_data("15s", save=tmp_path / "none").finals
    assert not (tmp_path / "none").exists()


# --- importing -------------------------------------------------------------------------------------------------------


def loaded_after(code: str) -> set[str]:
    script = f"import sys; {code}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=True)
    return set(done.stdout.split())


HEAVY = {
    "torch",
    "sklearn",
    "polars",
    "numpy",
    "pandas",
    "scipy",
    "PIL",
    "textual",
    "rich",
    "typer",
    "matplotlib",
    "z3",
}


def test_a_session_loads_no_face_and_no_heavy_library() -> None:
    assert not loaded_after("import advisor; advisor.Session(machine='none').plan()._repr_html_()") & HEAVY
    assert not loaded_after("import advisor.session.desk") & HEAVY


def test_the_package_alone_loads_nothing_but_itself() -> None:
    assert not loaded_after("import advisor") & {"yaml", "psutil", "platformdirs", *HEAVY}


def test_public_names_are_found_and_others_are_not() -> None:
    assert {"Session", "InputError", "Stop", "AdvisorWarning"} <= set(dir(advisor))
    with pytest.raises(AttributeError, match="frobnicate"):
        _ = advisor.frobnicate
