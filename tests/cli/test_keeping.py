"""`advisor try --save` and `advisor apply` as people run them: a folder that is whole or not there, as good as it says."""

from __future__ import annotations

import csv
import json
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.program import PROGRAM, advisor, environment, refused

COLUMNS = ("size", "city", "lift", "class")


def written(path: Path, count: int, seed: int, columns: tuple[str, ...] = COLUMNS) -> Path:
    """Flats whose class follows from size and city, but for some noise."""
    draw = random.Random(seed)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        for _ in range(count):
            size, city, lift = draw.randint(20, 120), draw.choice(["Ulm", "Bonn", "Kiel"]), draw.choice(["yes", "no"])
            rent = size * {"Ulm": 10, "Bonn": 14, "Kiel": 8}[city] + draw.gauss(0, 120)
            row = {"size": size, "city": city, "lift": lift, "class": "dear" if rent > 700 else "cheap"}
            writer.writerow({name: row.get(name, "") for name in columns})
    return path


@pytest.fixture(scope="module")
def flats(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("data") / "flats.csv", 400, 0)


@pytest.fixture(scope="module")
def model(flats: Path) -> Path:
    folder = flats.parent / "model"
    done = advisor("try", flats, "--target", "class", "--budget", "15s", "--save", folder)
    assert done.code == 0, done.err
    assert f"is saved in {folder}." in done.out
    assert f"Apply it: advisor apply {folder} --data NEW --output PREDICTIONS.csv" in done.out
    return folder


def test_a_saved_winner_tells_others_as_well_as_it_promised(model: Path, tmp_path: Path) -> None:
    card = json.loads((model / "card.json").read_text())
    new = written(tmp_path / "new.csv", 400, 1, ("note", "class", "lift", "city", "size"))
    done = advisor("apply", model, "--data", new, "--output", tmp_path / "said.csv")
    assert done.code == 0, done.err
    assert "They are passed over: 'note'." in done.said
    with (tmp_path / "said.csv").open() as file:
        lines = list(csv.DictReader(file))
    with new.open() as file:
        truth = [row["class"] for row in csv.DictReader(file)]
    score = sum(line["class"] == one for line, one in zip(lines, truth, strict=True)) / len(truth)
    assert card["low"] <= score <= card["high"]
    interval = f"{card['score']:.3f} (95 % prediction interval {card['low']:.3f} to {card['high']:.3f})"
    assert f"accuracy on all of them: {score:.3f}. When it was saved: {interval}." in done.out
    assert "Name another file or add --force." in refused(
        "apply", model, "--data", new, "--output", tmp_path / "said.csv"
    )


def test_bad_input_is_told_in_one_message_and_no_predictions_are_written(model: Path, tmp_path: Path) -> None:
    output = tmp_path / "said.csv"
    new = written(tmp_path / "new.csv", 20, 1, ("lift", "size"))
    said = refused("apply", model, "--data", new, "--output", output)
    assert f"These data do not fit the model {new}: the column 'city' is missing" in said
    assert "nothing is there" in refused("apply", model, "--data", tmp_path / "none.csv", "--output", output)
    assert "nothing is there" in refused("apply", tmp_path / "none", "--data", new, "--output", output)
    assert "Missing option '--output'" in refused("apply", model, "--data", new)
    assert "is never rewritten" in refused("apply", model, "--data", new, "--output", new, "--force")
    assert not output.exists()


def test_where_a_model_cannot_be_put_is_told_before_anything_is_tried(flats: Path, model: Path, tmp_path: Path) -> None:
    def said(folder: Path, *more: str) -> str:
        return refused("try", flats, "--target", "class", "--save", folder, *more)

    assert "there is a saved model already Name another folder, or add --force to replace it." in said(model)
    assert "the folder holds other files, which are never replaced" in said(flats.parent, "--force")
    own = tmp_path / "own"
    own.mkdir()
    (own / "card.json").write_text('{"name": "somebody"}')
    assert "the folder holds other files, which are never replaced" in said(own, "--force")
    assert "this is a file" in said(flats, "--force")
    assert "there is no such folder to put it into" in said(tmp_path / "a" / "b")


@pytest.mark.slow
def test_a_model_that_is_there_is_replaced_where_that_is_asked_for(flats: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "card.json").write_text('{"schema": "advisor/model/0"}')
    done = advisor("try", flats, "--target", "class", "--budget", "12s", "--save", folder, "--force")
    assert done.code == 0, done.err
    assert json.loads((folder / "card.json").read_text())["schema"] == "advisor/model/2"
    assert [path.name for path in tmp_path.iterdir()] == ["model"], "nothing is left beside it"


@pytest.mark.slow
def test_nothing_worth_keeping_is_not_kept(tmp_path: Path) -> None:
    draw = random.Random(0)
    noise = tmp_path / "noise.csv"
    noise.write_text(
        "x,y,kind\n" + "".join(f"{draw.random()},{draw.random()},{draw.choice('ab')}\n" for _ in range(120))
    )
    done = advisor("try", noise, "--target", "kind", "--budget", "10s", "--save", tmp_path / "model")
    assert done.code == 1
    assert "Nothing was saved: no model was better than looking at no input at all." in done.said
    assert not (tmp_path / "model").exists()


@pytest.mark.slow
def test_interrupted_it_leaves_nothing_half(flats: Path, tmp_path: Path) -> None:
    folder, state = tmp_path / "kept" / "model", tmp_path / "state"
    folder.parent.mkdir()
    running = subprocess.Popen(
        [*PROGRAM, "try", flats, "--target", "class", "--budget", "14s", "--save", folder],
        env=environment(ADVISOR_STATE=str(state)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 60
    while not any(folder.parent.iterdir()):  # it is written aside
        assert time.monotonic() < until
        assert running.poll() is None
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=30)
    assert running.returncode == 130
    assert "No model is saved." in err
    assert not list(folder.parent.iterdir())
    again = advisor(
        "try", flats, "--target", "class", "--budget", "14s", "--save", folder, env={"ADVISOR_STATE": str(state)}
    )
    assert "Going on where a stopped run ended" in again.said
    assert (folder / "card.json").exists(), again.err
