"""What `advisor probe` says where nothing of a run could be kept, and which command repeats it."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from advisor.agent.agent import Revision
from advisor.cli.app import program
from advisor.cli.commands.experiments import probe
from advisor.facts.verdict import Verdict
from advisor.inference.advise import VALUES_ONLY
from advisor.probes.conditions import Conditions
from advisor.probes.outcome import Outcome
from advisor.session.inputs import Inputs, plan_of
from advisor.session.measuring import Measured

from ..agent.profiles_made import compared

BUSY = compared(verdict=Verdict.UNDECIDED, conditions=Conditions(others_share=0.6))
DECIDED = compared(verdict=Verdict.CONFIRMED)


@pytest.fixture
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "state"))
    file = tmp_path / "my answers.yaml"
    file.write_text("data.modality: image\ntask.kind: classify\n")
    return str(file)


def said_by_run(
    monkeypatch: pytest.MonkeyPatch, answers: str, *arguments: str, outcome: Outcome = BUSY, kept: bool = False
) -> tuple[str, str]:
    """stdout and stderr of `advisor probe` where measuring ends with this outcome."""

    @contextmanager
    def measuring(inputs: Inputs, *_: Any, **__: Any) -> Iterator[Measured]:
        assert inputs.machine is not None
        plan = plan_of(inputs, VALUES_ONLY)
        step = {"machine": inputs.machine.fingerprint, "batch_size": str(plan.value("training.micro_batch"))}
        found = replace(outcome, applies={**outcome.applies, **step})
        yield Measured(Revision(plan, plan, (found,)), inputs, (found,) if kept else ())

    monkeypatch.setattr(probe, "measuring", measuring)
    command = ["probe", "--for", answers, "--only", "threads", "--budget", "2 min", *arguments]
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        program().main(command, standalone_mode=False)
    return " ".join(out.getvalue().split()), " ".join(err.getvalue().split())


def test_a_run_on_a_busy_machine_says_at_its_end_that_nothing_was_saved(
    monkeypatch: pytest.MonkeyPatch, answers: str
) -> None:
    out, err = said_by_run(monkeypatch, answers, "--save", "lab", "--details")
    assert "MACHINE lab" not in out
    assert "THIS MACHINE, as this run found it; nothing of it was saved" in out
    repeated = f"`advisor probe --only threads --answers '{answers}' --save lab --budget 3min`"
    assert err.endswith(
        "Nothing was saved under the name lab Other programs kept the CPU busy. "
        f"Measure again when the machine is idle: {repeated}"
    )


def test_what_was_not_saved_and_what_is_left_are_one_command(monkeypatch: pytest.MonkeyPatch, answers: str) -> None:
    out, err = said_by_run(monkeypatch, answers)
    proposed = re.findall(r"advisor probe [^`#]*--budget \S+min", f"{out} {err}")
    assert len(proposed) == 2
    assert len(set(proposed)) == 1
    out, err = said_by_run(monkeypatch, answers, outcome=DECIDED)
    assert "advisor probe" not in out, "all was decided: the same command is repeated, once"
    assert err.endswith("--budget '2 min'`")


def test_without_a_name_nothing_is_headed_as_the_machine_that_was_measured_last(
    monkeypatch: pytest.MonkeyPatch, answers: str
) -> None:
    out, err = said_by_run(monkeypatch, answers)
    assert "Saved" not in out
    assert "Nothing was saved Other programs" in err


def test_what_could_not_be_written_is_no_fault_of_other_programs(monkeypatch: pytest.MonkeyPatch, answers: str) -> None:
    _, err = said_by_run(monkeypatch, answers, outcome=compared())
    assert "The results could not be written, as told above. Measure again: `advisor probe" in err


def test_a_run_that_was_kept_is_headed_by_its_name(monkeypatch: pytest.MonkeyPatch, answers: str) -> None:
    named = "--save", "lab"
    out, err = said_by_run(monkeypatch, answers, *named, outcome=compared(), kept=True)
    assert "Saved under the name lab: `advisor profiles show lab`." in out
    assert "Nothing was saved" not in err
    details, _ = said_by_run(monkeypatch, answers, *named, "--details", outcome=compared(), kept=True)
    assert "MACHINE lab, measured last on 2026-11-20" in details


def test_what_is_to_be_done_repeats_what_the_run_was_given(monkeypatch: pytest.MonkeyPatch, answers: str) -> None:
    out, _ = said_by_run(monkeypatch, answers, "--set", "data.inputs=64", "--save", "lab")
    given = f"--answers '{answers}' --set data.inputs=64 --save lab"
    assert f" advisor probe --only threads {given} --budget 3min" in out
