"""The desk that the command line makes: conversations are kept, and data, measurements and trials count from then on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from advisor.agent import agent
from advisor.agent.agent import Revision
from advisor.cli.inputs import SchoolName, gather
from advisor.cli.wizard_desk import WizardDesk
from advisor.errors import InputError
from advisor.facts.fact_base import Source
from advisor.interview import saved
from advisor.knowledge.model import School
from advisor.probes.stopping import Stop


@pytest.fixture
def desk_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., WizardDesk]:
    """Makes desks that remember things under tmp_path only."""
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "state"))

    def make(machine: str = "none", school: SchoolName | None = None) -> WizardDesk:
        return WizardDesk(gather(machine=machine, school=school or SchoolName.TODAY), "advisor wizard --resume", school)

    return make


Desks = Callable[..., WizardDesk]


def say(desk: WizardDesk, name: str, text: str) -> None:
    desk.interview.answer(name, text)
    desk.save()


def test_what_was_said_is_gone_on_with_at_another_desk(desk_of: Desks) -> None:
    desk = desk_of()
    assert not desk.saved
    say(desk, "task.kind", "classify")
    again = desk_of()
    assert again.saved
    assert again.resume() == ["Resumed with 1 answer."]
    assert again.interview.progress.said() == {"task.kind": "classify"}


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
    desk = desk_of(school=SchoolName.SURVEY)
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


def test_a_state_that_cannot_be_written_is_told_of_once(desk_of: Desks, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be", encoding="utf-8")
    desk = desk_of()
    say(desk, "task.kind", "classify")
    say(desk, "data.modality", "image")
    assert [title for title, _ in desk.notes()] == ["The answers cannot be saved for later"]
    assert desk.notes() == []
    assert desk.how_to_go_on() == "Stopped. What you said could not be saved."


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
        desk_of().measure(5.0, None, lambda what, about: None, Stop())


def test_without_any_answer_a_reference_is_measured(desk_of: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def settle(knowledge: Any, facts: Any, *_: Any, **named: Any) -> Revision:
        asked["kind"] = facts.known("task.kind")
        asked["own rules"] = knowledge is not desk.knowledge
        return Revision(desk.interview.plan(), desk.interview.plan())

    monkeypatch.setattr(agent, "settle", settle)
    desk = desk_of("auto")
    desk.measure(5.0, None, lambda what, about: None, Stop())
    assert asked["kind"] is not None
    assert asked["own rules"]
    say(desk, "task.kind", "generate")
    desk.measure(5.0, None, lambda what, about: None, Stop())
    assert asked["kind"].value == "generate"
