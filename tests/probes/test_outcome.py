from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from advisor.facts.verdict import Verdict
from advisor.machine.host import Tree
from advisor.probes.conditions import Conditions, Moment, conditions, spread, throttled, times_of, too_hot
from advisor.probes.outcome import Outcome, SettingRecord

QUIET = Moment(0.0, total=100.0, stolen=0.0, busy=50.0, ours=5.0, governor="performance", megahertz=3000.0)


def outcome(verdict: Verdict, after: int | None) -> Outcome:
    return Outcome(
        "batch",
        "training.batch_size",
        "probe.batch.best",
        before=16,
        verdict=verdict,
        after=after,
        rival=64,
        median=1.5,
        low=1.4,
        high=1.6,
        n=8,
        applies={"network": "ffn 4-[4]-2"},
        settings=(SettingRecord(16, (0.1,), (0.2, 0.3), 10**8), SettingRecord(128, skipped="too large")),
        conditions=Conditions(1.5, "performance", 3000.0, 0.01, 0.2, ("busy",)),
    )


@pytest.mark.parametrize(
    ("verdict", "after", "facts"),
    [
        (Verdict.CONFIRMED, 16, {"probe.batch.best": 16}),
        (Verdict.OVERTURNED, 64, {"probe.batch.best": 64}),
        (Verdict.NO_DIFFERENCE, 16, {}),
        (Verdict.UNDECIDED, None, {}),
    ],
)
def test_only_a_decided_verdict_gives_a_fact(verdict: Verdict, after: int | None, facts: dict[str, int]) -> None:
    assert outcome(verdict, after).facts() == facts


def test_json_gives_the_same_outcome_back() -> None:
    original = outcome(Verdict.OVERTURNED, 64)
    assert Outcome.from_json(json.loads(json.dumps(original.to_json()))) == original


@pytest.mark.parametrize(
    "damage", [{"verdict": "maybe"}, {"settings": 5}, {"conditions": {"warnings": "busy"}}, {"n": "4"}]
)
def test_damaged_json_is_refused(damage: dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        Outcome.from_json(outcome(Verdict.CONFIRMED, 16).to_json() | damage)


def test_spread_is_the_interquartile_range_over_the_median() -> None:
    assert spread([1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx(2 / 3)
    assert spread([1.0, 9.0]) == 0.0


def test_a_quiet_machine_gives_no_warning() -> None:
    found = conditions(QUIET, QUIET, {"2": [1.0] * 8})
    assert found.warnings == ()
    assert (found.governor, found.megahertz) == ("performance", 3000.0)


def test_our_own_work_is_not_that_of_others() -> None:
    later = replace(QUIET, total=200.0, busy=140.0, ours=95.0)
    assert conditions(QUIET, later, {}).others_share == pytest.approx(0.0)


def test_what_makes_a_timing_doubtful_is_told() -> None:
    before = Moment(9.0, total=100.0, stolen=0.0, busy=50.0, ours=5.0, governor="powersave", megahertz=None)
    after = Moment(9.0, total=200.0, stolen=10.0, busy=110.0, ours=25.0, governor="powersave", megahertz=None)
    found = conditions(before, after, {"bf16": [1.0, 1.0, 2.0, 2.0]})
    told = " ".join(found.warnings)
    for words in ("took 40%", "gave 10%", "governor powersave", "samples of bf16 spread by 67%"):
        assert words in told


def test_a_limit_on_processor_time_and_heat_are_told() -> None:
    told = conditions(QUIET, replace(QUIET, throttled=3, too_hot=1), {}).warnings
    assert any("processor time stopped it 3 times" in warning for warning in told)
    assert any("too hot" in warning for warning in told)


class Times(NamedTuple):
    user: float


def test_only_the_processors_that_we_may_use_count() -> None:
    times = [Times(0.0), Times(1.0), Times(3.0)]
    assert times_of(times, (0, 1, 3), frozenset({1, 3})) == times[1:]
    assert times_of(times, None, frozenset({2})) == times[2:]
    assert times_of(times, (0, 1, 3), None) == times
    assert times_of(times, (0, 1), frozenset({0})) == times  # a container that renumbers them
    assert times_of(times, (0, 1, 3), frozenset({9})) == times


V2 = "33 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/job/step\n", "/sys/fs/cgroup"
V1 = "33 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n", "1:cpu:/job/step\n", "/sys/fs/cgroup/cpu"


@pytest.mark.parametrize(("mounts", "groups", "folder"), [V1, V2], ids=["version 1", "version 2"])
def test_stops_by_any_limit_around_this_process_are_counted(
    mounts: str, groups: str, folder: str, tmp_path: Path
) -> None:
    files = {
        "/proc/self/mountinfo": mounts,
        "/proc/self/cgroup": groups,
        f"{folder}/job/cpu.stat": "nr_periods 20\nnr_throttled 4\nthrottled_usec 7\n",
        f"{folder}/job/step/cpu.stat": "nr_periods 20\nnr_throttled 2\n",
        f"{folder}/another/cpu.stat": "nr_throttled 100\n",
    }
    assert throttled(tree_of(tmp_path, files)) == 6
    assert throttled(Tree(tmp_path / "nothing")) == 0


def test_heat_is_counted_of_the_processors_that_we_may_use(tmp_path: Path) -> None:
    folder = "/sys/devices/system/cpu/cpu{}/thermal_throttle/{}_throttle_count"
    files = {folder.format(0, "core"): "5", folder.format(1, "core"): "2", folder.format(1, "package"): "1"}
    assert too_hot(tree_of(tmp_path, files), {1, 2}) == 3


def tree_of(root: Path, files: Mapping[str, str]) -> Tree:
    for path, text in files.items():
        at = root / path.lstrip("/")
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text(text)
    return Tree(root)


def test_this_moment_can_be_taken() -> None:
    now = Moment.now()
    assert 0 < now.ours < now.busy < now.total


def test_what_memory_answered_is_no_fact_of_the_disk() -> None:
    gauged = replace(
        outcome(Verdict.CONFIRMED, 16), fact="", gauges={"probe.storage.sequential_bytes_per_second": 16}, work="byte",
        conditions=Conditions(), applies={"disk": "/data (nvme)"},
    )  # fmt: skip
    assert set(gauged.facts()) == {"probe.storage.sequential_bytes_per_second"}
    assert replace(gauged, applies={"disk": "/ram (answered from memory)"}).facts() == {}
