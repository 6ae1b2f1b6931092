"""The README says how to start, what was chosen, and why."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

from advisor.facts.verdict import Verdict
from advisor.inference.plan import Flip, Measurement, Plan
from tests.starter.projects import TABLE, commands, generated, knowledge, plan_of


def readme(folder: Path, plan: Plan) -> str:
    return (generated(folder, plan) / "README.md").read_text()


def reasons(folder: Path, plan: Plan) -> str:
    return (generated(folder, plan) / "docs" / "why.md").read_text()


def test_every_choice_has_its_status_its_rule_and_its_sources(tmp_path: Path) -> None:
    plan = plan_of(TABLE)
    text = reasons(tmp_path / "project", plan)
    entry = plan.recommendations["training.optimizer"]
    assert f"### Optimiser: adamw ({entry.status.value})" in text
    for reason in entry.because:
        assert f"Rule `{reason.rule}`" in text
    assert "Loshchilov, Hutter 2019: Decoupled Weight Decay Regularization" in text


def test_an_erratum_stands_with_its_rule(tmp_path: Path) -> None:
    text = reasons(tmp_path / "project", plan_of(TABLE))
    rule = knowledge().by_id["training.loss.classes-cross-entropy"]
    assert rule.erratum
    after = text.partition(f"Rule `{rule.id}`")[2]
    assert after.splitlines()[1].startswith(f"  **Erratum** {rule.erratum[0]}:")


def test_what_was_measured_and_what_would_flip_it(tmp_path: Path) -> None:
    plan = plan_of(TABLE)
    measured = Measurement("threads", 4, 2, Verdict.OVERTURNED, 1.31, 1.22, 1.4, 24)
    entry = plan.recommendations["compute.threads"]
    flip = Flip("machine.cpu.usable_cores", 1, 1)
    changed = replace(entry, value=2, measured=measured, flips=(flip,))
    text = reasons(
        tmp_path / "project", replace(plan, recommendations={**plan.recommendations, "compute.threads": changed})
    )
    assert "- Before 4 threads, after measuring 2 threads:" in text
    assert "- `machine.cpu.usable_cores` = 1 core would make it 1 thread." in text


def test_commands_name_the_data_that_were_named(tmp_path: Path) -> None:
    data = tmp_path / "my data.csv"
    project = generated(tmp_path / "project", plan_of(TABLE), data=data)
    named = [line for line in commands(project) if "train.py --data" in line]
    assert len(named) == 4
    assert all(str(data) in shlex.split(line) for line in named)


TEXTS = "data.modality=text data.inputs=30 data.sequence_length=12 data.examples=9000"
PICTURES = "task.kind=generate task.generation=random data.modality=image data.inputs=784 data.examples=60000"


def test_the_first_trial_of_a_large_network_has_small_batches(tmp_path: Path) -> None:
    large = commands(
        generated(tmp_path / "large", plan_of(PICTURES, network_type="diffusion", training_batch_size=128))
    )
    first, second, data, *_ = [line for line in large if line.startswith("python train.py")]
    assert 2 <= int(first.rpartition("--steps 20 --batch-size ")[2]) <= 16
    assert second.partition(" --batch-size ")[2] == first.partition(" --batch-size ")[2]
    assert "--batch-size" not in data
    test = (tmp_path / "large" / "test_project.py").read_text()
    assert f'"--batch-size", "{first.split()[-1]}"' in test
    assert "20 steps with small batches" in (tmp_path / "large" / "README.md").read_text()


def test_that_of_a_small_one_or_of_one_that_takes_all_examples_at_once_does_not(tmp_path: Path) -> None:
    for number, plan in enumerate(
        [
            plan_of(TABLE),
            plan_of(PICTURES, network_type="unet", training_optimizer="lbfgs"),
            plan_of(TABLE, network_type="linear"),
        ]
    ):
        assert "--batch-size" not in readme(tmp_path / str(number), plan)


def test_networks_that_make_examples_are_told_how(tmp_path: Path) -> None:
    for network in ("vae", "gan", "diffusion", "rbm"):
        project = generated(tmp_path / network, plan_of(PICTURES, network_type=network))
        assert "python generate.py --data PATH --number 16" in commands(project)
        assert (project / "generate.py").exists()
    project = generated(tmp_path / "autoencoder", plan_of(PICTURES, network_type="autoencoder", training_loss="mse"))
    assert not (project / "generate.py").exists()
    assert "generate.py" not in (project / "README.md").read_text()


def test_those_that_translate_too(tmp_path: Path) -> None:
    project = generated(tmp_path / "project", plan_of(f"task.kind=translate {TEXTS}"))
    assert "python generate.py --data PATH --text TEXT" in commands(project)
    assert "`generate.py` translates a text with the best weights" in (project / "README.md").read_text()


def test_data_are_described_with_examples_that_can_be_copied(tmp_path: Path) -> None:
    tree = readme(tmp_path / "tree", plan_of("task.kind=classify data.modality=tree", network_type="recursive"))
    assert '`{"tree": ["+", 1, ["*", 2, 3]], "target": "small"}`' in tree
    graph = readme(tmp_path / "graph", plan_of("task.kind=classify data.modality=graph", network_type="gnn"))
    assert "last column of `nodes.csv`, or in the one that `TARGET`" in graph
    facts = "task.kind=classify task.multilabel=yes task.outputs=3 data.modality=image"
    assert "named `a;b` for both" in readme(tmp_path / "flags", plan_of(facts, network_type="cnn"))


def test_all_files_are_told_and_all_that_are_told_are_there(tmp_path: Path) -> None:
    for name in ("ffn", "gradient_boosting"):
        project = generated(tmp_path / name, plan_of(TABLE, network_type=name))
        text = (project / "README.md").read_text()
        told = {line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ") and ".py |" in line}
        assert told == {path.name for path in project.glob("*.py")}


def test_texts_may_lie_in_folders_or_in_a_table(tmp_path: Path) -> None:
    text = readme(tmp_path / "project", plan_of("task.kind=classify task.outputs=3 data.modality=text"))
    assert "A folder of texts (`.txt`), with a folder in it for each class. Or a table" in text


def test_class_weights_that_won_are_told(tmp_path: Path) -> None:
    tabular = "task.kind=classify data.modality=tabular trial.variant.linear=default"
    plain, weighted = (
        plan_of(f"{tabular}{more}", network_type="linear") for more in ("", " trial.weighted.linear=yes")
    )
    assert "`class_weight`" in reasons(tmp_path / "weighted", weighted)
    assert "class_weight" not in reasons(tmp_path / "plain", plain)


def test_a_readme_is_short_and_names_the_page_with_the_reasons(tmp_path: Path) -> None:
    cluster = "compute.device=cluster cluster.nodes=4 machine.gpu.count=8"
    plans = {
        "table": plan_of(TABLE),
        "boosting": plan_of(TABLE, network_type="gradient_boosting"),
        "pictures": plan_of(PICTURES, network_type="diffusion"),
        "texts": plan_of(f"task.kind=translate {TEXTS}"),
        "cluster": plan_of(f"{TABLE} {cluster.partition(' ')[2]}", compute_device="cluster"),
    }
    for name, plan in plans.items():
        text = readme(tmp_path / name, plan)
        assert "`docs/why.md`" in text
        assert len(text.splitlines()) <= 120, name


def test_an_image_of_a_container_has_no_rights_that_training_does_not_need(tmp_path: Path) -> None:
    for name in ("ffn", "gradient_boosting"):
        lines = (generated(tmp_path / name, plan_of(TABLE, network_type=name)) / "Dockerfile").read_text().splitlines()
        orders = [line.split()[0] for line in lines if not line.startswith("#")]
        assert orders[0] == "FROM"
        assert lines[lines.index(next(line for line in lines if line.startswith("FROM")))] == "FROM python:3.12-slim"
        assert orders.index("USER") > max(place for place, order in enumerate(orders) if order in ("RUN", "COPY"))
        assert "USER root" not in lines
        copies = [line for line in lines if line.startswith("COPY") and "requirements" not in line]
        assert copies == ["COPY --chown=trainer:trainer . ."], "it writes results there"
        left_out = (tmp_path / name / ".dockerignore").read_text().splitlines()
        assert {"data", "runs", ".venv", "**/__pycache__", "**/*.pt"} <= set(left_out)
        assert ("ARG" in orders) is (name == "ffn")
