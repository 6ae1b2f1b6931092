"""Each choice of a plan arrives in the code, and the code that it makes is clean and trains."""

from __future__ import annotations

import ast
import re
import subprocess
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch

from advisor.starter.blueprint import CLASSICAL, STATISTICAL, Blueprint, Layout, Targets
from advisor.starter.planning import blueprint_of
from advisor.starter.rendering import TEMPLATES, files_of
from tests.starter import blueprints
from tests.starter.blueprints import project
from tests.starter.projects import TABLE, complaints, generated, plan_of, run, some

SERIES = "data.modality=time_series data.inputs=2 data.sequence_length=6"


def small(**advised: Any) -> Blueprint:
    return blueprint_of(
        plan_of(
            TABLE, **{"network_hidden_units": [8, 4], "training_batch_size": 16, "training_micro_batch": 16, **advised}
        )
    )


def changed(blueprint: Blueprint, **fields: Any) -> Blueprint:
    return replace(blueprint, recipe=replace(blueprint.recipe, **fields))


def written(folder: Path, blueprint: Blueprint) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files_of(blueprint).items():
        (folder / name).write_text(text)
    return folder


def trained(folder: Path, blueprint: Blueprint) -> dict[str, Any]:
    """Writes the project, trains it for three steps and then two more; the last checkpoint."""
    project = written(folder, blueprint)
    run(project, "python train.py --steps 3")
    run(project, "python train.py --steps 5 --resume")
    content: dict[str, Any] = torch.load(project / "runs" / "last.pt", weights_only=True)
    assert content["step"] == 5
    assert all(weights.isfinite().all() for weights in content["network"].values())
    return content


OPTIMIZERS = {
    "sgd": "SGD", "sgd_momentum": "momentum=0.9", "sgd_nesterov": "nesterov=True", "adagrad": "Adagrad",
    "adadelta": "Adadelta", "rmsprop": "RMSprop", "adam": "optim.Adam(", "adamw": "optim.AdamW(", "nadam": "NAdam",
    "lbfgs": "LBFGS", "lars": "Lars(", "lamb": "Lamb(",
}  # fmt: skip


FORMATS = ("fp32", "tf32", "bf16", "fp16")
STARTS = ("he", "glorot", "lecun", "orthogonal", "small_normal")
ACTIVATIONS = ("relu", "leaky_relu", "gelu", "swish", "tanh", "sigmoid")
NORMALISATIONS = ("none", "batch_norm", "layer_norm", "group_norm")
SCHEDULES = ("cosine", "linear", "step", "warmup_stable_decay", "one_cycle", "constant")


