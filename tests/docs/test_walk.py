"""Whoever follows docs/walk.md gets to its end. Measuring and training are cut short: what they find is a machine's affair."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.walk import Shell, blocks, commands, part

pytestmark = pytest.mark.slow
MEASURES = ("advisor probe", "advisor try")
NOTHING_MEASURED = 1
"""Exit code of what had too little time, which it has here on purpose."""
TABLE = "## The same for a table"


def shortened(command: str) -> str:
    command = re.sub(r"--budget \S+", "--budget 2s", command)
    command = re.sub(
        r"^advisor try", 'ADVISOR_STATE="$PWD/elsewhere" advisor try', command
    )  # so that no plan counts it
    command = re.sub(r"--epochs 20", "--epochs 1", command)
    command = re.sub(r"--epochs 22", "--epochs 2", command)
    return re.sub(r"--steps \d+", "--steps 2", command)


def walk(text: str, shell: Shell) -> dict[str, str]:
    """Types everything; what each command printed."""
    for name, source in blocks(text, "python"):
        (shell.folder / name).write_text(source, encoding="utf-8")
    told = {}
    for command in commands(text):
        if command.startswith("pip install"):
            continue  # they are installed where tests run
        allowed = (NOTHING_MEASURED,) if command.startswith(MEASURES) else ()
        told[command] = shell.type(shortened(command), *allowed)
    return told


def test_the_walk_ends_with_a_network_that_was_trained(tmp_path: Path) -> None:
    text = part("walk.md", end=TABLE)
    told = walk(text, Shell(tmp_path))
    assert told["advisor inspect digits"].startswith("DATA  1,797 pictures")
    assert "convolutional network" in told["advisor recommend --answers answers.yaml --data digits"]
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert (tmp_path / "project" / "runs" / "best.pt").exists()
    assert (tmp_path / "project" / "runs" / "all" / "best.pt").exists()
    assert told["python train.py --data ../digits --epochs 22 --resume"].startswith("goes on from step 11\n")


def test_the_walk_of_the_table_ends_with_a_model_that_beats_the_most_frequent_class(tmp_path: Path) -> None:
    told = walk(part("walk.md", TABLE), Shell(tmp_path))
    trivial, model, *_ = re.findall(r"accuracy ([\d.]+)", told["python train.py --data ../tumours.csv"])
    assert float(model) > float(trivial) + 0.1
    assert (tmp_path / "tumours-project" / "runs" / "model.skops").exists()
