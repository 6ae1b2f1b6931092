"""A config.json of Hugging Face: the network that it describes, counted without running code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import InputError
from advisor.models.huggingface import READERS, family_of, network_of
from advisor.models.model import Model, Source
from advisor.models.published import PublishedModel, published_models
from advisor.models.tape import Tape
from tests.cli.program import advisor, refused
from tests.properties import examples

LLAMA: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_act": "silu",
    "hidden_size": 2048,
    "intermediate_size": 8192,
    "max_position_embeddings": 131072,
    "num_attention_heads": 32,
    "num_hidden_layers": 16,
    "num_key_value_heads": 8,
    "tie_word_embeddings": True,
    "vocab_size": 128256,
}
"""As that of Llama 3.2 1B says."""


def written(folder: Path, keys: Any) -> Path:
    path = folder / "config.json"
    path.write_text(keys if isinstance(keys, str) else json.dumps(keys), encoding="utf-8")
    return path


def test_a_configuration_is_counted_like_the_published_network_that_it_describes(tmp_path: Path) -> None:
    model, published = network_of(written(tmp_path, LLAMA)), published_models()["llama-3.2-1b"].model()
    assert model.layers == published.layers
    assert model.source is Source.YOURS


DESCRIBED = [
    model
    for model in published_models().values()
    if model.built.startswith("transformers:") and not isinstance(model.network, Model)
]


@pytest.mark.some(10)
@pytest.mark.parametrize("model", DESCRIBED, ids=lambda model: model.name)
def test_what_the_library_writes_is_read_as_the_network_that_it_builds(model: PublishedModel) -> None:
    pytest.importorskip("transformers", reason="the library writes the configurations")
    from tests.models.building import CONFIGURATIONS

    assert not isinstance(model.network, Model)
    config_class, options, _ = CONFIGURATIONS[model.built.removeprefix("transformers:")]
    keys = json.loads(json.dumps(config_class(**options(model.network)).to_dict(), default=str))
    if keys["model_type"] not in READERS:
        pytest.skip(f"{keys['model_type']} is not read yet")
    found = Tape()
    family_of(keys, "config.json").count(found, model.network.input)
    ours = model.model()
    head = 0 if getattr(model.network, "head", True) else keys["vocab_size"] * keys["hidden_size"]
    pooled = sum(layer.parameters for layer in found.layers if layer.name == "pooler") if not pooler(model) else 0
    assert sum(layer.parameters for layer in found.layers) - pooled == ours.parameters + head * (
        not keys["tie_word_embeddings"]
    )
    met = [layer for layer in found.layers if layer.name not in ("head", "pooler")]
    assert sum(layer.multiply_adds for layer in met) == sum(
        layer.multiply_adds for layer in ours.layers if layer.name not in ("head", "pooler")
    )


def pooler(model: PublishedModel) -> bool:
    return bool(getattr(model.network, "pooler", False))


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("{", "it is no JSON"),
        ("[1]", "it holds no keys with values"),
        ({}, "it has no model_type"),
        (LLAMA | {"model_type": "lama"}, "Did you mean llama?"),
        ({key: value for key, value in LLAMA.items() if key != "hidden_size"}, "it has no hidden_size"),
        (LLAMA | {"num_hidden_layers": "16"}, "num_hidden_layers must be a whole number"),
        (LLAMA | {"num_hidden_layers": 10**9}, "num_hidden_layers must be a whole number of at most 2,000"),
        (LLAMA | {"num_attention_heads": 0}, "num_attention_heads must be 1 or more"),
        (LLAMA | {"num_key_value_heads": 5}, "cannot share 5 heads of keys"),
        (LLAMA | {"hidden_act": "sillu"}, "Did you mean silu?"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_counted_is_told_with_the_key(tmp_path: Path, keys: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        network_of(written(tmp_path, keys))
    assert said in str(caught.value)
    assert "config.json" in str(caught.value)


VALUES = st.none() | st.booleans() | st.integers(-5, 5000) | st.floats() | st.text(max_size=5) | st.just([1])


@examples(300)
@given(
    kind=st.sampled_from(sorted(READERS)), changed=st.dictionaries(st.sampled_from(sorted(LLAMA)), VALUES, max_size=4)
)
def test_any_values_are_counted_or_refused(kind: str, changed: dict[str, Any]) -> None:
    small = LLAMA | {"num_hidden_layers": 2, "n_layer": 2, "n_embd": 64, "n_head": 4, "n_positions": 128}
    keys = small | {"num_local_experts": 4, "num_experts_per_tok": 2} | changed | {"model_type": kind}
    if isinstance(keys["num_hidden_layers"], int):
        keys["num_hidden_layers"] = min(keys["num_hidden_layers"], 3)
    tape, refused_at = Tape(), []
    try:
        network = family_of(keys, "config.json")
        network.count(tape, network.input)
    except InputError as error:
        refused_at = [problem.where for problem in error.problems]
    assert set(refused_at) <= {"config.json"}
    assert bool(refused_at) != bool(tape.layers)
    assert all(layer.parameters >= 0 and layer.multiply_adds >= 0 and layer.kept >= 0 for layer in tape.layers)


def test_models_show_takes_a_configuration(tmp_path: Path) -> None:
    path = written(tmp_path, LLAMA)
    told = json.loads(advisor("models", "show", path, "--format", "json").out)
    assert told["parameters"] == 1_235_814_400
    assert told["source"] == "yours"
    assert "it has no model_type" in refused("models", "show", written(tmp_path, {}))
