"""Published models: what profiles/models says of them is what the libraries build that published them."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.errors import InputError
from advisor.models.model import Layer, Model
from advisor.models.published import load_models, published_models
from advisor.models.style import OTHER, activation_of, normalization_of
from tests.models.libraries import OTHERS, built

BUILT = [
    name for name, model in published_models().items() if model.built.startswith(("timm:", "smp:")) or name in OTHERS
]

LONG = {"timesfm-2.5-200m", "stable-diffusion-xl", "stable-diffusion-3.5-large", "flux.1-dev"}
"""Those that take half a minute; smaller ones of the same libraries are built in every run."""


def total(layers: list[Layer] | tuple[Layer, ...], what: str) -> int:
    return sum(getattr(layer, what) for layer in layers)


@pytest.mark.some(6)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.thorough) if name in LONG else name for name in BUILT]
)
def test_a_library_builds_the_same_network(name: str) -> None:
    published = published_models()[name]
    model = published.model()
    found = built(name, published.built, model.input).traced()
    assert model.parameters == pytest.approx(total(found, "parameters"), rel=1e-3)
    assert model.multiply_adds == pytest.approx(total(found, "multiply_adds"), rel=0.02)
    kept = total(found, "kept") + total(found, "kept_bytes") / 4
    assert model.kept + model.kept_bytes / 4 == pytest.approx(kept, rel=0.06)
    if isinstance(published.network, Model):
        assert (model.told_normalization, model.told_activation) == (normalization_of(found), activation_of(found))
    elif published.field != "diffusion":  # whose blocks call functions
        assert activation_of(found) in (activation_of(model.layers), OTHER)  # which functions that are called show not


@pytest.mark.parametrize(
    ("name", "normalization", "activation"),
    [
        ("llama-3.1-8b", "rms_norm", "swish"),
        ("bert-base", "layer_norm", "gelu"),
        ("resnet50", "batch_norm", "relu"),
        ("convnext_tiny", "layer_norm", "gelu"),
        ("t5-base", "rms_norm", "relu"),
        ("ddpm-cifar10-32", "group_norm", "swish"),
        ("nnunet-plain-3d", OTHER, "leaky_relu"),
        ("dlrm-criteo", "none", "relu"),
    ],
)
def test_layers_tell_what_normalises_and_what_bends(name: str, normalization: str, activation: str) -> None:
    layers = published_models()[name].model().layers
    assert (normalization_of(layers), activation_of(layers)) == (normalization, activation)


def test_every_model_says_what_it_is_and_where_its_figures_come_from() -> None:
    for model in published_models().values():
        counted = model.model()
        assert counted.parameters > 0
        assert counted.multiply_adds > 0
        assert counted.kept > 0
        assert counted.active <= counted.parameters
        assert model.tasks, model.name
        assert counted.origin, model.name
        assert counted.licence, model.name


def test_a_larger_picture_takes_more_of_the_same_network() -> None:
    resnet = published_models()["resnet50"]
    small, large = resnet.model(), resnet.model((3, 448, 448))
    assert large.parameters == small.parameters
    assert large.multiply_adds / small.multiply_adds == pytest.approx(4, rel=0.01)
    assert large.kept / small.kept == pytest.approx(4, rel=0.01)


def test_what_was_counted_by_building_it_is_known_for_that_input_alone() -> None:
    with pytest.raises(ValueError, match="counted for inputs"):
        published_models()["efficientnet_b0"].model((3, 448, 448))


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("kind: resnet, sizes: {blocks: [2], bottleneck: false, depth: 3}", "has no key 'depth'"),
        ("kind: resnet, sizes: {bottleneck: false}", "lacks the key 'blocks'"),
        ("kind: resnet, sizes: {blocks: [two], bottleneck: false}", "must be a whole number"),
        ("kind: residual, sizes: {}", "kind cannot be 'residual'"),
        ("kind: resnet, sizes: {blocks: [2], bottleneck: false}, colour: red", "has no key 'colour'"),
        ("counted: {family: odd, input: [3], layers: {stem: [conv, 1, 2]}}", "must be a list of its kind"),
    ],
)
def test_an_entry_that_is_wrong_is_refused_with_its_line(tmp_path: Path, entry: str, said: str) -> None:
    common = "title: A, tasks: none, licence: mit, source: here, date: 2026-11-23"
    text = f"sources: {{here: a test}}\nmodels:\n  a: {{{common}, {entry}}}\n"
    (tmp_path / "some.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said) as caught:
        load_models(tmp_path)
    assert "some.yaml:3" in str(caught.value)
