from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.networks.description import Layout, Picture, picture
from advisor.networks.registry import buildable
from advisor.networks.spec import Description, layout, reconstructs, why_not, why_not_timed
from advisor.probes.workload import Workload
from tests.networks.all_examples import EXAMPLES


def test_names_and_reasons_are_known_without_torch() -> None:
    code = "import sys, advisor.networks.registry, advisor.networks.spec; print('torch' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("inputs", "shape"),
    [(64, Picture(1, 8)), (784, Picture(1, 28)), (3072, Picture(3, 32)), (150528, Picture(3, 224)), (1000, None)],
)
def test_pictures_are_guessed_from_their_number_of_values(inputs: int, shape: Picture | None) -> None:
    assert picture(inputs) == shape


@given(colors=st.sampled_from([1, 3]), side=st.integers(1, 2000))
def test_every_square_picture_is_recognised_for_what_it_is(colors: int, side: int) -> None:
    assert picture(colors * side * side) == Picture(colors, side)


@pytest.mark.parametrize(
    ("network", "modality", "steps", "expected"),
    [
        ("ffn", "image", None, Layout.FLAT),
        ("cnn", "image", None, Layout.PICTURE),
        ("cnn", "audio", 9, Layout.STEPS),
        ("lstm", "text", 9, Layout.TOKENS),
        ("transformer", "image", None, Layout.PICTURE),
        ("autoencoder", "image", None, Layout.FLAT),
        ("gan", "image", None, Layout.FLAT),
        ("diffusion", "image", None, Layout.PICTURE),
        ("recursive", "tree", 9, Layout.TREE),
        ("gnn", "graph", None, Layout.GRAPH),
    ],
)
def test_layout_follows_type_and_modality(network: str, modality: str, steps: int | None, expected: Layout) -> None:
    assert layout(Workload(network, modality, 64, 10, sequence_length=steps)) is expected


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"network": "hopfield"}, "hopfield cannot be built yet"),
        ({"network": "gnn"}, "A gnn takes a graph, not image data"),
        ({"network": "recursive"}, "A recursive network takes trees, not image data"),
        ({"network": "recursive", "modality": "tree"}, "the nodes of the largest tree: state data.sequence_length"),
        ({"network": "gan"}, "adversarial belongs to the gan alone"),
        ({"network": "diffusion"}, "noise_prediction belongs to the diffusion alone"),
        ({"network": "diffusion", "loss": "noise_prediction", "hidden_units": (4,) * 5}, "cannot be halved 4 times"),
        ({"loss": "contrastive_divergence"}, "contrastive_divergence belongs to the rbm and the dbn alone"),
        ({"network": "rbm", "hidden_units": (4, 4)}, "several on top of one another are a dbn"),
        ({"network": "deconvolutional", "loss": "mse"}, "10 values are no square picture"),
        ({"network": "deconvolutional", "outputs": 64}, "A deconvolutional network gives values"),
        ({"modality": "tabular"}, "A cnn for tabular data cannot be built yet, only for pictures"),
        ({"inputs": 65}, "65 values are no square picture"),
        ({"activation": "maxout"}, "The activation maxout is not known"),
        ({"loss": "info_nce"}, "The loss info_nce cannot be computed yet"),
        ({"loss": "elbo"}, "elbo belongs to the vae alone"),
        ({"network": "lstm"}, "state data.sequence_length"),
        ({"network": "vae", "modality": "tabular", "loss": "mse"}, "elbo belongs to the vae alone"),
        ({"network": "autoencoder"}, "An autoencoder restores values"),
        ({"network": "unet", "hidden_units": (4,) * 5}, "8 pixels wide cannot be halved 4 times"),
        ({"network": "transformer", "hidden_units": (8, 8, 8)}, "its width and that of its feed-forward layers"),
    ],
)
def test_what_cannot_be_built_says_why(changes: dict[str, object], reason: str) -> None:
    spec = replace(Workload("cnn", "image", 64, 10), **changes)  # type: ignore[arg-type]
    assert reason in str(why_not(spec))


def test_what_can_be_built_has_no_reason_against_it() -> None:
    assert why_not(Workload("cnn", "image", 64, 10)) is None
    assert set(buildable()) >= {"ffn", "cnn", "lstm", "transformer"}


def test_what_can_be_built_may_still_not_be_timed() -> None:
    graph = Workload("gnn", "graph", 5, 2)
    assert why_not(graph) is None
    assert "depends on the edges of its graph" in str(why_not_timed(graph))
    assert why_not_timed(Workload("cnn", "image", 64, 10)) is None


@pytest.mark.parametrize(
    ("spec", "alone"),
    [
        (Workload("rbm", "image", 64, 64, loss="contrastive_divergence"), True),
        (Workload("rbm", "image", 64, 10), False),
        (Workload("diffusion", "tabular", 4, 4, loss="noise_prediction"), True),
        (Workload("deconvolutional", "image", 64, 64, loss="mse"), True),
        (Workload("deconvolutional", "tabular", 64, 64, loss="mse"), False),
        (Workload("cnn", "image", 64, 10), False),
    ],
)
def test_who_learns_from_inputs_alone(spec: Workload, alone: bool) -> None:
    assert reconstructs(spec) is alone


@pytest.mark.parametrize("network", EXAMPLES)
def test_inputs_and_outputs_alone_describe_a_network(network: str) -> None:
    """Its loss is the one that goes with it."""
    described = Description(network, EXAMPLES[network].modality, 64, 64, sequence_length=16)
    assert why_not(described) is None


@pytest.mark.parametrize(
    ("figures", "what"),
    [({"inputs": 0}, "0 inputs"), ({"outputs": -1}, "-1 outputs"), ({"hidden_units": (8, 0)}, "0 hidden units")],
)
def test_nothing_cannot_be_an_input_an_output_or_a_layer(figures: dict[str, Any], what: str) -> None:
    described = replace(Description("ffn", "tabular", 4, 2), **figures)
    assert what in (why_not(described) or "")
