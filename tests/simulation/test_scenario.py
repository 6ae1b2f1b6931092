"""What somebody writes about a cluster: times, rates and the rest, and what is refused."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from typing import Any

import pytest

from advisor.distributed.strategies import strategy
from advisor.errors import InputError
from advisor.plain import decode, encode
from advisor.simulation.scenario import Faults, Law, Link, Scenario, StepTime, link, measured, seconds, step_time


@pytest.mark.parametrize(
    ("text", "value"),
    [("1s", 1), ("200 ms", 0.2), ("1.5ms", 0.0015), ("30 us", 3e-5), ("2 min", 120), ("0.5", 0.5), ("1h", 3600), ("0 s", 0),
     ("1e-3 s", 0.001), ("2 seconds", 2), ("1,000 ms", 1)],
)  # fmt: skip
def test_times_are_read_with_their_units(text: str, value: float) -> None:
    assert seconds(text) == value


@pytest.mark.parametrize("text", ["", "fast", "1 parsec", "-1s", "nan", "inf", "1 s s", "ms", "1.2.3s", "1e30 s"])
def test_what_is_no_time_is_refused_by_its_name(text: str) -> None:
    with pytest.raises(InputError) as refused:
        seconds(text, "latency")
    assert "latency" in str(refused.value)
    assert text in str(refused.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("constant:1s", StepTime(Law.CONSTANT, 1.0)),
        ("1s", StepTime(Law.CONSTANT, 1.0)),
        ("exponential: 200 ms", StepTime(Law.EXPONENTIAL, 0.2)),
        ("lognormal:1s:0.3", StepTime(Law.LOGNORMAL, 1.0, 0.3)),
        ("gamma:2s:0.2", StepTime(Law.GAMMA, 2.0, 0.2)),
        ("constant:0s", StepTime(Law.CONSTANT, 0.0)),
    ],
)
def test_step_times_are_read_and_written_alike(text: str, expected: StepTime) -> None:
    assert step_time(text) == expected
    assert step_time(str(expected)) == expected


@pytest.mark.parametrize(
    "text",
    ["1 parsec", "normal:1s", "exponential", "lognormal:1s", "gamma:1s:x", "gamma:1s:-1", "constant:nan", "samples:1s"],
)
def test_what_is_no_step_time_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InputError, match="For example"):
        step_time(text)


def test_means_of_step_times() -> None:
    assert step_time("lognormal:2s:0.5").mean == pytest.approx(2 * math.exp(0.125))
    assert measured([[1, 3], [4]]).mean == 3


def test_links() -> None:
    assert link("100Mbit/s", "1 ms") == Link(12.5e6, 0.001)
    assert link("1 GB/s") == Link(1e9)
    assert link("inf") == Link(math.inf) == Link()
    assert Link().seconds(1e12) == 0
    assert link("8 bit/s").seconds(3) == 3


@pytest.mark.parametrize("text", ["fast", "0 B/s", "-1 GB/s", "nan"])
def test_what_is_no_rate_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="link"):
        link(text)


def scenario(name: str = "synchronous", **changed: Any) -> Scenario:
    return Scenario(strategy(name), **{"workers": 4, "steps": 10, **changed})


def test_a_scenario_survives_json() -> None:
    given = scenario(
        "diloco:every=3", step_time=measured([[0.1, 0.2], [0.3]]), link=link("1 GB/s", "1ms"), cores=(0, 0, 1, 1),
        faults=Faults(pauses_per_second=0.1, pause=2.0), message_bytes=10, group_link=Link(), shapes=((3, 4),),
    )  # fmt: skip
    assert decode(Scenario, json.loads(json.dumps(encode(given), allow_nan=False))) == given


@pytest.mark.parametrize(
    ("name", "changed", "where"),
    [
        ("synchronous", {"workers": 0}, "workers"),
        ("synchronous", {"workers": 10_001}, "workers"),
        ("synchronous", {"steps": 10**8}, "steps"),
        ("synchronous", {"workers": 10_000, "steps": 10_000}, "steps"),
        ("synchronous", {"batch": 0}, "batch"),
        ("synchronous", {"straggler": 0.5}, "straggler"),
        ("synchronous", {"straggler": math.nan}, "straggler"),
        ("synchronous", {"overlap": 1.5}, "overlap"),
        ("synchronous", {"message_bytes": -1}, "message_bytes"),
        ("synchronous", {"message_bytes": 10**15, "steps": 10**6}, "message_bytes"),
        ("synchronous", {"seed": -1}, "seed"),
        ("synchronous", {"cores": (0, 1)}, "cores"),
        ("asynchronous", {"apply_seconds": math.inf}, "apply_seconds"),
        ("mixed:groups=5", {}, "groups"),
        ("backup_workers:backups=4", {}, "backups"),
        ("pipeline:stages=3", {}, "stages"),
        ("powersgd", {"shapes": ((1, 2, 3),)}, "shapes"),
        ("synchronous", {"cores": (0, 0, 1, 1), "faults": Faults(between_failures=5.0)}, "cores"),
    ],
)
def test_what_nobody_can_have_is_refused(name: str, changed: dict[str, Any], where: str) -> None:
    with pytest.raises(InputError, match=where):
        scenario(name, **changed)


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(InputError) as refused:
        scenario(workers=0, batch=0, straggler=0.1, overlap=-1)
    assert len(refused.value.problems) == 4


@pytest.mark.parametrize(
    "wrong", [{"between_failures": 0.0}, {"restart": -1.0}, {"pause": math.nan}, {"pauses_per_second": math.inf},
              {"checkpoint_every": 0.0}]
)  # fmt: skip
def test_faults_that_nobody_has_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        Faults(**wrong)


def test_links_and_samples_that_nobody_has_are_refused() -> None:
    for rate in (0.0, -1.0, math.nan):
        with pytest.raises(InputError, match="link"):
            Link(rate)
    wrong: list[list[list[float]]] = [[], [[]], [[1.0], []], [[-1.0]], [[math.nan]]]
    for samples in wrong:
        with pytest.raises(InputError, match="step time"):
            measured(samples)


def test_reading_a_scenario_imports_neither_numpy_nor_torch() -> None:
    code = "import advisor.simulation.running, sys; sys.exit(any(one in sys.modules for one in ('numpy', 'torch')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
