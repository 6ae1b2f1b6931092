"""The desk that the command line makes, for tests."""

from __future__ import annotations

from collections.abc import Callable

from advisor.cli.inputs import SchoolName, gather
from advisor.cli.wizard.desk import WizardDesk

Desks = Callable[..., WizardDesk]


def made(machine: str = "none", school: SchoolName | None = None) -> WizardDesk:
    return WizardDesk(gather(machine=machine, school=school or SchoolName.TODAY), "advisor wizard --resume", school)


def say(desk: WizardDesk, name: str, text: str) -> None:
    desk.interview.answer(name, text)
    desk.save()
