"""`advisor bench` as people run it: real processes with narrow networks, and the rest with a stand-in for the probes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import psutil
import pytest
import typer

from advisor.cli import console
from advisor.cli.commands.experiments import bench as command
from advisor.cli.commands.experiments.bench import bench, chosen_networks, numbers
from advisor.cli.commands.options import Bench
from advisor.cli.options import PlainFormat
from advisor.errors import InputError
from advisor.survey import bench as agent
from tests.cli.program import PROGRAM, advisor, environment, refused
from tests.cli.test_probing import alive, wait_until
from tests.survey.test_bench import StandIn

NARROW = ["--width", "0.01", "--threads", "1,2", "--batch", "32,128"]


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    found = StandIn()
    monkeypatch.setattr(agent, "run", found.run)
    return found


@pytest.mark.slow
def test_a_network_is_timed_in_children_by_threads_and_batches(state: Path) -> None:
    done = advisor("bench", "lstm32", *NARROW, "--budget", "30s", "--format", "json", env={"ADVISOR_STATE": str(state)})
    assert done.code == 0, done.err
    document = json.loads(done.out)
    (network,) = document["networks"]
    assert network["network"] == "lstm text 32x100-[3,3]-100"
    ran = [outcome["probe"] for outcome in network["outcomes"]]
    assert ran
    assert ran == ["threads", "batch"][: len(ran)], "on a busy machine there may be no time for both"
    rows = [*network["threads"], *network["batches"]]
    assert {row["setting"] for row in rows} <= {1, 2, 32, 128}
    assert any(row.get("seconds", {}).get("median", 0) > 0 for row in rows)
    assert network["published"] == [], "no published figure is one of a narrowed network"
    assert "LSTM-32 with 1, 2" in done.err
    assert "\x1b" not in done.err
    assert list(state.glob("*/journal/*.jsonl")) == [], "a run that has ended leaves no journal"


@pytest.mark.slow
def test_ctrl_c_prints_what_is_known_and_leaves_no_child(state: Path) -> None:
    run = subprocess.Popen(
        [*PROGRAM, "bench", "fcn5", "fcn8", *NARROW, "--budget", "45s", "--format", "json"],
        env=environment(ADVISOR_STATE=str(state)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip

    def one_is_finished() -> bool:
        journals = [path.read_bytes() for path in state.glob("*/journal/*.jsonl")]
        return run.poll() is not None or any(b'"outcome": {' in content for content in journals)

    assert wait_until(one_is_finished)
    children = psutil.Process(run.pid).children(recursive=True)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 130, err
    assert wait_until(lambda: not list(alive(children)), 10.0)
    assert "the same command goes on from there" in " ".join(err.split())
    if out:  # nothing is told where the machine was too busy to time anything
        assert [network["name"] for network in json.loads(out)["networks"]] == ["fcn5", "fcn8"]


def test_the_page_of_all_six_goes_to_a_file(
    state: Path, stand_in: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "bench.txt"
    bench(Bench(threads="1,2", budget="5 min", output=page))
    assert capsys.readouterr().out == ""
    text = page.read_text()
    titles = ["FCN-5:", "FCN-8:", "ALEXNET:", "RESNET-50:", "LSTM-32:", "LSTM-64:"]
    assert [title for title in titles if title in text] == titles
    assert "WHERE THE DOCUMENTS ARE MISTAKEN ABOUT IT" in text
    assert "\x1b" not in text
    assert len(stand_in.ran) == 12
    with pytest.raises(InputError, match="the file exists"):
        bench(Bench(threads="1,2", output=page))
    assert len(stand_in.ran) == 12, "what could not be written is said before anything is measured"


def test_a_stopped_run_is_told_and_the_same_command_goes_on(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stopped, resumed = StandIn(stop_after=2), StandIn()
    monkeypatch.setattr(agent, "run", stopped.run)
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # these tests stay open to Ctrl-C
    with pytest.raises(SystemExit) as ending:
        bench(Bench(["fcn5", "lstm32"], threads="1,2", format_=PlainFormat.JSON))
    assert ending.value.code == console.INTERRUPTED
    told = capsys.readouterr()
    assert "the same command goes on from there" in " ".join(told.err.split())
    known = {network["name"]: network for network in json.loads(told.out)["networks"]}
    assert [row["setting"] for row in known["fcn5"]["threads"]] == [1, 2]
    assert known["fcn5"]["batches"]
    assert known["lstm32"]["skipped"]["threads"] == "It was stopped."
    monkeypatch.setattr(agent, "run", resumed.run)
    bench(Bench(["fcn5", "lstm32"], threads="1,2", format_=PlainFormat.JSON))
    told = capsys.readouterr()
    assert "Going on where a stopped run ended: 2 sweeps measured already." in " ".join(told.err.split())
    assert [probe for _, probe in resumed.ran] == ["threads", "batch"]


def test_a_report_that_cannot_be_written_costs_no_sweep(
    state: Path, stand_in: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Bench(["fcn5"], threads="1,2", format_=PlainFormat.JSON, output=tmp_path / "bench.json")

    def full(*_: object) -> None:
        raise OSError("The disk is full")

    with monkeypatch.context() as disk:
        disk.setattr(command, "deliver_report", full)
        with pytest.raises(OSError, match="full"):
            bench(asked)
    swept, stand_in.ran[:] = list(stand_in.ran), []
    bench(asked)
    assert swept[0] not in stand_in.ran
    assert json.loads((tmp_path / "bench.json").read_text())["networks"]


def test_where_nothing_fits_it_says_why_and_fails(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(agent, "run", StandIn(failing=("ffn",)).run)
    with pytest.raises(typer.Exit) as ending:
        bench(Bench(["fcn5"], threads="1,2"))
    assert ending.value.exit_code == console.FAILED
    assert "It does not fit the memory." in capsys.readouterr().err


def test_the_networks_stand_in_the_order_of_the_table_whatever_the_order_of_their_names() -> None:
    assert [network.name for network in chosen_networks(["lstm32", "fcn5", "lstm32"])] == ["fcn5", "lstm32"]
    assert len(chosen_networks([])) == 6
    assert [network.name for network in chosen_networks(["fcn5-2048"])] == ["fcn5-2048"]


def test_a_list_of_numbers_is_sorted_and_has_each_once() -> None:
    assert numbers("4, 1,2,4", "--threads", 1024) == (1, 2, 4)
    assert numbers(None, "--threads", 1024) is None


@pytest.mark.parametrize(
    "text", ["", "1,two", "0", "16,,32", "-4", "1025", "1.5", "²", ",".join(map(str, range(1, 14)))]
)
def test_a_list_that_cannot_be_used_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="at most 12 whole numbers from 1 to 1024"):
        numbers(text, "--threads", 1024)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["alexnett"], "There is no such network in the benchmark NETWORK: 'alexnett' Did you mean alexnet?"),
        (["fcn5", "--batch", "-4"], "--batch: '-4' Write at most 12 whole numbers"),
        (["fcn5", "--budget", "soon"], "This is no time to measure in"),
        (["fcn5", "--output", os.curdir], "The output cannot be written"),
    ],
)
def test_what_cannot_be_used_is_one_message_and_code_two(arguments: list[str], said: str) -> None:
    assert said in refused("bench", *arguments)


def test_with_hardly_any_time_nothing_is_begun(state: Path) -> None:
    done = advisor("bench", "fcn5", *NARROW, "--budget", "1s", env={"ADVISOR_STATE": str(state)})
    assert done.code == 1
    assert "Nothing was measured" in done.err
    assert "No time was left." in done.said
