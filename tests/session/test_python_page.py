"""The examples of docs/python.md run as they stand."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from advisor.distributed.job import Job, Run
from advisor.distributed.launching.results import Results
from advisor.session import syncing
from tests.report.strategies_made import run_of

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"^## ([^\n]+)$.*?^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    rows = (f"{n % 7},{n % 5},{'xy'[n % 2]}\n" for n in range(200))
    Path("flowers.csv").write_text("a,b,kind\n" + "".join(rows), encoding="utf-8")


def said(capsys: pytest.CaptureFixture[str], *titles: str) -> str:
    """The output of these examples, one after the other."""
    names: dict[str, Any] = {}
    for title in titles:
        source = EXAMPLES[title].replace('"30s"', '"12s"')  # enough for a small table
        exec(compile(source, title, "exec"), names)  # noqa: S102 - our own page
    return capsys.readouterr().out


def test_plans_explanations_reports_and_errors(capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "A plan", "Why, why not, and a report", "Errors")
    assert out.startswith("cnn\nnetwork.type cnn settled\n")
    assert "ffn (feed-forward network): " in out
    assert out.endswith("Did you mean data.modality?\n")
    assert "<html" in Path("plan.html").read_text(encoding="utf-8")


def test_a_network_of_ones_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "A plan", "A network of your own").endswith("\n164298\n")


@pytest.mark.slow
def test_measuring_and_trying(capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "A plan", "Measuring", "Trying on data")
    assert ", at most " in out
    assert "accuracy" in out


def test_strategies_are_simulated(capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "A plan", "Strategies, simulated").splitlines()
    assert out[-2].endswith("% of the time waiting")
    assert out[-1].endswith(" workers, simulated")


def test_strategies_are_trained(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def run(job: Job, *, hear: Callable[[Run], None], **_: object) -> Results:
        runs = tuple(run_of(str(one), seed, 12.0 if one.name == "synchronous" else 4.0) for one, seed in job.runs)
        for one in runs:
            hear(one)
        return Results(runs=runs)

    monkeypatch.setattr(syncing, "run", run)
    out = said(capsys, "A plan", "Strategies, trained here")
    assert "synchronous, seed 0: 1,234 examples/s" in out
    assert "With 2 workers, local_sgd:every=16 came to the same loss 3 times as fast as synchronous" in out


@pytest.mark.thorough
def test_strategies_are_trained_by_real_workers(capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "A plan", "Strategies, trained here")
    assert "synchronous, seed 1: " in out
    assert "With 2 workers, " in out
    assert "seconds to the loss" in out


def test_every_example_is_run() -> None:
    assert set(EXAMPLES) == {
        "A plan",
        "A network of your own",
        "Why, why not, and a report",
        "Measuring",
        "Trying on data",
        "Strategies, simulated",
        "Strategies, trained here",
        "Errors",
    }
