"""Standard simulations judge claims on many workers: by made-up results, and with what was kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from advisor.children.errors import CannotRunError
from advisor.distributed.task import Task
from advisor.facts.verdict import Verdict
from advisor.knowledge.cache import knowledge_for
from advisor.machine.state import state_folder
from advisor.session import standards
from advisor.session.standards import remembered, simulated_standards
from advisor.simulation.result import Result
from advisor.simulation.scenario import Scenario
from advisor.simulation.timing import timing
from advisor.survey.standard import STANDARDS, adagrad, asynchronous_viable, mixed_with_slow_units, synchronous_to_forty
from tests.report.strategies_made import result_of


class Simulator:
    """Lets the loss of each strategy fall as fast as is said here; a seed makes it a hundredth faster."""

    def __init__(self, **seconds: float) -> None:
        self.seconds = seconds

    def __call__(self, scenarios: Sequence[Scenario], task: Task | None) -> list[Result]:
        assert task is not None
        return [result_of(str(one.strategy), self._of(one), one.seed, one.workers) for one in scenarios]

    def _of(self, one: Scenario) -> float:
        return self.seconds.get("alone" if one.workers == 1 else one.strategy.name, 5.0)


def test_forty_workers_are_judged_by_the_share_of_computing() -> None:
    def run(scenarios: Sequence[Scenario], task: Task | None) -> list[Result]:
        assert task is None
        return [timing(one) for one in scenarios if one.workers]

    found = synchronous_to_forty(run)
    assert found.verdict is Verdict.OVERTURNED, "even workers compute 85 % of the time with 1,024"
    assert "with 40 even workers" in found.says


@pytest.mark.parametrize(
    ("seconds", "verdict"),
    [
        ({"mixed_asynchronous": 2.0}, Verdict.CONFIRMED),
        ({"mixed_asynchronous": 2.0, "local_sgd": 1.0}, Verdict.OVERTURNED),
        ({"mixed_asynchronous": 9.0}, Verdict.OVERTURNED),
        ({}, Verdict.UNDECIDED),
    ],
)
def test_mixed_training_has_to_be_faster_than_all_others(seconds: dict[str, float], verdict: Verdict) -> None:
    assert mixed_with_slow_units(Simulator(**seconds)).verdict is verdict


@pytest.mark.parametrize(
    ("seconds", "verdict"),
    [
        ({"alone": 20.0}, Verdict.CONFIRMED),
        ({"alone": 1.0}, Verdict.OVERTURNED),
        ({"alone": 20.0, "delay_compensated": 20.0}, Verdict.UNDECIDED),
    ],
)
def test_asynchronous_training_has_to_be_faster_than_one_worker(seconds: dict[str, float], verdict: Verdict) -> None:
    found = asynchronous_viable(Simulator(**seconds))
    assert found.verdict is verdict
    assert found.says.startswith("To the same loss, beside one worker: ")


@pytest.mark.parametrize(
    ("seconds", "verdict"), [(8.0, Verdict.CONFIRMED), (16.0, Verdict.OVERTURNED), (12.0, Verdict.UNDECIDED)]
)
def test_adagrad_is_judged_by_the_loss_at_the_end(seconds: float, verdict: Verdict) -> None:
    def run(scenarios: Sequence[Scenario], task: Task | None) -> list[Result]:
        assert task is not None
        better = scenarios[0].strategy.settings["server"] == "adagrad"
        return [result_of(str(one.strategy), seconds if better else 12.0, one.seed) for one in scenarios]

    assert adagrad(run).verdict is verdict


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path))
    return tmp_path


def no_complaint(title: str, what: str) -> None:
    raise AssertionError(f"{title}: {what}")


def test_what_was_simulated_is_kept_and_not_simulated_again(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def made(scenarios: Sequence[Scenario], task: Task | None = None, **_: object) -> list[Result]:
        asked.append(len(scenarios))
        return [result_of(str(one.strategy), 5.0, one.seed, one.workers) for one in scenarios]

    monkeypatch.setattr(standards, "simulate_all", made)
    counts: list[int] = []
    first = simulated_standards(no_complaint, begin=counts.append)
    assert set(first) == set(STANDARDS)
    assert counts == [len(STANDARDS)]
    asked.clear()
    assert simulated_standards(no_complaint, begin=counts.append) == first == remembered()
    assert (asked, counts) == ([], [len(STANDARDS)])


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"schema": "other"}', '{"schema": "advisor/standard-simulations/1", "version": 1, "found": 3}']
)
def test_what_cannot_be_read_is_simulated_again(state: Path, text: str) -> None:
    (state_folder() / "standard-simulations.json").write_text(text)
    assert remembered() == {}


def test_what_could_not_be_simulated_is_said_and_leaves_its_claim_open(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> list[Result]:
        raise CannotRunError("It was ended.")

    monkeypatch.setattr(standards, "simulate_all", fails)
    told: list[str] = []
    assert simulated_standards(lambda title, what: told.append(what)) == {}
    assert told
    assert all("It was ended." in one for one in told)


def test_the_guide_has_the_number_of_claims_and_every_standard_simulation_judges_one() -> None:
    claims = knowledge_for(()).claims
    assert f"{len(claims)} of their claims" in (Path(__file__).parents[2] / "docs" / "guide.md").read_text()
    assert set(STANDARDS) <= {one.id for one in claims if one.probe == "simulate"}
