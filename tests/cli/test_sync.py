"""`advisor sync` as people run it: two real workers once, and the rest with trainings that were made up."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import psutil
import pytest
import typer
from rich.console import Console

from advisor.children.errors import CannotRunError
from advisor.children.stopping import STOPPED, Stop
from advisor.cli.app import program
from advisor.cli.commands.experiments import sync as command
from advisor.cli.commands.experiments.sync import KEPT_NOTHING, sync
from advisor.cli.commands.options import Sync
from advisor.cli.console import FAILED, INTERRUPTED
from advisor.cli.helping import EXAMPLES
from advisor.cli.options import PageFormat
from advisor.cli.syncing_progress import SyncingProgress
from advisor.distributed.job import Began, Calibrated, Job, Message, Progress, Ready, Timed, Undone
from advisor.distributed.launching.results import Results
from advisor.distributed.task import Task
from advisor.errors import InputError
from advisor.session.syncing import Trained
from tests.cli.program import PROGRAM, environment, refused
from tests.cli.test_probing import alive, wait_until
from tests.report.html.made import read
from tests.report.strategies_made import comparison_of, runs_of
from tests.traps import sprung, trapped

NAMES = ("synchronous", "local_sgd")
JOB = Job(Task("ffn", "tabular", 4, 2), NAMES, seeds=(0, 1, 2))
RUNS = tuple(runs_of(NAMES, JOB.seeds))
WHOLE = Trained(JOB, Results(runs=RUNS), comparison_of(RUNS), ("Workers exchange over the loopback interface.",))
HEARD: tuple[Message, ...] = (
    Ready("2.13.0", 55_050, "Examples are made up.", 62),
    Calibrated(
        ((0.01,),) * 2, ((0.01,),) * 2, Timed((1,), (0.002,), 0.002, 0.0), Timed((1,), (0.001,), 0.001, 0.0), 0.001
    ),
    Began("synchronous", 0, 1, 4),
    Progress("synchronous", 0, 3.0, 1_920, 30, 1.234),
    RUNS[0],
    Undone("local_sgd", 0, "The loss is no number any more."),
    Began("local_sgd", 1, 3, 4),
    Progress("local_sgd", 1, 3.0, 1_920, 30, 0.987),
)


# Two real workers


@pytest.mark.slow
def test_two_workers_train_under_two_strategies_among_traps_and_the_answer_is_json(tmp_path: Path) -> None:
    folder = trapped(tmp_path / "download")
    words = EXAMPLES["sync"][0].replace("--budget 40s", "--budget 60s --seeds 2 --format json").split()
    done = subprocess.run(
        [Path(sys.executable).with_name(words[0]), *words[1:]], cwd=folder, env=environment(ADVISOR_STATE=str(tmp_path)),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert sprung(folder) == []
    document = json.loads(done.stdout)
    assert document["schema"] == "advisor/sync/1"
    assert {one["strategy"] for one in document["strategies"]} == {"synchronous", "local_sgd"}
    names = [f"{run['strategy']}, seed {run['seed']}" for run in document["runs"]]
    order = [f"{strategy}, seed {seed}" for seed in (0, 1) for strategy in ("synchronous", "local_sgd", "alone")]
    assert names == order[: len(names)], "busy cores leave no time for the last ones"
    assert len(names) >= 2
    for run in document["runs"]:
        assert run["curve"][-1]["loss"] < run["curve"][0]["loss"]
        assert run["staleness"]["p95"] == 0.0
    lines = done.stderr.splitlines()
    assert "An exchange without any bytes takes" in done.stderr
    assert [line.partition(":")[0] for line in lines if ", seed " in line] == names
    assert "\x1b" not in done.stderr


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signals")
def test_ctrl_c_ends_every_worker(tmp_path: Path) -> None:
    run = subprocess.Popen(
        [*PROGRAM, "sync", "--strategies", "synchronous,downpour", "--budget", "60s"],
        env=environment(ADVISOR_STATE=str(tmp_path)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert run.stderr is not None
    heard: list[str] = []
    while not heard or "An exchange without" not in heard[-1]:
        heard.append(run.stderr.readline())
        assert heard[-1], heard
    children = psutil.Process(run.pid).children(recursive=True)
    assert len(children) >= 3, "two workers and a server"
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert (run.returncode, out) == (130, "")
    assert KEPT_NOTHING in " ".join(err.split())
    assert wait_until(lambda: not list(alive(children)), 10.0)


# Trainings that were made up


@pytest.fixture
def train(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., list[Any]]:
    """Has the command come to this end; gives a list of what is asked of it."""
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "state"))
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # these tests stay open to Ctrl-C

    def ending(
        done: Trained | Exception, *, stopped: bool = False, meanwhile: Callable[[], object] = list
    ) -> list[Any]:
        asked: list[Any] = []

        def trained(_: object, wanted: object, seconds: float, *, hear: Any, stop: Stop, **__: object) -> Trained:
            asked.append((wanted, seconds))
            for message in HEARD:
                hear(message)
            meanwhile()
            if stopped:
                stop.everything()
            if isinstance(done, Exception):
                raise done
            return done

        monkeypatch.setattr(command, "trained", trained)
        return asked

    return ending


def test_what_is_asked_for_reaches_the_workers_and_the_page_tells_of_them(
    train: Callable[..., list[Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = train(WHOLE)
    sync(Sync(strategies="synchronous,local_sgd", workers=3, link="100Mbit/s", straggler=2.0, seeds=2, budget="2min"))
    ((wanted, seconds),) = asked
    assert (wanted.workers, wanted.link, wanted.straggler, wanted.seeds) == (3, "100Mbit/s", 2.0, 2)
    assert 100 < seconds <= 120
    told = capsys.readouterr()
    assert told.out.startswith("TRAINED  With 2 workers, local_sgd came to the same loss 3 times as fast as")
    assert "Workers exchange over the loopback interface." in told.out
    assert told.err.splitlines() == [
        "Examples are made up. The network has 55,050 weights.",
        "An exchange without any bytes takes 2 ms.",
        "synchronous, seed 0: 1,234 examples/s, loss 0.2141, accuracy 0.912",
        "local_sgd, seed 0: The loss is no number any more.",
    ]


def test_json_and_html_go_where_they_are_sent(
    train: Callable[..., list[Any]], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked = train(WHOLE)
    page = tmp_path / "trained.html"
    sync(Sync(format_=PageFormat.HTML, output=page))
    assert capsys.readouterr().out == ""
    told = [element.text for element in read(page.read_text()) if element.tag == "h2"]
    assert told == ["What the workers have shown", "Loss against time, and who waited for whom", "What it rests on"]
    sync(Sync(format_=PageFormat.JSON))
    assert json.loads(capsys.readouterr().out)["best"] == "local_sgd"
    with pytest.raises(InputError, match="the file exists"):
        sync(Sync(output=page))
    assert len(asked) == 2, "what could not be written is said before anything is trained"


def test_what_took_long_is_shown_where_it_cannot_be_written_any_more(
    train: Callable[..., list[Any]], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "soon gone"
    folder.mkdir()
    train(WHOLE, meanwhile=folder.rmdir)
    with pytest.raises(InputError, match="cannot be written"):
        sync(Sync(output=folder / "page.json", format_=PageFormat.JSON))
    assert capsys.readouterr().out.startswith("TRAINED  With 2 workers")


@pytest.mark.parametrize(
    ("done", "said"),
    [(WHOLE, "What was finished is shown."), (replace(WHOLE, comparison=None), KEPT_NOTHING)],
)
def test_whoever_stops_it_gets_what_was_finished(
    train: Callable[..., list[Any]], capsys: pytest.CaptureFixture[str], done: Trained, said: str
) -> None:
    train(replace(done, results=replace(done.results, failed=STOPPED)), stopped=True)
    with pytest.raises(SystemExit) as ending:
        sync(Sync())
    assert ending.value.code == INTERRUPTED
    told = capsys.readouterr()
    assert told.out.startswith("TRAINED" if done.comparison is not None else "")
    assert said in " ".join(told.err.split())


@pytest.mark.parametrize(
    ("done", "said", "shown"),
    [
        (replace(WHOLE, results=replace(WHOLE.results, failed="Worker 2 was ended by SIGKILL.")), "ended by SIGKILL", True),
        (replace(WHOLE, comparison=None), "6 of 6 trainings were finished: too few to compare", False),
        (CannotRunError("No process could be started: no memory"), "No process could be started", False),
    ],
)  # fmt: skip
def test_what_goes_wrong_ends_with_1_a_sentence_and_what_is_known(
    train: Callable[..., list[Any]],
    capsys: pytest.CaptureFixture[str],
    done: Trained | Exception,
    said: str,
    shown: bool,
) -> None:
    train(done)
    with pytest.raises(typer.Exit) as ending:
        sync(Sync())
    assert ending.value.exit_code == FAILED
    told = capsys.readouterr()
    assert said in " ".join(told.err.split())
    assert bool(told.out) is shown


# On a terminal


def test_finished_trainings_stay_when_the_live_table_goes(capsys: pytest.CaptureFixture[str]) -> None:
    progress = SyncingProgress(60.0)
    progress.display = progress.live_display()
    progress(runs_of(["local_sgd"], [3])[0])
    progress.tell_runs()
    assert "local_sgd, seed 3: " in capsys.readouterr().err


def test_the_live_table_fits_80_columns_and_tells_what_is_trained_now() -> None:
    progress = SyncingProgress(60.0)
    for message in HEARD:
        if not isinstance(message, Ready | Calibrated | Undone):
            progress(message)
    screen = Console(file=StringIO(), width=80)
    with screen.capture() as shown:
        screen.print(progress._table())
    lines = shown.get().splitlines()
    assert max(map(len, lines)) <= 80
    assert any("synchronous" in line and "1,234" in line and "accuracy 0.912" in line for line in lines)
    assert lines[-1].endswith("s left  local_sgd, seed 1 (3 of 4): loss 0.987 after 1,920 examples")


# What it refuses

WRONG = {
    "a strategy that there is none of": (["--strategies", "synchronous,lokal_sgd"], "Did you mean local_sgd?"),
    "no strategy": (["--strategies", ","], "the list is empty"),
    "one strategy": (["--strategies", "ddp,synchronous"], "synchronous is alone"),
    "too many workers": (["--workers", "100"], "workers: 100 is not from 1 to 64"),
    "more groups than workers": (["--strategies", "synchronous,mixed:groups=3"], "3 groups need as many workers"),
    "more backups than workers": (["--strategies", "ddp,backup_workers:backups=2"], "at most 1 can be backups"),
    "a unit that is none": (["--link", "10Gbits/z"], "--link: the unit 'Gbits/z' is not one of bytes/s"),
    "a link that carries nothing": (["--link", "1"], "link: 8 bit/s is slower than 8 kbit/s"),
    "negative latency": (["--latency", "-1s"], "latency: '-1s'"),
    "a latency without end": (["--latency", "20s"], "latency: 20 s is not between 0 and 10 s"),
    "a straggler that is faster": (["--straggler", "0.5"], "straggler: 0.5 would be faster"),
    "a straggler that is no number": (["--straggler", "nan"], "--straggler: nan is no number from 1"),
    "no learning rate": (["--rate", "0"], "rate: 0 is no learning rate"),
    "too little time": (["--budget", "12s"], "12 trainings of 1 s or more do not fit into 1"),
    "no time": (["--budget", "soon"], "--budget: 'soon'"),
    "another machine": (["--machine", "none"], "the plan is for another machine than this one"),
    "data that are not there": (["--data", "nowhere.csv"], "nowhere.csv: nothing is there"),
    "an output in no folder": (["--output", "/nowhere/page.html"], "there is no such folder"),
}
OFTEN = ("one strategy", "too little time")


@pytest.mark.parametrize("what", WRONG)
def test_bad_input_is_a_sentence_before_any_process_is_started(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words, said = WRONG[what]
    monkeypatch.setattr("advisor.session.syncing.run", lambda *_, **__: pytest.fail("a process was started"))
    with pytest.raises(InputError) as error:
        program().main(args=["sync", *words], standalone_mode=False)
    assert said in str(error.value)


@pytest.mark.parametrize("what", OFTEN)
def test_bad_input_ends_with_2(what: str) -> None:
    words, said = WRONG[what]
    assert said in refused("sync", *words)


def test_numbers_out_of_range_end_with_2() -> None:
    assert "Invalid value for '--workers': 0 is not in the range x>=1." in refused("sync", "--workers", "0")
