"""Eight projects train as their README says, and go on where they were stopped."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import torch

from advisor.inference.plan import Plan
from tests.starter.blueprints import module
from tests.starter.projects import TABLE, command, complaints, generated, plan_of, run

SMALL = {"training_batch_size": 16, "training_micro_batch": 16, "training_precision": "fp32", "data_pipeline": []}
PICTURE = "data.modality=image data.inputs=64 data.examples=60000 project.pretrained_allowed=no"
NETWORKS = {
    "tabular": lambda: plan_of(TABLE, network_hidden_units=[8, 8], **SMALL),
    "image": lambda: plan_of(f"task.kind=classify task.outputs=4 {PICTURE}", network_hidden_units=[4, 8], **SMALL),
    "text": lambda: plan_of(
        "task.kind=classify task.outputs=3 data.modality=text data.inputs=50 data.sequence_length=8 data.examples=9000",
        network_hidden_units=[16, 32],
        network_init="small_normal",
        **SMALL,
    ),
    "time series": lambda: plan_of(
        "task.kind=forecast task.outputs=2 data.modality=time_series data.inputs=3 data.sequence_length=12",
        network_type="lstm",
        network_hidden_units=[8, 4],
        network_init="orthogonal",
        training_optimizer="adamw",
        training_learning_rate=0.01,
        training_schedule="cosine",
        **SMALL,
    ),
    "generation": lambda: plan_of(
        f"task.kind=generate task.generation=random {PICTURE}", network_hidden_units=[4, 8], **SMALL
    ),
    "reconstruction": lambda: plan_of(f"task.kind=reconstruct {PICTURE}", network_hidden_units=[32, 8, 32], **SMALL),
    "graph": lambda: plan_of(
        "task.kind=classify task.outputs=3 data.modality=graph data.inputs=6 data.examples=3000",
        network_hidden_units=[8, 8],
        **SMALL,
    ),
}


def imported(project: Path) -> set[str]:
    """The first parts of all names that its modules import."""
    found = set()
    for file in project.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                found |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add((node.module or "").partition(".")[0])
    return found


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_trains_as_its_readme_says(name: str, tmp_path: Path) -> None:
    project = generated(tmp_path / "project", NETWORKS[name]())
    assert complaints(project) == ""
    assert "advisor" not in imported(project)

    run(project, command(project, "--steps 20"))
    first = torch.load(project / "trial" / "last.pt", weights_only=True)
    assert first["step"] == 20

    run(project, command(project, "--resume", "--steps 40"))
    second = torch.load(project / "trial" / "last.pt", weights_only=True)
    assert second["step"] == 40
    assert second["best"] <= first["best"]
    changed = [key for key, weights in first["network"].items() if not torch.equal(weights, second["network"][key])]
    assert changed
    assert (project / "trial" / "best.pt").exists()


TEXTS = "data.modality=text data.inputs=60 data.sequence_length=8 data.examples=9000 project.pretrained_allowed=no"
WRITER = {"network_type": "lstm", "network_hidden_units": [64], "training_learning_rate": 0.01, **SMALL}


def test_a_network_that_writes_goes_on_as_its_texts_do(tmp_path: Path) -> None:
    """The made-up texts count: after word7 comes word8."""
    plan = plan_of(f"task.kind=generate task.generation=sequence {TEXTS}", **WRITER)
    project = generated(tmp_path / "project", plan)
    assert complaints(project) == ""
    run(project, "python train.py --steps 300")

    written = run(project, 'python generate.py --number 5 --text "word7" --temperature 0.1').splitlines()
    assert len(written) == 5
    assert all(text.startswith("word7 word8 word9") for text in written)
    assert run(project, 'python generate.py --number 1 --text "word7" --temperature 0').startswith("word7 word8 word9")


def test_a_network_that_translates_repeats_what_the_made_up_translations_repeat(tmp_path: Path) -> None:
    project = generated(tmp_path / "project", plan_of(f"task.kind=translate {TEXTS}", **WRITER))
    assert complaints(project) == ""
    run(project, "python train.py --steps 400")
    assert run(project, 'python generate.py --text "word7 word8 word9"') == "word7 word8 word9\n"

    (tmp_path / "plain.txt").write_text("no translation here\n" * 50)
    run(project, f"python train.py --steps 2 --data {tmp_path / 'plain.txt'} --output plain")
    with pytest.raises(SystemExit, match="no translations in these texts"):
        run(project, f"python generate.py --data {tmp_path / 'plain.txt'} --weights plain/best.pt --text no")


def test_what_short_texts_are_filled_up_with_counts_neither_in_the_loss_nor_in_the_accuracy(tmp_path: Path) -> None:
    project = generated(tmp_path / "project", plan_of(f"task.kind=translate {TEXTS}", **WRITER))
    texts = tmp_path / "short.txt"
    texts.write_text("a\tb\n" * 200)  # four of eight steps are words
    said = run(project, f"python train.py --steps 60 --data {texts}")
    assert float(said.split()[-1]) == 1.0


def test_what_cannot_be_read_or_made_is_said_in_words(tmp_path: Path) -> None:
    project = generated(tmp_path / "project", plan_of(f"task.kind=generate task.generation=sequence {TEXTS}", **WRITER))
    (tmp_path / "other.txt").write_text("quite other words\n" * 20)
    run(project, "python train.py --steps 2")
    with pytest.raises(SystemExit, match="There is nothing at missing"):
        run(project, "python train.py --data missing")
    translating = generated(tmp_path / "translating", plan_of(f"task.kind=translate {TEXTS}", **WRITER))
    run(translating, "python train.py --steps 2")
    with pytest.raises(SystemExit, match="trained on other texts"):
        run(translating, f"python generate.py --text quite --data {tmp_path / 'other.txt'}")
    with pytest.raises(SystemExit, match="2"):
        run(project, "python generate.py --number 0")


def boosting() -> Plan:
    facts = "task.kind=regress task.outputs=1 data.modality=tabular data.inputs=6 data.examples=5000"
    return plan_of(facts, network_type="gradient_boosting")


@pytest.mark.slow
def test_gradient_boosting_is_fitted_and_grows(tmp_path: Path) -> None:
    project = generated(tmp_path / "project", boosting())
    assert complaints(project) == ""
    assert not {"advisor", "torch"} & imported(project)

    run(project, command(project, "--rounds 20"))
    assert rounds_of(project) == 20
    run(project, command(project, "--rounds 40"))
    assert rounds_of(project) == 40


def rounds_of(project: Path) -> int:
    kept = module(project, "checkpoints").load(project / "trial" / "model.skops")
    rounds: int = kept["models"][0].n_iter_
    return rounds


def test_a_training_that_was_stopped_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    project = generated(tmp_path / "project", plan_of(TABLE, training_schedule="constant", **SMALL))
    run(project, "python train.py --epochs 2 --output whole")
    run(project, "python train.py --epochs 1 --output parts")
    run(project, "python train.py --epochs 2 --output parts --resume")
    whole, parts = (torch.load(project / name / "last.pt", weights_only=True) for name in ("whole", "parts"))
    assert whole["step"] == parts["step"]
    for name, weights in whole["network"].items():
        assert torch.equal(weights, parts["network"][name]), name