@pytest.mark.parametrize("number", range(len(OPTIMIZERS)))
def test_every_choice_in_some_company(number: int, tmp_path: Path) -> None:
    optimizer, precision = list(OPTIMIZERS)[number], FORMATS[number % 4]
    blueprint = small(
        training_optimizer=optimizer,
        training_precision=precision,
        network_init=STARTS[number % 5],
        network_activation=ACTIVATIONS[number % 6],
        network_normalization=NORMALISATIONS[number // 3],
    )
    files = files_of(blueprint)
    assert OPTIMIZERS[optimizer] in files["optimisation.py"]
    assert ("autocast" in files["train.py"]) == (precision in ("bf16", "fp16"))
    assert ("GradScaler" in files["train.py"]) == (precision == "fp16")
    trained(tmp_path, replace(changed(blueprint, clip_norm=1.0), dropout=0.5 * (number % 2)))


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("precision", FORMATS)
def test_every_optimiser_in_every_number_format(optimizer: str, precision: str, tmp_path: Path) -> None:
    trained(tmp_path, small(training_optimizer=optimizer, training_precision=precision))


@pytest.mark.slow
def test_no_choice_leaves_a_line_that_ruff_would_change(tmp_path: Path) -> None:
    made = [small(training_optimizer=name, training_precision=kind) for name, kind in product(OPTIMIZERS, FORMATS)]
    made += [
        changed(small(training_schedule=name), warm_up=share, clip_norm=norm, accumulation=parts, recompute=parts > 1)
        for name, share, (norm, parts) in product(SCHEDULES, (0.0, 0.5), ((None, 1), (0.5, 1), (0.5, 4)))
    ]
    made += [small(network_init=name, network_activation=other) for name, other in product(STARTS, ACTIVATIONS)]
    made += [
        replace(small(network_normalization=name), dropout=share) for name, share in product(NORMALISATIONS, (0.0, 0.5))
    ]
    made += [extras(), plain()]
    made += [of_series(*names) for names in product(("ffn", "rnn", "lstm", "transformer"), TASKS)]
    made += [of_sounds(*names) for names in product(("ffn", "lstm", "transformer"), (1, 8))]
    made += [classical(*names) for names in product(CLASSICAL, CLASSICAL_TASKS) if names[0] != STATISTICAL]
    made += [classical(STATISTICAL, FORECAST)]
    for number, blueprint in enumerate(made):
        written(tmp_path / str(number), blueprint)
    assert complaints(tmp_path) == ""


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize("warm_up", [0.0, 0.5])
def test_every_schedule_stays_between_nothing_and_the_rate(name: str, warm_up: float, tmp_path: Path) -> None:
    project = written(tmp_path, changed(small(training_schedule=name), warm_up=warm_up))
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


def plain() -> Blueprint:
    made = replace(
        small(network_normalization="none", training_precision="fp32", training_optimizer="sgd"), dropout=0.0
    )
    return changed(made, clip_norm=None, weight_decay=0.0, patience=None, warm_up=0.0)


def extras() -> Blueprint:
    return changed(small(), l1=1e-4, clip_norm=0.5, label_smoothing=0.1, checkpoint_seconds=1, patience=None)


def test_a_batch_in_parts_makes_the_step_of_the_whole_batch(tmp_path: Path) -> None:
    whole = trained(tmp_path / "whole", plain())
    parts = trained(tmp_path / "parts", changed(plain(), accumulation=4))
    for name, weights in whole["network"].items():
        assert torch.allclose(weights, parts["network"][name], atol=1e-6), name


def test_fewer_batches_than_a_step_takes_still_make_steps(tmp_path: Path) -> None:
    blueprint = changed(plain(), batch_size=16_384, accumulation=1024)
    assert trained(tmp_path, blueprint)["step"] == 5


def test_recomputing_changes_nothing_but_memory(tmp_path: Path) -> None:
    layers = small(network_normalization="layer_norm")  # batch normalisation would count every batch twice
    whole = trained(tmp_path / "whole", layers)
    again = trained(tmp_path / "again", changed(layers, recompute=True))
    assert all(torch.equal(weights, again["network"][name]) for name, weights in whole["network"].items())


def test_penalties_clipping_smoothing_and_checkpoints_between_epochs(tmp_path: Path) -> None:
    files = files_of(extras())
    assert "settings.L1" in files["train.py"]
    assert "settings.CLIP_NORM" in files["train.py"]
    assert "label_smoothing=settings.LABEL_SMOOTHING" in files["loss.py"]
    trained(tmp_path, extras())


def test_nothing_is_there_that_the_plan_does_not_ask_for() -> None:
    files = files_of(plain())
    shared = files.pop("layers.py")  # as it stands, for all networks: it knows them all
    assert "nn.BatchNorm2d" in shared
    assert "after_layers(nn.ReLU)" in files["model.py"]
    text = "\n".join(files.values())
    for word in ("Dropout", "autocast", "GradScaler", "L1", "CLIP", "ACCUMULATION", "BatchNorm", "PATIENCE", "WARM_UP"):
        assert word not in text


TASKS = ("classify task.outputs=3", "regress task.outputs=2", "forecast task.outputs=2")


def of_series(network: str, task: str) -> Blueprint:
    plan = plan_of(
        f"task.kind={task} {SERIES}", network_type=network, network_hidden_units=[16, 8], training_optimizer="adamw",
        training_batch_size=32, training_learning_rate=0.01, training_schedule="constant", network_init="glorot",
    )  # fmt: skip
    return blueprint_of(plan)


@pytest.mark.parametrize(("network", "task"), some(3, ("ffn", "rnn", "lstm", "transformer"), TASKS))
def test_series_for_every_network_that_reads_them(network: str, task: str, tmp_path: Path) -> None:
    trained(tmp_path, of_series(network, task))


def of_sounds(network: str, values: int) -> Blueprint:
    facts = f"task.kind=classify task.outputs=3 data.modality=audio data.inputs={values} data.sequence_length=20"
    plan = plan_of(
        facts, network_type=network, network_hidden_units=[16, 8], training_optimizer="adamw", training_batch_size=32,
        network_init="glorot", training_regularization=["early_stopping", "augmentation"], data_pipeline=[],
    )  # fmt: skip
    return blueprint_of(plan)


@pytest.mark.parametrize(("network", "values"), some(2, ("ffn", "lstm", "transformer"), (1, 8)))
def test_sounds(network: str, values: int, tmp_path: Path) -> None:
    trained(tmp_path, of_sounds(network, values))


FORECAST = f"task.kind=forecast task.outputs=2 {SERIES}"
CLASSICAL_TASKS = {
    "task.kind=classify task.outputs=3 data.modality=tabular data.inputs=5": "cross_entropy",
    "task.kind=classify task.outputs=3 task.multilabel=yes data.modality=tabular data.inputs=5": "binary_cross_entropy",
    "task.kind=regress task.outputs=1 data.modality=tabular data.inputs=5": "quantile",
    FORECAST: "mae",
    f"task.kind=classify task.outputs=2 {SERIES}": "cross_entropy",
    "task.kind=classify task.outputs=3 data.modality=text": "cross_entropy",
    "task.kind=classify task.outputs=3 data.modality=image data.inputs=48": "cross_entropy",
    "task.kind=regress task.outputs=1 data.modality=audio data.sequence_length=80": "mse",
}


def classical(network: str, facts: str) -> Blueprint:
    return blueprint_of(plan_of(facts, network_type=network, training_loss=CLASSICAL_TASKS[facts]))


TASKS_OF_MODELS = [
    param
    for param in some(4, CLASSICAL, CLASSICAL_TASKS, half=True)
    if param.values[0] != STATISTICAL and (param.values[0] != "naive_bayes" or "modality=text" in param.values[1])
]


@pytest.mark.parametrize(("network", "facts"), TASKS_OF_MODELS)
def test_every_model_that_is_no_network(network: str, facts: str, tmp_path: Path) -> None:
    project = written(tmp_path, classical(network, facts))
    grows = network in ("gradient_boosting", "random_forest")
    run(project, "python train.py" + (" --rounds 3" if grows else ""))
    assert (project / "runs" / "model.skops").stat().st_size > 0
    assert complaints(project) == ""
    if grows:
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


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ("--steps many", "'many' is no whole number above 0"), ("--steps 0", "'0' is no whole number above 0"),
        ("--epochs 1.5", "'1.5' is no whole number above 0"), ("--batch-size -3", "'-3' is no whole number above 0"),
        ("--seed x", "'x' is no whole number from 0 to 4294967295"), ("--learning-rate fast", "'fast' is no number, such as 0.5"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_refused_with_what_is_expected(
    option: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = project(tmp_path / "project", blueprints.blueprint("ffn", Layout.TABLE, Targets.CLASS))
    with pytest.raises(SystemExit):
        run(folder, f"python train.py {option}")
    said = capsys.readouterr().err
    assert why in said
    assert "invalid" not in said


SEEDED = {
    "ffn": blueprints.blueprint("ffn", Layout.TABLE, Targets.CLASS),
    "random forest": blueprints.blueprint("random_forest", Layout.TABLE, Targets.CLASS),
    "boosting": blueprints.blueprint("gradient_boosting", Layout.TABLE, Targets.NUMBERS),
    "forecast": blueprints.blueprint(STATISTICAL, Layout.SERIES, Targets.NUMBERS, kind="forecast", members=()),
    "vae": blueprints.blueprint("vae", Layout.PICTURE, Targets.ITSELF),
    "gan": blueprints.blueprint("gan", Layout.TABLE, Targets.ITSELF),
}


@pytest.mark.parametrize("name", SEEDED)
def test_seeds_are_those_of_numpy(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = project(tmp_path / "project", SEEDED[name])
    few = " --steps 1" if SEEDED[name].is_network else ""
    for seed in ("-1", "4294967296", "5000000000", "9" * 5000, "1.0", "٣"):
        with pytest.raises(SystemExit) as ended:
            run(folder, f"python train.py --seed={seed}{few}")
        assert ended.value.code == 2
        assert "is no whole number from 0 to 4294967295" in capsys.readouterr().err
    for seed in ("0", "4294967295"):
        run(folder, f"python train.py --seed {seed}{few} --output runs{seed}")
    if (folder / "generate.py").exists():
        for option in ("--seed -1", "--seed 5000000000", "--number -1"):
            with pytest.raises(SystemExit) as ended:
                run(folder, f"python generate.py --weights runs0/best.pt {option}")
            assert ended.value.code == 2
        run(folder, "python generate.py --weights runs0/best.pt --seed 4294967295")


def test_no_option_shows_the_name_of_a_function() -> None:
    """argparse prints `invalid NAME value` for a type that raises ValueError: these are the ones that never do."""
    speaking = {"above_zero", "whole", "number", "seed", "choice", "Path"}
    found = {
        kind
        for template in TEMPLATES.rglob("*.j2")
        for kind in re.findall(r"add_argument\([^\n]*\btype=(\w+)", template.read_text())
    }
    assert found <= speaking
