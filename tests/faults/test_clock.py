"""Clocks that are wrong, or are set while something runs: nothing is lost or negative, and nothing waits for the old time."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from advisor.agent.remembered.memory import kept_profiles, newest_of, recall, remember
from advisor.agent.remembered.profile import KEEP
from advisor.agent.trials.outcomes import KEEP as KEEP_TRIALS
from advisor.children import temporary

from ..agent.profiles_made import MACHINE, compared
from ..cli.program import PROGRAM, environment

ROOT = Path(__file__).parents[2]
LONGEST = 300


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


def with_clock(shift: str, **more: str) -> dict[str, str]:
    """The environment of a process whose clock is so far off (`-3d`, `+400d`), though not the one that counts seconds."""
    found = importlib.util.find_spec("libfaketime")
    if sys.platform != "linux" or found is None or found.origin is None:
        pytest.skip("libfaketime, a development dependency for Linux, sets the clock")
    library = Path(found.origin).parent / "vendor/libfaketime/src/libfaketime.so.1"
    env = environment(
        LD_PRELOAD=str(library), FAKETIME=shift, FAKETIME_DONT_FAKE_MONOTONIC="1", FAKETIME_NO_CACHE="1", **more
    )
    shown = subprocess.run(
        [sys.executable, "-c", "import time; print(time.time())"], env=env, capture_output=True, text=True, check=False
    )
    if shown.returncode or abs(float(shown.stdout) - time.time()) < 3600:
        pytest.skip("libfaketime does not work on this machine")
    return env


def run(script: str, shift: str, state: Path) -> str:
    """What a Python process says whose clock is so far off."""
    env = with_clock(shift, ADVISOR_STATE=str(state))
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=LONGEST
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


JOURNAL = "from advisor.agent.remembered.journal import Journal\njournal = Journal.open({'which': 'one'})\n"
WRITTEN = JOURNAL + (
    "from dataclasses import replace\nfrom datetime import UTC, datetime\nfrom tests.agent.profiles_made import compared\n"
    "journal.begin('threads', 1.0)\n"
    "journal.add(replace(compared(), date=datetime.now(UTC).isoformat(timespec='seconds')), 2.0)\n"
    "journal.close(finished=False)\n"
)
FOUND = JOURNAL + "print(len(journal.outcomes), journal.spent)\n"


@pytest.mark.parametrize(
    ("then", "now", "found"),
    [("+400d", "-400d", 1), ("+5h", "+2h", 1), ("+2h", "+5h", 1), ("-3d", "-1d", 0)],
    ids=["set back by years", "set back a little", "three hours later", "two days later, when it is measured again"],
)
@pytest.mark.some(2)
def test_a_stopped_run_is_found_again_whatever_the_clock_says_now(then: str, now: str, found: int, state: Path) -> None:
    run(WRITTEN, then, state)
    assert run(FOUND, now, state) == f"{found} {2.0 * found}"
    run(WRITTEN, now, state)
    assert run(FOUND, now, state) == f"{found + 1} 2.0"


def dated(days: float) -> str:
    """The day that is so many days from today."""
    return (datetime.now(UTC) + timedelta(days=days)).date().isoformat()


def test_what_is_measured_now_is_kept_beside_what_is_dated_ahead() -> None:
    ahead = [compared(date=dated(400 + number)) for number in range(KEEP)]
    remember(MACHINE, ahead)
    now = compared(date=dated(0), rate=200.0)
    remember(MACHINE, [now])
    found, problems = recall(MACHINE)
    assert found[-1] == now
    assert f"it holds {KEEP - 1} of a day that has not come" in str(problems[0])
    assert "Check the clock" in str(problems[0])


def test_the_newest_profile_is_not_one_that_is_dated_ahead() -> None:
    remember(MACHINE, [compared(date=dated(400))], "ahead")
    remember(MACHINE, [compared(date=dated(-1))], "mine")
    newest = newest_of(kept_profiles()[0])
    assert newest is not None
    assert newest.name == "mine"


def test_trials_of_today_are_kept_beside_those_dated_ahead() -> None:
    from advisor.agent.trials.outcomes import _newest

    def tried(date: str) -> object:
        return replace(compared(), date=date, applies={"data": "x"}, bound_by=("data",))

    kept = _newest([*(tried(dated(400 + n)) for n in range(KEEP_TRIALS)), tried(dated(0))])  # type: ignore[misc]
    assert len(kept) == KEEP_TRIALS
    assert kept[-1].date[:10] == dated(0)


@pytest.mark.parametrize("age", [temporary.GRACE_SECONDS + 5, -86400.0])
def test_abandoned_folders_are_removed_whichever_day_they_were_made(
    age: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    abandoned, young = tmp_path / f"{temporary.PREFIX}abcdefgh", tmp_path / f"{temporary.PREFIX}hgfedcba"
    abandoned.mkdir(mode=0o700)
    young.mkdir(mode=0o700)
    made = time.time() - age
    os.utime(abandoned, (made, made))
    with temporary.temporary_folder() as folder:
        assert folder.is_dir()
    assert (abandoned.exists(), young.exists()) == (False, True)


@pytest.mark.parametrize("shift", ["-400d", "+400d"])
@pytest.mark.slow
def test_probing_with_a_wrong_clock_ends_in_time_and_keeps_what_it_measured(
    shift: str, tmp_path: Path, state: Path
) -> None:
    remember(MACHINE, [compared(date=dated(0))], "mine")
    env = with_clock(shift, ADVISOR_STATE=str(state))
    words = ["probe", "--only", "matmul", "--budget", "10s", "--output", str(tmp_path / "out.md")]
    done = subprocess.run([*PROGRAM, *words], env=env, capture_output=True, text=True, check=False, timeout=LONGEST)
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    assert "-" not in done.stdout.split("seconds")[0].split()[-1:]
    assert any(profile.name == "mine" for profile in kept_profiles()[0])


@pytest.mark.slow
def test_a_clock_that_is_set_while_a_probe_runs_disturbs_nothing(tmp_path: Path, state: Path) -> None:
    clock = tmp_path / "clock"
    clock.write_text("+0d")
    env = with_clock("-2d", ADVISOR_STATE=str(state))
    del env["FAKETIME"]
    env["FAKETIME_TIMESTAMP_FILE"] = str(clock)
    words = ["probe", "--only", "matmul", "--budget", "10s"]
    process = subprocess.Popen([*PROGRAM, *words], env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for shift in ("-5d", "+5d", "-300d", "+0d"):
        time.sleep(1.5)
        clock.write_text(shift)
    out, err = process.communicate(timeout=LONGEST)
    assert process.returncode in (0, 1), err
    assert "Traceback" not in err
    assert "-" not in {word[:1] for word in out.split() if word[1:2].isdigit()}
