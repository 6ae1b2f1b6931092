"""A config.json of Hugging Face: the network that it describes, counted without running code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from advisor.errors import InputError
from advisor.models.families.transformers import Decoder
from advisor.models.huggingface import READERS, family_of, network_of
from advisor.models.model import Source
from advisor.models.published import published_models
from advisor.models.tape import Tape
from advisor.models.tracing.trace import traced
from tests.cli.program import advisor, refused
from tests.models.libraries import as_in_training, library
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


@pytest.mark.parametrize("kind", sorted(READERS.keys() - {"mamba", "mamba2", "falcon_mamba"}))
@pytest.mark.parametrize("whole", [True, False], ids=["every key", "what differs"])
def test_every_kind_is_counted_as_the_library_builds_it(kind: str, whole: bool) -> None:
    """From the file as the library saves it: with what differs from the usual, and with all that it knows."""
    pytest.importorskip("transformers", reason="the library builds the networks")
    auto = library("transformers")
    config = auto.AutoConfig.for_model(kind, **SMALL[kind])
    keys = json.loads(config.to_json_string(use_diff=not whole))
    network = family_of(keys, "config.json")
    writes = isinstance(network, Decoder)
    config._attn_implementation = "eager" if kind in ("gemma2", "gpt_oss") else "sdpa"

    def build() -> nn.Module:
        made: nn.Module = (auto.AutoModelForCausalLM if writes else auto.AutoModel).from_config(config)
        return made

    def inputs(batch: int) -> dict[str, Any]:
        tokens = {"input_ids": torch.zeros(batch, 64, dtype=torch.long)}
        return tokens | {"use_cache": False} if writes else tokens

    tape = Tape()
    network.count(tape, (64,))
    with as_in_training():
        found = traced(build, inputs)
    for what, close in (("parameters", 0), ("multiply_adds", 1e-3)):
        ours, theirs = (sum(getattr(layer, what) for layer in layers) for layers in (tape.layers, found))
        assert ours == pytest.approx(theirs, rel=close), what


_SIZES = {"num_hidden_layers": 2, "pad_token_id": 0}
_WIDE = _SIZES | {"hidden_size": 256, "intermediate_size": 512, "num_attention_heads": 4, "vocab_size": 1000}
_EXPERTS = {"num_experts_per_tok": 2, "experts_implementation": "grouped_mm"}
_LATENT = _EXPERTS | {
    "moe_intermediate_size": 128, "kv_lora_rank": 32, "qk_rope_head_dim": 16, "qk_nope_head_dim": 32, "v_head_dim": 24,
    "first_k_dense_replace": 1, "num_key_value_heads": 4,
}  # fmt: skip
SMALL: dict[str, dict[str, Any]] = {
    **dict.fromkeys(READERS, _SIZES),
    "gpt2": {"n_layer": 2},
    "mixtral": _WIDE | _EXPERTS | {"num_local_experts": 4, "num_key_value_heads": 2},
    "gpt_oss": _WIDE | _EXPERTS | {"num_local_experts": 4, "num_key_value_heads": 2, "head_dim": 64},
    **dict.fromkeys(("glm", "glm4"), _WIDE | {"num_key_value_heads": 2, "head_dim": 64}),
    "cohere": _WIDE | {"num_key_value_heads": 2},
    "cohere2": _WIDE | {"num_key_value_heads": 2, "head_dim": 32, "attention_bias": True},
    "deepseek_v2": _WIDE | _LATENT | {"n_routed_experts": 8, "n_shared_experts": 2, "q_lora_rank": None},
    "deepseek_v3": _WIDE | _LATENT | {"n_routed_experts": 8, "n_group": 2, "topk_group": 1, "q_lora_rank": 48},
    "qwen3_moe": _WIDE | _EXPERTS | {"num_experts": 8, "moe_intermediate_size": 128, "num_key_value_heads": 2},
}


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
        (LLAMA | {"tie_word_embeddings": "true"}, 'tie_word_embeddings must be true or false, not "true"'),
        (LLAMA | {"mlp_bias": [False]}, "mlp_bias must be true or false, not [false]"),
        (LLAMA | {"hidden_act": "sillu"}, "Did you mean silu?"),
        (
            LLAMA | {"model_type": "qwen3_moe", "mlp_only_layers": [0], "num_experts": 4, "num_experts_per_tok": 2},
            "mlp_only_layers is [0], and only [] can be counted",
        ),
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
