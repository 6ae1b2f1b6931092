"""What the wizard works with: a conversation, the machine, the data, and what takes seconds or minutes.

The command line makes the real one (`cli/wizard/desk.py`); tests put a stand-in here for what takes long.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from advisor.agent.agent import Revision
    from advisor.agent.events import MeasuringListener
    from advisor.agent.trials.events import TrialListener
    from advisor.children.stopping import Stop
    from advisor.datasets.dataset import Inspection
    from advisor.inference.plan import Plan
    from advisor.interview.interview import Interview
    from advisor.knowledge.model import Knowledge
    from advisor.machine.detection.detection import Machine
    from advisor.report.evidence import Evidence
    from advisor.training.ladder.outcome import TrialResults


class Desk(Protocol):
    """`interview` is another one after `begin_anew`, so nobody keeps it. All methods may take long: none is called in the
    thread of the screen. `save`, `begin_anew`, `resume`, `open_answers` and `use_data` are called through `Wizard.think`, the
    others in a thread of their own.
    """

    @property
    def knowledge(self) -> Knowledge: ...

    @property
    def interview(self) -> Interview: ...

    @property
    def machine(self) -> Machine | None:
        """This machine; None where the plan is for another one, of which only facts are known."""

    @property
    def inspection(self) -> Inspection | None:
        """Of the data whose facts are used."""

    @property
    def saved(self) -> bool:
        """Whether there is an earlier conversation to go on with."""

    def how_to_go_on(self) -> str:
        """What to say after the wizard: whether what was said is saved, and the command that goes on from there."""

    def notes(self) -> list[tuple[str, str]]:
        """What could not be read, kept or saved since this was last asked: titles and what to say, each to be shown once."""

    def save(self) -> None:
        """Keeps the conversation for `--resume`; what goes wrong becomes a note, once."""

    def begin_anew(self) -> None:
        """A conversation in which nothing was said yet; what is known of machine and data stays."""

    def resume(self) -> list[str]:
        """Goes on with the saved conversation; returns what is worth saying of it. Raises InputError."""

    def open_answers(self, path: Path) -> list[str]:
        """A new conversation in which the answers of this file were given, saved like any other. Raises InputError."""

    def look_into(self, path: Path, target: str | None) -> Inspection:
        """What the data are; nothing is done with it. Raises InputError."""

    def use_data(self, inspection: Inspection) -> None:
        """The facts of these data go beneath the answers, and those of others go away."""

    def measure(self, seconds: float, only: Sequence[str] | None, listener: MeasuringListener, stop: Stop) -> Revision:
        """Measures this machine for the plan as it stands; outcomes are kept, and the plan counts them from then on."""

    def try_on_data(self, seconds: float, listener: TrialListener, stop: Stop) -> TrialResults:
        """Tries the plan on the data that were inspected; outcomes are kept, and the plan counts them from then on.

        Raises InputError where nothing can be tried.
        """

    def evidence(self, plan: Plan) -> Evidence:
        """What was measured, judged and detected for this plan of the conversation: what a report shows beside it."""
