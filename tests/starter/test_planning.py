"""What the plan leaves open is filled in, and told."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.agent.settling.workloads import workload_of
from advisor.datasets.again import intake_of
from advisor.datasets.inspect import inspect
from advisor.errors import InputError
from advisor.inference.plan import Status
from advisor.networks.registry import buildable, family, folder_of
from advisor.probes.workload import Workload
from advisor.starter.blueprint import CLASSICAL, Layout, Targets
from advisor.starter.planning import blueprint_of
from advisor.starter.rendering import FOLDERS, templates_of
from tests.networks.all_examples import EXAMPLES
from tests.starter.projects import TABLE, knowledge, plan_of, with_advice

TIMED = [name for name in buildable() if family(name).untimed is None and family(name).modality != "tree"]
"""Of trees no plan knows the size."""


def test_every_type_of_network_has_its_templates() -> None:
    types = knowledge().topics["network.type"].values
    assert set(types) == {*buildable(), *CLASSICAL}
    for name in types:
        for template in templates_of(blueprint_of(plan_of(TABLE, network_type=name))).values():
            assert any((folder / template).is_file() for folder in FOLDERS), f"{name}: {template}"
        assert name in CLASSICAL or (folder_of(name) / "model.py.j2").is_file(), f"{name}: model.py.j2"


def test_a_plan_without_a_type_of_network_is_refused_with_what_to_state() -> None:
    plan = plan_of("data.modality=tabular")
    entry = replace(plan.recommendations["network.type"], value=None, tied=(), status=Status.OPEN)
    with pytest.raises(InputError, match=r"State task\.kind and data\.modality"):
        blueprint_of(replace(plan, recommendations={**plan.recommendations, "network.type": entry}))


def test_of_several_that_lead_together_the_first_is_taken_and_told() -> None:
    plan = plan_of(TABLE)
    entry = replace(plan.recommendations["network.init"], value=None, tied=("orthogonal", "he"), status=Status.OPEN)
    blueprint = blueprint_of(replace(plan, recommendations={**plan.recommendations, "network.init": entry}))
    assert blueprint.init == "orthogonal"
    assert "Initial weights: orthogonal and he lead together; the project takes orthogonal." in blueprint.differences


@pytest.mark.parametrize("network", TIMED)
@pytest.mark.parametrize("normalization", ["layer_norm", ("group_norm", "batch_norm")])
def test_the_network_that_is_timed_is_that_of_the_project(network: str, normalization: str | tuple[str, ...]) -> None:
    """Also where several normalisations lead together."""
    facts = f"task.kind=classify task.outputs=64 data.modality={EXAMPLES[network].modality} data.inputs=64"
    advice = {
        "network.type": network,
        "network.hidden_units": [8],
        "training.loss": family(network).loss,
        "training.regularization": ["dropout"],
    }
    plan = with_advice(plan_of(f"{facts} data.sequence_length=16"), advice)
    if isinstance(normalization, tuple):
        entry = replace(plan.recommendations["network.normalization"], value=None, tied=normalization)
        plan = replace(plan, recommendations={**plan.recommendations, "network.normalization": entry})
    else:
        plan = with_advice(plan, {"network.normalization": normalization})
    timed, project = workload_of(plan), blueprint_of(plan)
    assert isinstance(timed, Workload), timed
    assert (timed.normalization, timed.dropout) == (project.normalization, project.dropout)
    assert timed.activation == project.activation
    first = normalization[0] if isinstance(normalization, tuple) else normalization
    assert timed.normalization == (first if first in family(network).normalizations else "none")


@pytest.mark.parametrize(
    ("network", "normalization", "told"),
    [
        ("lstm", "batch_norm", "Normalisation: the plan advises batch_norm; the project's lstm has no normalisation."),
        ("lstm", "layer_norm", None),
        ("transformer", "layer_norm", None),
        (
            "transformer",
            "batch_norm",
            "Normalisation: the plan advises batch_norm; the project's transformer has layer_norm.",
        ),
    ],
)
def test_a_normalisation_that_a_network_does_not_take_is_told(
    network: str, normalization: str, told: str | None
) -> None:
    facts = "task.kind=classify task.outputs=3 data.modality=time_series data.inputs=2 data.sequence_length=16"
    plan = with_advice(plan_of(facts), {"network.type": network, "network.normalization": normalization})
    said = [difference for difference in blueprint_of(plan).differences if difference.startswith("Normalisation")]
    assert said == ([] if told is None else [told])


def test_sizes_that_nobody_knows_are_told() -> None:
    blueprint = blueprint_of(plan_of("task.kind=classify data.modality=tabular data.sparse_ids=yes"))
    assert (blueprint.shape.values, blueprint.outputs) == (16, 2)
    assert any("data.inputs and task.outputs" in difference for difference in blueprint.differences)


@pytest.mark.parametrize(
    ("topic", "value", "word"),
    [
        ("network.init", "pretrained", "downloads nothing"),
        ("training.precision", "fp8", "uses bfloat16"),
        ("parallelism.strategy", "sharded_data_parallel", "data parallel"),
        ("sync.strategy", "local_sgd", "exchanges gradients at every step"),
        ("memory.strategy", "offload", "keeps all states on each device"),
        ("framework", "jax", "is written in PyTorch"),
    ],
)
def test_what_a_small_project_cannot_do_is_told(topic: str, value: str, word: str) -> None:
    blueprint = blueprint_of(with_advice(plan_of(TABLE), {topic: value}))
    assert any(word in difference for difference in blueprint.differences)


def test_boosting_of_differences_is_told_to_be_another_model() -> None:
    series = "task.kind=forecast data.modality=time_series data.sequence_length=24 task.outputs=1"
    plain, lagged = (
        blueprint_of(plan_of(f"{series}{more}", network_type="gradient_boosting")) for more in ("", " trial.lagged=yes")
    )
    (told,) = set(lagged.differences) - set(plain.differences)
    assert "boosting of differences" in told


def test_a_linear_model_on_features_of_a_network_is_told_to_be_another_model() -> None:
    pictures = "task.kind=classify data.modality=image data.inputs=256 task.outputs=2"
    plain, other = (
        blueprint_of(plan_of(f"{pictures}{more}", network_type="linear")) for more in ("", " trial.backbone=resnet18")
    )
    (told,) = set(other.differences) - set(plain.differences)
    assert "linear on features of resnet18" in told
    assert "from the pixels themselves" in told


def test_a_plan_that_the_project_follows_in_everything_has_no_differences() -> None:
    assert blueprint_of(plan_of(TABLE)).differences == ()


def test_a_batch_that_does_not_fit_is_worked_through_in_the_passes_of_the_plan() -> None:
    division = {"training.batch_size": 128, "training.micro_batch": 4, "training.accumulation": 4}  # on eight ranks
    recipe = blueprint_of(with_advice(plan_of(TABLE), division)).recipe
    assert (recipe.batch_size, recipe.accumulation) == (16, 4), "of each process"


@pytest.mark.parametrize(
    ("facts", "layout", "targets"),
    [
        ("task.kind=classify data.modality=image", Layout.PICTURE, Targets.CLASS),
        ("task.kind=segment data.modality=image", Layout.PICTURE, Targets.MASK),
        ("task.kind=generate data.modality=image", Layout.PICTURE, Targets.ITSELF),
        ("task.kind=reconstruct data.modality=tabular", Layout.TABLE, Targets.ITSELF),
        ("task.kind=generate task.generation=sequence data.modality=text", Layout.TOKENS, Targets.NEXT_TOKEN),
        ("task.kind=translate data.modality=text", Layout.TOKENS, Targets.NEXT_TOKEN),
        ("task.kind=classify task.multilabel=yes data.modality=text", Layout.TOKENS, Targets.FLAGS),
        ("task.kind=regress data.modality=audio", Layout.SOUND, Targets.NUMBERS),
        ("task.kind=classify data.modality=graph", Layout.GRAPH, Targets.CLASS),
    ],
)
def test_what_is_read_and_what_is_learnt(facts: str, layout: Layout, targets: Targets) -> None:
    blueprint = blueprint_of(plan_of(facts))
    assert (blueprint.layout, blueprint.targets) == (layout, targets)


@pytest.mark.parametrize(
    ("facts", "network", "layout"),
    [
        ("task.kind=represent data.modality=text", "cnn", Layout.TOKENS),
        ("task.kind=detect_anomalies data.modality=text", "ffn", Layout.TOKENS),
        ("task.kind=reconstruct data.modality=tree", "recursive", Layout.TREE),
        ("task.kind=represent data.modality=graph", "gnn", Layout.GRAPH),
    ],
)
def test_where_nothing_can_be_restored_views_of_examples_are_told_apart(
    facts: str, network: str, layout: Layout
) -> None:
    blueprint = blueprint_of(plan_of(facts, network_type=network, training_loss="mse"))
    assert (blueprint.layout, blueprint.targets, blueprint.recipe.loss) == (layout, Targets.ITSELF, "info_nce")
    assert any("InfoNCE" in difference for difference in blueprint.differences)


def test_networks_that_see_counts_of_words_restore_these() -> None:
    plan = plan_of("task.kind=reconstruct data.modality=text", network_type="autoencoder", training_loss="mse")
    assert blueprint_of(plan).recipe.loss == "mse"


@pytest.mark.parametrize("network", ["rbm", "dbn"])
def test_a_boltzmann_machine_alone_learns_by_contrastive_divergence(network: str) -> None:
    plan = plan_of("task.kind=reconstruct data.modality=image", network_type=network, training_loss="mse")
    assert blueprint_of(plan).recipe.loss == "contrastive_divergence"


def test_tokens_are_no_numbers_to_restore() -> None:
    plan = plan_of("task.kind=detect_anomalies data.modality=text", network_type="lstm", training_loss="mse")
    blueprint = blueprint_of(plan)
    assert (blueprint.targets, blueprint.recipe.loss) == (Targets.NEXT_TOKEN, "cross_entropy")
    assert any("predicts the next word" in difference for difference in blueprint.differences)


def test_what_a_process_takes_at_a_time_is_that_of_the_plan_where_it_says_so() -> None:
    plan = with_advice(plan_of(TABLE), {"training.batch_size": 96, "memory.strategy": "gradient_accumulation"})
    usual = plan.recommendations["training.batch_size"]
    said = {"training.micro_batch": replace(usual, value=8), "training.accumulation": replace(usual, value=3)}
    recipe = blueprint_of(replace(plan, recommendations={**plan.recommendations, **said})).recipe
    assert (recipe.batch_size, recipe.accumulation) == (24, 3), "four processes share the batch"


def test_a_project_keeps_the_columns_beside_predictions_that_a_saved_model_keeps(tmp_path: Path) -> None:
    chance = random.Random(3)
    words = [
        "apple",
        "bridge",
        "cloud",
        "dance",
        "earth",
        "field",
        "garden",
        "harbor",
        "island",
        "jungle",
        "kettle",
        "lantern",
    ]
    table = tmp_path / "table.csv"
    rows = [
        f"R{number:04},{' '.join(chance.choices(words, k=9))},2024-01-{number % 28 + 1:02},{number % 7},{number % 2}"
        for number in range(200)
    ]
    table.write_text("\n".join(["code,remark,day,size,answer", *rows]) + "\n")
    found = inspect(table, target="answer")
    keys = intake_of(found).keys
    assert keys is not None
    assert "code" in keys
    for one in ("code", "remark", "day"):
        assert (one in keys) is (one not in found.inputs)
    plan = plan_of("task.kind=classify task.outputs=2 data.modality=tabular data.inputs=1 data.examples=200")
    reads = blueprint_of(plan, table, "answer", inspection=found).reads
    assert reads is not None
    assert reads.keys == keys
    texts = replace(found, inputs=("size",))
    assert intake_of(texts).keys == ("code", "remark", "day")
    reads = blueprint_of(plan, table, "answer", inspection=texts).reads
    assert reads is not None
    assert reads.keys == ("code", "remark", "day")
