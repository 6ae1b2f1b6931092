"""Each choice of a plan arrives in the code, and the code that it makes is clean and trains."""

from __future__ import annotations

import ast
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from advisor.starter.blueprint import Blueprint
from advisor.starter.planning import blueprint_of
from advisor.starter.rendering import files_of
from tests.starter.projects import TABLE, complaints, generated, plan_of, run

SERIES = "data.modality=time_series data.inputs=2 data.sequence_length=6"


def small(**advised: Any) -> Blueprint:
    return blueprint_of(plan_of(TABLE, **{"network_hidden_units": [8, 4], "training_batch_size": 16, **advised}))


def changed(blueprint: Blueprint, **fields: Any) -> Blueprint:
    return replace(blueprint, recipe=replace(blueprint.recipe, **fields))


def written(folder: Path, blueprint: Blueprint) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files_of(blueprint).items():
        (folder / name).write_text(text)
    return folder


def trained(folder: Path, blueprint: Blueprint) -> dict[str, Any]:
    """Writes the project, looks whether it is clean, trains it for three steps and then two more; the last checkpoint."""
    project = written(folder, blueprint)
    assert complaints(project) == ""
    run(project, "python train.py --steps 3")
    run(project, "python train.py --steps 5 --resume")
    content: dict[str, Any] = torch.load(project / "runs" / "last.pt", weights_only=True)
    assert content["step"] == 5
    assert all(weights.isfinite().all() for weights in content["network"].values())
    return content


OPTIMIZERS = {
    "sgd": "SGD", "sgd_momentum": "momentum=0.9", "sgd_nesterov": "nesterov=True", "adagrad": "Adagrad",
    "adadelta": "Adadelta", "rmsprop": "RMSprop", "adam": "optim.Adam(", "adamw": "optim.AdamW(", "nadam": "NAdam",
    "lbfgs": "LBFGS", "lars": "class Lars", "lamb": "class Lamb",
}  # fmt: skip


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_optimiser(name: str, tmp_path: Path) -> None:
    blueprint = small(training_optimizer=name)
    assert OPTIMIZERS[name] in files_of(blueprint)["optimisation.py"]
    trained(tmp_path, blueprint)


@pytest.mark.parametrize("name", ["cosine", "linear", "warmup_stable_decay", "one_cycle", "constant"])
@pytest.mark.parametrize("warm_up", [0.0, 0.5])
def test_every_schedule_stays_between_nothing_and_the_rate(name: str, warm_up: float, tmp_path: Path) -> None:
    project = written(tmp_path, changed(small(training_schedule=name), warm_up=warm_up))
    assert complaints(project) == ""
    (project / "show.py").write_text(
        "import torch\nfrom optimisation import make_optimizer, make_schedule\n"
        "optimizer = make_optimizer(torch.nn.Linear(2, 2), 1.0)\nschedule = make_schedule(optimizer, 20)\nrates = []\n"
        "for _ in range(20):\n    rates += schedule.get_last_lr()[:1]\n    optimizer.step()\n    schedule.step()\n"
        "print(*rates, file=open('rates', 'w'))\n"
    )
    run(project, "python show.py")
    rates = [float(rate) for rate in (project / "rates").read_text().split()]
    assert all(0 <= rate <= 1 for rate in rates)
    assert max(rates) > 0.9
    assert (rates[-1] < 0.6) == (name != "constant")
    assert (rates[0] < 0.2) == (warm_up > 0 or name == "one_cycle")


@pytest.mark.parametrize("name", ["fp32", "tf32", "bf16", "fp16"])
def test_every_number_format(name: str, tmp_path: Path) -> None:
    blueprint = small(training_precision=name)
    text = files_of(blueprint)["train.py"]
    assert ("autocast" in text) == (name in ("bf16", "fp16"))
    assert ("GradScaler" in text) == (name == "fp16")
    trained(tmp_path, changed(blueprint, clip_norm=1.0))


@pytest.mark.parametrize("name", ["he", "glorot", "lecun", "orthogonal", "small_normal"])
@pytest.mark.parametrize("activation", ["leaky_relu", "tanh"])
def test_every_start(name: str, activation: str, tmp_path: Path) -> None:
    trained(tmp_path, small(network_init=name, network_activation=activation))


@pytest.mark.parametrize("name", ["none", "batch_norm", "layer_norm", "group_norm"])
@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_every_normalisation(name: str, dropout: float, tmp_path: Path) -> None:
    trained(tmp_path, replace(small(network_normalization=name), dropout=dropout))


def test_a_batch_in_parts_makes_the_step_of_the_whole_batch(tmp_path: Path) -> None:
    plain = replace(small(network_normalization="none", training_optimizer="sgd"), dropout=0.0)
    whole = trained(tmp_path / "whole", plain)
    parts = trained(tmp_path / "parts", changed(plain, accumulation=4))
    for name, weights in whole["network"].items():
        assert torch.allclose(weights, parts["network"][name], atol=1e-6), name


def test_recomputing_changes_nothing_but_memory(tmp_path: Path) -> None:
    plain = small(network_normalization="layer_norm")  # batch normalisation would count every batch twice
    whole = trained(tmp_path / "whole", plain)
    again = trained(tmp_path / "again", changed(plain, recompute=True))
    assert all(torch.equal(weights, again["network"][name]) for name, weights in whole["network"].items())


