"""The desk of the application, for tests."""

from __future__ import annotations

from collections.abc import Callable

from advisor.knowledge.model import School
from advisor.session.desk import Desk
from advisor.session.inputs import gather

Desks = Callable[..., Desk]


def made(machine: str = "none", school: School | None = None) -> Desk:
    notes: list[tuple[str, str]] = []
    inputs = gather(
        machine=machine, school=school or School.TODAY, complain=lambda title, what: notes.append((title, what))
    )
    return Desk(inputs, "advisor wizard --resume", school, notes)


def say(desk: Desk, name: str, text: str) -> None:
    desk.interview.answer(name, text)
    desk.save()
