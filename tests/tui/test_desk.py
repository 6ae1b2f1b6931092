"""The desk that the command line makes keeps conversations, and never loses one by making another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from advisor.errors import InputError
from advisor.interview import saved
from advisor.knowledge.model import School
from advisor.machine.parts import Disk, DiskKind
from tests.tui.desks import Desks, say


def test_what_was_said_is_gone_on_with_at_another_desk(desk_of: Desks) -> None:
    desk = desk_of()
    assert not desk.saved
    say(desk, "task.kind", "classify")
    again = desk_of()
    assert again.saved
    assert again.resume() == ["Resumed with 1 answer."]
    assert again.interview.progress.said() == {"task.kind": "classify"}


@pytest.fixture
def wine(tmp_path: Path) -> Path:
    file = tmp_path / "wine.csv"
    rows = "".join(f"{number * 0.37 % 3:.2f},{'red' if number % 2 else 'white'}\n" for number in range(60))
    file.write_text(f"acid,kind\n{rows}", encoding="utf-8")
    return file


def test_the_data_of_a_conversation_are_looked_into_again(desk_of: Desks, wine: Path) -> None:
    desk = desk_of()
    desk.use_data(desk.look_into(wine, "kind"))
    say(desk, "project.pretrained_allowed", "yes")
    again = desk_of()
    assert again.resume() == [f"Its data are used again: {wine}.", "Resumed with 1 answer."]
    assert again.inspection is not None
    assert again.inspection.target == "kind"
    examples = again.interview.facts().known("data.examples")
    assert examples is not None
    assert examples.value == 60


def test_without_its_data_a_conversation_goes_on_and_they_may_come_back(desk_of: Desks, wine: Path) -> None:
    desk = desk_of()
    desk.use_data(desk.look_into(wine, "kind"))
    say(desk, "project.pretrained_allowed", "yes")
    kept = wine.read_text(encoding="utf-8")
    wine.unlink()
    without = desk_of()
    told = without.resume()
    assert told[0].startswith(f"The data {wine} are not used any more.")
    assert told[1] == "Resumed with 1 answer."
    say(without, "task.kind", "classify")
    wine.write_text(kept, encoding="utf-8")
    assert f"Its data are used again: {wine}." in desk_of().resume()


def test_a_new_conversation_puts_the_earlier_one_aside_when_something_is_said(desk_of: Desks) -> None:
    desk = desk_of()
    say(desk, "task.kind", "classify")
    desk.begin_anew()
    assert desk.saved
    say(desk, "task.kind", "regress")
    previous = saved.session_file().with_name("interview.previous.json")
    assert '"classify"' in previous.read_text(encoding="utf-8")
    assert '"regress"' in saved.session_file().read_text(encoding="utf-8")


def test_a_school_that_is_named_outranks_the_one_that_was_saved(desk_of: Desks) -> None:
    say(desk_of(), "task.kind", "classify")
    desk = desk_of(school=School.SURVEY)
    told = desk.resume()
    assert desk.interview.school is School.SURVEY
    assert told[0] == "The saved conversation was held by the school today; it goes on by survey."


def test_nothing_to_resume_leaves_the_conversation_as_it_is(desk_of: Desks) -> None:
    desk = desk_of()
    before = desk.interview
    with pytest.raises(InputError, match="no conversation to resume"):
        desk.resume()
    assert desk.interview is before


def test_answers_are_opened_as_a_new_conversation(desk_of: Desks, tmp_path: Path) -> None:
    file = tmp_path / "answers.yaml"
    file.write_text("task.kind: classify\ndata.examples: 50k\n", encoding="utf-8")
    desk = desk_of()
    say(desk, "task.kind", "regress")
    assert desk.open_answers(file) == []
    assert desk.interview.progress.said() == {"task.kind": "classify", "data.examples": 50_000}
    assert desk.interview.back()


def test_as_long_as_nothing_is_said_the_saved_conversation_stays(desk_of: Desks) -> None:
    say(desk_of(), "task.kind", "classify")
    desk = desk_of()
    assert not desk.interview.back()
    desk.save()
    desk.interview.change("task.kind")
    desk.save()
    assert desk.how_to_go_on() == "Stopped before anything was said."
    assert desk_of().resume() == ["Resumed with 1 answer."]


def test_data_that_were_pointed_at_are_said_and_those_of_the_command_are_not(desk_of: Desks, wine: Path) -> None:
    desk = desk_of()
    desk.use_data(desk.look_into(wine, "kind"))
    assert "What you said is saved" in desk.how_to_go_on()
    again = desk_of()
    assert f"Its data are used again: {wine}." in again.resume()
    assert again.inspection is not None

    named = desk_of()
    named.inputs = replace(named.inputs, inspection=again.inspection)
    assert named.how_to_go_on() == "Stopped before anything was said."


def test_answers_that_were_opened_are_saved_before_anything_else_is_said(desk_of: Desks, tmp_path: Path) -> None:
    file = tmp_path / "answers.yaml"
    file.write_text("task.kind: classify\n", encoding="utf-8")
    desk = desk_of()
    desk.open_answers(file)
    assert "What you said is saved" in desk.how_to_go_on()
    again = desk_of()
    again.resume()
    assert again.interview.progress.said() == {"task.kind": "classify"}


def test_a_state_that_cannot_be_written_is_told_of_once(desk_of: Desks, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be", encoding="utf-8")
    desk = desk_of()
    say(desk, "task.kind", "classify")
    say(desk, "data.modality", "image")
    assert [title for title, _ in desk.notes()] == ["The answers cannot be saved for later"]
    assert desk.notes() == []
    assert desk.how_to_go_on() == "Stopped. What you said could not be saved."


@pytest.mark.parametrize("kind", [DiskKind.SSD, None])
def test_where_data_on_a_known_disk_lie_is_not_asked(
    kind: DiskKind | None, desk_of: Desks, wine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("advisor.machine.detection.disks.disk_behind", lambda *_: Disk(kind))
    desk = desk_of("auto")
    desk.use_data(desk.look_into(wine, "kind"))
    asked = []
    while (question := desk.interview.question()) is not None:
        asked.append(question.fact)
        desk.interview.do_not_know(question.fact)
    assert ("data.location" in asked) == (kind is None)
