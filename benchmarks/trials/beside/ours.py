"""The advisor: what it chooses and saves predicts the test file, and so does its starter's project."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import numpy
import pandas

from .files import origins, read, source
from .sets import DATA

ROLLING = """
import sys
from pathlib import Path
from advisor.training.kept.applying import apply
from advisor.training.kept.request import Apply
place, header, *lines = Path(sys.argv[1]), *open(sys.argv[2])
for end in map(int, sys.argv[3].split(",")):
    (place / "known.csv").write_text("".join([header, *lines[:end]]))
    apply(Apply(str(place / "model"), str(place / "known.csv"), str(place / "next.csv"), 2), lambda said: None)
    print(open(place / "next.csv").read().splitlines()[1].split(",")[-3], flush=True)
"""


def ours(place: Path, advisor: str, budget: float) -> None:
    """Try and save in one process, apply to the test file with its columns in another order in another."""
    data, draw = DATA[place.name], numpy.random.default_rng(1)
    command = [advisor, "-m", "advisor", "try", "--data", str(source(place, "train")), "--budget", f"{budget:g}s"]
    command += ["--format", "json", "--save", str(place / "model"), "--force", "--fresh"]
    command += ["--target", data.target] if data.target else []
    command += ["--group", data.group] if data.group else []
    command += ["--horizon", "1"] if data.seasons else []
    begun = time.monotonic()
    done = run(command)
    (place / "try.err").write_text(done.stderr + f"\nrc {done.returncode}, {time.monotonic() - begun:.0f} s\n")
    (place / "try.json").write_text(done.stdout)
    if data.seasons:
        series(place, advisor)
        return
    tested = source(place, "test")
    if data.target:
        frame = pandas.read_csv(tested).drop(columns=data.target)
        tested = place / "shuffled.csv"
        frame[draw.permutation(list(frame))].to_csv(tested, index=False)
    command = [advisor, "-m", "advisor", "apply", str(place / "model"), "--data", str(tested), "--keep", "none"]
    done = run([*command, "--force", "--output", str(place / "ours.csv")])
    if done.returncode == 0:
        said = pandas.read_csv(place / "ours.csv", keep_default_na=False, dtype=str)
        said.rename(columns={data.target or "class": "prediction"}).to_csv(place / "ours.csv", index=False)
    (place / "apply.txt").write_text(f"{done.stdout}{done.stderr}rc {done.returncode}\n")


def run(command: Sequence[str], folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder)


def series(place: Path, advisor: str) -> None:
    """The next step from everything before it, again and again, by the saved model."""
    train, test = (pandas.read_csv(source(place, part)) for part in ("train", "test"))
    steps = origins(DATA[place.name], read(place, "test")[1])
    pandas.concat([train, test]).to_csv(place / "whole.csv", index=False)
    ends = ",".join(str(len(train) + number) for number in steps)
    done = run([advisor, "-c", ROLLING, str(place), str(place / "whole.csv"), ends])
    (place / "apply.txt").write_text(f"{done.stderr}rc {done.returncode}\n")
    pandas.DataFrame({"prediction": [float(line) for line in done.stdout.split()]}).to_csv(
        place / "ours.csv", index=False
    )


def project(place: Path, advisor: str) -> None:
    """The starter's project of what won, trained as its README says, and what it predicts for the test file."""
    data, train = DATA[place.name], source(place, "train")
    tested = place / "shuffled.csv" if data.target else source(place, "test")
    target = ["--target", data.target] if data.target else []
    made = ["-m", "advisor", "starter", "--data", str(train), *target, "--output", str(place / "project"), "--force"]
    learn = ["train.py", "--data", str(train.absolute()), "--force"]
    output = str((place / "project.csv").absolute())
    predict = ["predict.py", "--data", str(tested.absolute()), "--output", output, "--force"]
    told = []
    for command, folder in ((made, None), (learn, place / "project"), (predict, place / "project")):
        done = run([advisor, *command], folder)
        told.append(f"{done.stdout}{done.stderr}rc {done.returncode}\n")
    (place / "project.txt").write_text("\n".join(told))
