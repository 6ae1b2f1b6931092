"""A desk: data, measurements and trials count from then on, and what cannot be is said."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from advisor.agent.agent import Revision
from advisor.agent.events import MeasuringListener, ProbeFinished
from advisor.agent.remembered.memory import remember
from advisor.agent.trials.trying import NothingTriedError
from advisor.children.stopping import Stop
from advisor.errors import InputError
from advisor.facts.fact_base import Source
from advisor.facts.verdict import Verdict
from advisor.probes.catalogue import probe_named
from advisor.probes.outcome import Outcome
from advisor.session import measuring, trying
from advisor.session.desk import Desk
from tests.tui.desks import Desks, say


def test_facts_found_in_data_go_beneath_the_answers_and_those_of_other_data_go_away(
    desk_of: Desks, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    first.write_text("a,b,kind\n" + "".join(f"{n},{n % 7},{'xy'[n % 2]}\n" for n in range(60)), encoding="utf-8")
    second.write_text("a\n" + "".join(f"{n % 11}\n" for n in range(40)), encoding="utf-8")
    desk = desk_of()
    say(desk, "data.examples", "1000")
    desk.use_data(desk.look_into(first, "kind"))
    facts = desk.interview.facts()
    assert facts.by_source(Source.INSPECTED)["task.outputs"] == 2
    known = facts.known("data.examples")
    assert known is not None
    assert (known.value, known.source) == (1000, Source.ASKED)
    found = desk.look_into(second, None)
    assert "task.outputs" in desk.interview.facts().by_source(Source.INSPECTED), "looking changes nothing"
    desk.use_data(found)
    assert "task.outputs" not in desk.interview.facts().by_source(Source.INSPECTED)
    desk.begin_anew()
    assert desk.interview.facts().known("data.modality") is not None


def test_another_machine_than_this_one_cannot_be_measured(desk_of: Desks) -> None:
    with pytest.raises(InputError, match="another machine than this one"):
        desk_of().measure(5.0, None, lambda event: None, Stop())


def test_only_what_was_said_is_measured_for(desk_of: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def settle(knowledge: Any, facts: Any, *_: Any, **named: Any) -> Revision:
        asked["kind"] = facts.known("task.kind")
        asked["own rules"] = knowledge is not desk.knowledge
        return Revision(desk.interview.plan(), desk.interview.plan())

    monkeypatch.setattr(measuring, "settle", settle)
    desk = desk_of("auto")
    desk.measure(5.0, None, lambda event: None, Stop())
    assert asked["kind"] is None, "without an answer the machine alone is measured"
    assert asked["own rules"]
    say(desk, "task.kind", "generate")
    desk.measure(5.0, None, lambda event: None, Stop())
    assert asked["kind"].value == "generate"


def nothing(event: object) -> None:
    """Listens to nothing."""


@pytest.fixture
def flowers(tmp_path: Path) -> Path:
    path = tmp_path / "flowers.csv"
    rows = (f"{n % 7},{n % 5},{'xy'[n % 2]}\n" for n in range(60))
    path.write_text("a,b,kind\n" + "".join(rows), encoding="utf-8")
    return path


def test_the_command_that_goes_on_names_the_data_wherever_it_is_given(
    desk_of: Desks, flowers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(flowers.parent)
    desk = desk_of()
    desk.use_data(desk.look_into(Path("flowers.csv"), "kind"))
    say(desk, "task.kind", "classify")
    assert f"`advisor wizard --resume --data {flowers} --target kind` goes on" in desk.how_to_go_on()


def test_on_another_machine_than_this_one_nothing_can_be_tried(desk_of: Desks, flowers: Path) -> None:
    desk = desk_of()
    desk.use_data(desk.look_into(flowers, "kind"))
    with pytest.raises(InputError, match="another machine than this one"):
        desk.try_on_data(5.0, nothing, Stop())


def test_who_stops_before_the_work_has_begun_waits_for_none(
    desk_of: Desks, flowers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any, **__: Any) -> Any:
        raise AssertionError("this was stopped")

    monkeypatch.setattr(measuring, "settle", never)
    monkeypatch.setattr(trying, "Trying", never)
    stop = Stop()
    stop.everything()
    desk = desk_of("auto")
    desk.use_data(desk.look_into(flowers, "kind"))
    with pytest.raises(InputError, match="stopped by hand"):
        desk.measure(5.0, None, nothing, stop)
    with pytest.raises(NothingTriedError, match="stopped by hand"):
        desk.try_on_data(5.0, nothing, stop)


def test_that_a_run_could_not_be_resumed_is_a_note_and_nothing_on_stderr(
    desk_of: Desks, flowers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class TriedError(Exception):
        pass

    def tries(*_: Any, **__: Any) -> Any:
        raise TriedError

    desk = desk_of("auto")
    monkeypatch.setattr(measuring, "settle", lambda *_, **__: Revision(desk.interview.plan(), desk.interview.plan()))
    monkeypatch.setattr(trying, "Trying", tries)
    desk.use_data(desk.look_into(flowers, "kind"))
    desk.notes()
    no_state(tmp_path)
    desk.measure(5.0, None, nothing, Stop())
    assert "If this run is stopped, it cannot go on from there" in [title for title, _ in desk.notes()]
    with pytest.raises(TriedError):
        desk.try_on_data(5.0, nothing, Stop())
    assert "If this run is stopped, it cannot go on from there" in [title for title, _ in desk.notes()]
    assert capsys.readouterr().err == ""


def no_state(tmp_path: Path) -> None:
    """A state folder in which nothing can be kept."""
    shutil.rmtree(tmp_path / "state", ignore_errors=True)
    (tmp_path / "state").write_text("a file where the folder should be", encoding="utf-8")


def measured(desk: Desk) -> Outcome:
    """A rate that was measured on the desk's machine."""
    assert desk.machine is not None
    probe = probe_named("matmul")
    return Outcome(
        "matmul", probe.topic, probe.fact, "fp32", Verdict.NO_DIFFERENCE, None, median=1.0, low=0.99, high=1.01, n=12,
        date="2026-11-22T00:00:00+00:00", applies={"machine": desk.machine.fingerprint}, bound_by=("machine",),
    )  # fmt: skip


def test_for_another_machine_no_measurement_of_this_one_is_evidence(desk_of: Desks) -> None:
    desk = desk_of("auto")
    assert desk.machine is not None
    remember(desk.machine, [measured(desk)])
    desk = desk_of("auto")
    assert [one.probe for one in desk.evidence(desk.interview.plan()).outcomes] == ["matmul"]
    say(desk, "machine.memory_bytes", "3 TB")
    assert desk.evidence(desk.interview.plan()).outcomes == ()


def test_a_measurement_that_cannot_be_kept_counts_in_this_conversation_with_other_data_too(
    desk_of: Desks, flowers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = desk_of("auto")
    found = measured(desk)

    def settle(*_: Any, on_event: MeasuringListener, **__: Any) -> Revision:
        on_event(ProbeFinished(found))
        return Revision(desk.interview.plan(), desk.interview.plan())

    monkeypatch.setattr(measuring, "settle", settle)
    no_state(tmp_path)
    desk.measure(5.0, None, nothing, Stop())
    assert "The measurement cannot be kept for later" in [title for title, _ in desk.notes()]
    desk.use_data(desk.look_into(flowers, "kind"))
    assert desk.inputs.outcomes == (found,)
    assert [one.probe for one in desk.evidence(desk.interview.plan()).outcomes] == ["matmul"]
