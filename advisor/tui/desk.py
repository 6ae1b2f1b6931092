"""The desk that the screens work with: a conversation, the machine, the data, and work of seconds or minutes.

The real one is `session/desk.py`; tests have a stand-in for the long work.
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
    """Do not keep `interview`: it is another one after `begin_anew`. Any method may take long, so none is called in the thread
    of the screen: `save`, `begin_anew`, `resume`, `open_answers` and `use_data` through `Host.think`, the others in a thread of
    their own.
    """

    @property
    def knowledge(self) -> Knowledge: ...

    @property
    def interview(self) -> Interview: ...

    @property
    def machine(self) -> Machine | None:
        """This machine; None where the plan is for another one."""

    @property
    def inspection(self) -> Inspection | None:
        """The dataset whose facts are used."""

    @property
    def saved(self) -> bool:
        """An earlier conversation can be resumed."""

    def how_to_go_on(self) -> str:
        """The last words of the wizard: whether the answers are saved, and the command that resumes the conversation."""

    def notes(self) -> list[tuple[str, str]]:
        """Titles and texts of problems with reading or saving since the last call, each to be shown once."""

    def save(self) -> None:
        """Save the conversation for `--resume`; a failure becomes a note, once."""

    def begin_anew(self) -> None:
        """Start an empty conversation; facts of machine and data stay."""

    def resume(self) -> list[str]:
        """Resume the saved conversation; return remarks on it. Raises InputError."""

    def open_answers(self, path: Path) -> list[str]:
        """Start and save a conversation with the answers of this file; return remarks on it. Raises InputError."""

    def look_into(self, path: Path, target: str | None) -> Inspection:
        """Inspect a dataset without using it yet. Raises InputError."""

    def use_data(self, inspection: Inspection) -> None:
        """Use the facts of this dataset beneath the answers, in place of those of another."""

    def measure(self, seconds: float, only: Sequence[str] | None, listener: MeasuringListener, stop: Stop) -> Revision:
        """Measure this machine for the plan as it stands; outcomes are kept, and the plan counts them from then on."""

    def try_on_data(self, seconds: float, listener: TrialListener, stop: Stop) -> TrialResults:
        """Try the plan on the dataset; outcomes are kept, and the plan counts them from then on.

        Raises InputError where nothing can be tried.
        """

    def evidence(self, plan: Plan) -> Evidence:
        """Measurements, verdicts and detected facts that a report shows beside this plan."""