def test_penalties_clipping_smoothing_and_checkpoints_between_epochs(tmp_path: Path) -> None:
    blueprint = changed(small(), l1=1e-4, clip_norm=0.5, label_smoothing=0.1, checkpoint_seconds=1, patience=None)
    files = files_of(blueprint)
    assert "settings.L1" in files["train.py"]
    assert "settings.CLIP_NORM" in files["train.py"]
    assert "label_smoothing=settings.LABEL_SMOOTHING" in files["loss.py"]
    trained(tmp_path, blueprint)


def test_nothing_is_there_that_the_plan_does_not_ask_for() -> None:
    plain = replace(small(network_normalization="none", training_precision="fp32"), dropout=0.0)
    text = "\n".join(files_of(changed(plain, clip_norm=None, weight_decay=0.0, patience=None, warm_up=0.0)).values())
    for word in ("Dropout", "autocast", "GradScaler", "L1", "CLIP", "ACCUMULATION", "BatchNorm", "PATIENCE", "WARM_UP"):
        assert word not in text


@pytest.mark.parametrize("network", ["ffn", "rnn", "lstm", "transformer"])
@pytest.mark.parametrize("task", ["classify task.outputs=3", "regress task.outputs=2", "forecast task.outputs=2"])
def test_series_for_every_network_that_reads_them(network: str, task: str, tmp_path: Path) -> None:
    plan = plan_of(
        f"task.kind={task} {SERIES}", network_type=network, network_hidden_units=[16, 8], training_optimizer="adamw",
        training_batch_size=32, training_learning_rate=0.01, training_schedule="constant", network_init="glorot",
    )  # fmt: skip
    trained(tmp_path, blueprint_of(plan))


@pytest.mark.parametrize("network", ["ffn", "lstm", "transformer"])
@pytest.mark.parametrize("values", [1, 8])
def test_sounds(network: str, values: int, tmp_path: Path) -> None:
    facts = f"task.kind=classify task.outputs=3 data.modality=audio data.inputs={values} data.sequence_length=20"
    plan = plan_of(
        facts, network_type=network, network_hidden_units=[16, 8], training_optimizer="adamw", training_batch_size=32,
        network_init="glorot", training_regularization=["early_stopping", "augmentation"], data_pipeline=[],
    )  # fmt: skip
    trained(tmp_path, blueprint_of(plan))


@pytest.mark.parametrize("network", ["gradient_boosting", "random_forest", "linear"])
@pytest.mark.parametrize(
    ("facts", "loss"),
    [
        ("task.kind=classify task.outputs=3 data.modality=tabular data.inputs=5", "cross_entropy"),
        (
            "task.kind=classify task.outputs=3 task.multilabel=yes data.modality=tabular data.inputs=5",
            "binary_cross_entropy",
        ),
        ("task.kind=regress task.outputs=1 data.modality=tabular data.inputs=5", "quantile"),
        (f"task.kind=forecast task.outputs=2 {SERIES}", "mae"),
        (f"task.kind=classify task.outputs=2 {SERIES}", "cross_entropy"),
        ("task.kind=classify task.outputs=3 data.modality=text", "cross_entropy"),
        ("task.kind=classify task.outputs=3 data.modality=image data.inputs=48", "cross_entropy"),
        ("task.kind=regress task.outputs=1 data.modality=audio data.sequence_length=80", "mse"),
    ],
)
def test_every_model_that_is_no_network(network: str, facts: str, loss: str, tmp_path: Path) -> None:
    project = written(tmp_path, blueprint_of(plan_of(facts, network_type=network, training_loss=loss)))
    assert complaints(project) == ""
    run(project, "python train.py" + ("" if network == "linear" else " --rounds 3"))
    assert (project / "runs" / "model.joblib").stat().st_size > 0
    if network != "linear":
        run(project, "python train.py --rounds 4 --resume")


@pytest.mark.parametrize("threads", [None, 2])
def test_threads_and_loaders_as_the_plan_says(threads: int | None) -> None:
    blueprint = small(data_pipeline=["workers", "prefetch", "pinned_memory"])
    files = files_of(replace(blueprint, computing=replace(blueprint.computing, threads=threads)))
    assert ("set_num_threads" in files["train.py"]) == (threads is not None)
    assert "pin_memory" in files["train.py"]
    assert "prefetch_factor=settings.PREFETCH" in files["train.py"]
    assert any(line.startswith("WORKERS = 4") for line in files["settings.py"].splitlines())
    for text in (text for name, text in files.items() if name.endswith(".py")):
        ast.parse(text)


def test_a_cluster_gets_a_job_for_slurm(tmp_path: Path) -> None:
    facts = (
        "task.kind=classify task.outputs=3 data.modality=tabular data.inputs=5 cluster.nodes=4 machine.gpu.count=8 "
        "project.hours_available=7h"
    )
    plan = plan_of(facts, network_type="ffn", network_hidden_units=[8], compute_device="cluster")
    job = (generated(tmp_path / "project", plan) / "train.slurm").read_text()
    assert "#SBATCH --nodes=4" in job
    assert "#SBATCH --gpus-per-node=8" in job
    assert "#SBATCH --time=7:00:00" in job
    assert "train.py --resume" in job
    assert subprocess.run(["bash", "-n", tmp_path / "project" / "train.slurm"], check=False).returncode == 0
    assert "train.slurm" not in files_of(small())
