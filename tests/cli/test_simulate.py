"""`advisor simulate`: the shape that others rely on, formulas and exact limits by the command line, and whatever it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from advisor.cli.app import program
from advisor.cli.commands.experiments.simulate import simulate
from advisor.cli.commands.options import Simulate
from advisor.cli.helping import EXAMPLES
from advisor.cli.options import PageFormat
from advisor.distributed.task import Task
from advisor.errors import InputError
from advisor.session import simulating
from advisor.simulation.result import Result
from advisor.simulation.scenario import Scenario
from advisor.simulation.timing import timing
from tests.cli.program import advisor, refused
from tests.report.html.made import read

NOWHERE = ("--machine", "none")
KEYS = {"schema", "strategy", "workers", "examples_per_s", "staleness", "waiting_share", "bytes", "loss"}
"""Those that other programs rely on."""


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulations in this process, which has loaded torch already."""

    def found(scenario: Scenario, task: Task | None, **_: object) -> Result:
        if task is None:
            return timing(scenario)
        from advisor.simulation.learning import learned  # torch

        return learned(scenario, task)

    monkeypatch.setattr(simulating, "simulate", found)


@pytest.fixture
def simulated(here: None, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs the command with these options; gives its document."""

    def run(**options: Any) -> dict[str, Any]:
        usual: dict[str, Any] = {"machine": "none", "format_": PageFormat.JSON, "step_time": "constant:1s", "batch": 8}
        simulate(Simulate(**(usual | options)))
        document: dict[str, Any] = json.loads(capsys.readouterr().out)
        return document

    return run


# As people run it


@pytest.mark.slow
def test_a_line_of_the_help_learns_in_a_process_of_its_own() -> None:
    words = EXAMPLES["simulate"][1].split()[1:]
    done = advisor(*words, *NOWHERE, "--steps", "40", "--format", "json")
    assert (done.code, done.err) == (0, "")
    document = json.loads(done.out)
    assert document.keys() >= KEYS
    assert (document["schema"], document["strategy"], document["workers"]) == (
        "advisor/simulation/1",
        "local_sgd:every=16",
        8,
    )
    assert document["loss"][0][0] == 0.0
    assert document["loss"][-1][1] < document["loss"][0][1]
    assert document["examples"] == 8 * 40 * document["batch"]
    assert (document["staleness"]["p95"], document["staleness"]["most"]) == (0.0, 0), "who averages is never late"


def test_every_option_of_the_contract_is_taken_and_the_same_seed_gives_the_same() -> None:
    words = [
        "simulate", "--strategy", "downpour:every=3", "--workers", "5", "--steps", "30", "--batch", "16", "--step-time",
        "lognormal:1s:0.3", "--link", "1MB/s", "--latency", "2ms", "--straggler", "2", "--overlap", "0.5", "--failures", "10min",
        "--restart", "5s", "--checkpoint", "1min", "--checkpoint-cost", "1s", "--timing-only", *NOWHERE, "--format", "json",
    ]  # fmt: skip
    first, again, other = (advisor(*words, "--seed", seed) for seed in ("7", "7", "8"))
    assert first.code == 0, first.err
    assert first == again
    assert first.out != other.out
    document = json.loads(first.out)
    assert document.keys() >= KEYS
    assert document["loss"] == []
    assert document["staleness"]["p95"] >= document["staleness"]["median"] > 0
    assert document["scenario"] == {
        "step_time": "lognormal:1s:0.3", "mean_step_seconds": pytest.approx(1.046, abs=1e-3), "link_bytes_per_second": 1e6,
        "latency": 0.002, "message_bytes": 220_200, "straggler": 2.0, "overlap": 0.5, "seed": 7,
    }  # fmt: skip


def test_the_page_and_html_go_where_they_are_sent(tmp_path: Path) -> None:
    page = tmp_path / "simulated.html"
    words = ["simulate", "--strategy", "asynchronous", "--workers", "3", "--steps", "20", "--timing-only", *NOWHERE]
    text, html = advisor(*words), advisor(*words, "--output", page)
    assert text.code == html.code == 0
    assert html.out == ""
    assert "SIMULATED  asynchronous: 3 workers, 20 steps each on average" in text.out
    assert "WHO WAITS FOR WHOM" in text.out
    assert "Nothing is known of the time of a step: 1 s is assumed." in " ".join(text.out.split())
    told = [element.text for element in read(page.read_text()) if element.tag == "h2"]
    assert told == ["What the simulator shows", "Who waits for whom, and what it costs", "What it rests on"]
    assert "the file exists" in refused(*words, "--output", page)


# Formulas


@pytest.mark.parametrize("workers", [2, 8])
def test_exponential_steps_wait_for_the_slowest_as_harmonic_numbers_say(simulated: Any, workers: int) -> None:
    found = simulated(
        strategy="synchronous", workers=workers, steps=4_000, step_time="exponential:1s", link="inf", loss=False
    )
    harmonic = sum(1 / n for n in range(1, workers + 1))
    assert found["seconds"] / 4_000 == pytest.approx(harmonic, rel=0.05)
    assert found["waiting_share"] == pytest.approx(1 - 1 / harmonic, abs=0.02)
    assert found["examples_per_s"] == pytest.approx(workers * 8 / harmonic, rel=0.05)


def test_an_exchange_takes_what_a_ring_takes(simulated: Any) -> None:
    found = simulated(strategy="synchronous", workers=4, steps=10, link="1MB/s", latency="10ms", loss=False)
    exchange = 2 * 3 * 0.01 + 2 * 3 / 4 * 220_200 / 1e6
    assert found["seconds"] / 10 == pytest.approx(1 + exchange)
    assert found["bytes"] == 10 * 2 * 3 * 220_200


def test_a_straggler_is_waited_for_in_step_and_not_at_a_server(simulated: Any) -> None:
    together = simulated(strategy="synchronous", workers=4, steps=20, straggler=3.0, loss=False)
    alone = simulated(strategy="asynchronous", workers=4, steps=20, straggler=3.0, loss=False)
    assert together["seconds"] == 60.0
    assert together["waiting_share"] == pytest.approx(0.5)
    assert alone["examples_per_s"] == pytest.approx(8 * (3 + 1 / 3), rel=0.1)


# Exact limits


def losses(found: dict[str, Any]) -> list[float]:
    return [value for _, value in found["loss"]]


def test_asynchronous_without_delay_is_one_synchronous_worker(simulated: Any) -> None:
    many = simulated(strategy="asynchronous", workers=4, steps=5, step_time="constant:0s")
    one = simulated(strategy="synchronous", workers=1, steps=20, step_time="constant:0s")
    assert many["staleness"]["most"] == 0
    assert losses(many) == pytest.approx(losses(one), rel=1e-9)
    assert losses(one)[-1] < losses(one)[0]


def test_delay_compensation_by_nothing_is_asynchronous_bit_for_bit(simulated: Any) -> None:
    asked = {"workers": 4, "steps": 10, "step_time": "exponential:1s", "link": "10MB/s", "loss": True}
    plain = simulated(strategy="asynchronous", **asked)
    compensated = simulated(strategy="delay_compensated:lambda=0", **asked)
    assert plain["staleness"]["most"] > 0
    assert plain["loss"] == compensated["loss"]
    assert plain["loss"] != simulated(strategy="delay_compensated", **asked)["loss"]


def test_no_step_ahead_is_synchronous(simulated: Any) -> None:
    asked = {"workers": 4, "steps": 10, "step_time": "exponential:1s", "loss": True}
    bound, step = simulated(strategy="stale_synchronous:bound=0", **asked), simulated(strategy="synchronous", **asked)
    assert losses(bound)[-1] == pytest.approx(losses(step)[-1], rel=1e-9)
    assert bound["seconds"] == pytest.approx(step["seconds"])


def test_averaging_weights_after_each_step_is_synchronous(simulated: Any) -> None:
    asked = {"workers": 4, "steps": 10, "step_time": "exponential:1s", "loss": True}
    local, step = simulated(strategy="local_sgd:every=1", **asked), simulated(strategy="synchronous", **asked)
    assert [at for at, _ in local["loss"]] == pytest.approx([at for at, _ in step["loss"]])
    assert losses(local) == pytest.approx(losses(step), rel=1e-9)


# What it refuses

WRONG = {
    "workers 0": (["--workers", "0"], "workers: 0 is not from 1 to 10,000"),
    "too many workers": (["--workers", "20000"], "workers: 20,000 is not from 1 to 10,000"),
    "steps 0": (["--steps", "0"], "steps: 0 is not from 1"),
    "too many steps": (["--steps", "99999999"], "are more than 20,000,000"),
    "batch 0": (["--batch", "0"], "batch: 0 is not from 1"),
    "a strategy that there is none of": (["--strategy", "synchronos"], "Did you mean synchronous?"),
    "a setting that it has not": (["--strategy", "local_sgd:evry=2"], "Did you mean every?"),
    "a setting without sense": (["--strategy", "local_sgd:every=0"], "every: 0 is no whole number that it can have"),
    "more groups than workers": (["--strategy", "mixed:groups=9"], "9 groups need as many workers"),
    "a unit that is none": (["--link", "10Gbits/z"], "--link: the unit 'Gbits/z' is not one of bytes/s"),
    "a link that carries nothing": (["--link", "0"], "--link: '0'"),
    "a link that is no number": (["--link", "nan"], "--link: 'nan'"),
    "a law that is none": (["--step-time", "constatn:1s"], "'constatn:1s' names no distribution"),
    "a law without its spread": (["--step-time", "lognormal:1s"], "lognormal has a time and a spread"),
    "negative time": (["--step-time", "constant:-1s"], "--step-time: '-1s'"),
    "a step that nobody measured": (["--step-time", "measured"], "Measure it with `advisor probe --only threads`"),
    "negative latency": (["--latency", "-1s"], "--latency: '-1s'"),
    "a straggler that is faster": (["--straggler", "0.5"], "straggler: 0.5 is no number from 1"),
    "a straggler that is no number": (["--straggler", "nan"], "straggler: nan is no number from 1"),
    "more than the whole step": (["--overlap", "2"], "overlap: 2.0 is no number from 0 to 1"),
    "failures all the time": (["--failures", "0s"], "Write more than 0 s."),
    "a checkpoint at no time": (["--checkpoint", "soon"], "--checkpoint: 'soon'"),
    "no time": (["--budget", "0.1s"], "--budget: '0.1s'"),
    "no budget": (["--budget", "soon"], "--budget: 'soon'"),
    "an output in no folder": (["--output", "/nowhere/page.html"], "there is no such folder"),
}
OFTEN = ("workers 0", "a strategy that there is none of")


def with_usual(words: list[str]) -> list[str]:
    usual = {"--strategy": "synchronous", "--workers": "4", "--steps": "5", "--machine": "none"}
    given = dict(zip(words[::2], words[1::2], strict=True))
    return ["simulate", "--timing-only", *(one for pair in (usual | given).items() for one in pair)]


@pytest.mark.parametrize("what", WRONG)
def test_bad_input_is_a_sentence_with_its_place(what: str, here: None) -> None:
    words, said = WRONG[what]
    with pytest.raises(InputError) as error:
        program().main(args=with_usual(words), standalone_mode=False)
    assert said in str(error.value)
    assert all(problem.where for problem in error.value.problems)


@pytest.mark.parametrize("what", OFTEN)
def test_bad_input_ends_with_2(what: str) -> None:
    words, said = WRONG[what]
    assert said in refused(*with_usual(words))


def test_what_takes_too_long_ends_with_1_and_says_what_to_take_less_of() -> None:
    words = ["--strategy", "asynchronous", "--workers", "10000", "--steps", "2000", "--step-time", "exponential:1s"]
    done = advisor("simulate", *words, "--timing-only", "--budget", "1s", *NOWHERE)
    assert (done.code, done.out) == (1, "")
    assert "seconds: take fewer workers or steps." in done.said
    assert "Traceback" not in done.err
