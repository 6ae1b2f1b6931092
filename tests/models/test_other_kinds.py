"""Networks with a vision tower, and those that carry a state: as many weights as the library gives them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from advisor.errors import InputError
from advisor.models.configuration import Config
from advisor.models.heads import with_head
from advisor.models.huggingface import family_of, network_of
from advisor.models.huggingface_vision import USUAL
from advisor.models.tape import Tape
from tests.models.libraries import library

TEXT = {
    "num_hidden_layers": 2, "hidden_size": 64, "intermediate_size": 96, "num_attention_heads": 4, "vocab_size": 500,
    "num_key_value_heads": 2, "head_dim": 16, "pad_token_id": 0,
}  # fmt: skip
TOWER = {
    "num_hidden_layers": 3, "hidden_size": 48, "intermediate_size": 80, "num_attention_heads": 4, "image_size": 56,
    "patch_size": 14,
}  # fmt: skip
CLIP, SIGLIP = TOWER | {"model_type": "clip_vision_model"}, TOWER | {"model_type": "siglip_vision_model"}
STATE = {"num_hidden_layers": 2, "hidden_size": 96, "vocab_size": 500, "state_size": 8, "pad_token_id": 0}
HEADS = STATE | {"num_heads": 12, "head_dim": 16, "n_groups": 4}


def seen(text: str, tower: dict[str, Any] = CLIP, **said: Any) -> dict[str, Any]:
    return {"text_config": TEXT | {"model_type": text}, "vision_config": tower, **said}


NETWORKS: dict[str, tuple[str, dict[str, Any]]] = {
    "llava": ("llava", seen("llama")),
    "llava of mistral": ("llava", seen("mistral", vision_feature_layer=[-2, -1], multimodal_projector_bias=False)),
    "llava of siglip": ("llava", seen("qwen2", SIGLIP, vision_feature_select_strategy="full")),
    "llava tied": ("llava", seen("llama", tie_word_embeddings=True)),
    "gemma3": ("gemma3", seen("gemma3_text", SIGLIP | {"vision_use_head": False}, mm_tokens_per_image=4)),
    "gemma3 with a head": ("gemma3", seen("gemma3_text", SIGLIP, mm_tokens_per_image=16)),
    "paligemma": ("paligemma", seen("gemma", SIGLIP | {"vision_use_head": False}, projection_dim=64)),
    "paligemma 2": ("paligemma", seen("gemma2", SIGLIP | {"vision_use_head": False}, projection_dim=64)),
    "mamba": ("mamba", STATE),
    "mamba with biases": ("mamba", STATE | {"use_bias": True, "use_conv_bias": False, "time_step_rank": 5}),
    "falcon_mamba": ("falcon_mamba", STATE | {"expand": 3, "tie_word_embeddings": False}),
    "mamba2": ("mamba2", HEADS),
    "mamba2 with biases": ("mamba2", HEADS | {"use_bias": True, "conv_kernel": 3, "tie_word_embeddings": True}),
}


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("whole", [True, False], ids=["every key", "what differs"])
def test_the_weights_are_those_of_the_library(name: str, whole: bool) -> None:
    pytest.importorskip("transformers", reason="the library builds the networks")
    auto = library("transformers")
    kind, sizes = NETWORKS[name]
    config = auto.AutoConfig.for_model(kind, **sizes)
    config.pad_token_id = 0  # which Gemma3Model asks for
    base = type(config).__name__.removesuffix("Config")
    named = {
        ending: getattr(auto, base + ending, None) for ending in ("Model", "ForCausalLM", "ForConditionalGeneration")
    }
    classes = {ending: made for ending, made in named.items() if made and made.config_class is type(config)}
    assert classes
    for ending, made in classes.items():
        with torch.device("meta"):
            module = made(config)
        keys = json.loads(config.to_json_string(use_diff=not whole)) | {"architectures": [base + ending]}
        network, remark = with_head(Config("config.json", keys), family_of(keys, "config.json"))
        tape = Tape()
        network.count(tape, (64,))
        assert sum(layer.parameters for layer in tape.layers) == sum(one.numel() for one in module.parameters()), ending
        assert remark == ""
        assert all(layer.multiply_adds >= 0 and layer.kept >= 0 for layer in tape.layers)


@pytest.mark.parametrize("kind", USUAL)
def test_sizes_that_a_part_leaves_out_are_those_of_the_library(kind: str) -> None:
    pytest.importorskip("transformers", reason="the library knows the sizes")
    config = library("transformers").AutoConfig.for_model(kind).to_dict()
    assert {key: config[key] for key in USUAL[kind]} == dict(USUAL[kind])


def test_a_published_configuration_that_says_only_what_differs() -> None:
    """As llava-1.5-7b has it: 7,063,427,072 weights, as its card says."""
    text = {"model_type": "llama", "vocab_size": 32064, "max_position_embeddings": 4096}
    tower = {
        "model_type": "clip_vision_model", "hidden_size": 1024, "image_size": 336, "intermediate_size": 4096,
        "num_attention_heads": 16, "num_hidden_layers": 24, "patch_size": 14,
    }  # fmt: skip
    tape = Tape()
    network = family_of({"model_type": "llava", "text_config": text, "vision_config": tower}, "config.json")
    network.count(tape, network.input)
    assert sum(layer.parameters for layer in tape.layers) == 7_063_427_072


DEEPSEEK_V3: dict[str, Any] = {
    "model_type": "deepseek_v3", "vocab_size": 129280, "hidden_size": 7168, "intermediate_size": 18432,
    "moe_intermediate_size": 2048, "num_hidden_layers": 61, "num_attention_heads": 128, "n_shared_experts": 1,
    "n_routed_experts": 256, "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_rope_head_dim": 64, "v_head_dim": 128,
    "qk_nope_head_dim": 128, "num_experts_per_tok": 8, "first_k_dense_replace": 3, "moe_layer_freq": 1,
}  # fmt: skip


@pytest.mark.parametrize("kind", ["deepseek_v2", "deepseek_v3"])
@pytest.mark.parametrize("missing", ["n_shared_experts", "first_k_dense_replace"])
def test_what_deepseek_does_not_state_is_as_in_the_library(kind: str, missing: str) -> None:
    pytest.importorskip("transformers", reason="the library has the usual sizes")
    usual = getattr(library("transformers").AutoConfig.for_model(kind), missing)
    sizes = {
        "hidden_size": 64,
        "num_hidden_layers": 5,
        "num_attention_heads": 2,
        "intermediate_size": 96,
        "vocab_size": 100,
    }
    keys = sizes | {"moe_intermediate_size": 32, "n_routed_experts": 8, "num_experts_per_tok": 2, "model_type": kind}
    assert family_of(keys, "config.json") == family_of(keys | {missing: usual}, "config.json")
    assert family_of(keys, "config.json") != family_of(keys | {missing: usual + 1}, "config.json")


def test_deepseek_may_share_no_expert() -> None:
    keys = DEEPSEEK_V3 | {"n_shared_experts": None}
    assert family_of(keys, "config.json") == family_of(keys | {"n_shared_experts": 0}, "config.json")


@pytest.mark.parametrize("count", [0, 1, 2])
def test_layers_for_further_tokens_are_left_out_with_a_sentence(count: int, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(DEEPSEEK_V3 | {"num_nextn_predict_layers": count}))
    found = network_of(tmp_path / "config.json")
    said = ["", "1 layer guesses tokens after the next", "2 layers guess tokens after the next"][count]
    assert " ".join(found.remarks).startswith(said)
    assert bool(found.remarks) == bool(count)


def test_deepseek_v3_has_as_many_weights_as_its_paper_says() -> None:
    tape = Tape()
    family_of(DEEPSEEK_V3, "config.json").count(tape, (64,))
    assert sum(layer.parameters for layer in tape.layers) / 1e9 == pytest.approx(671.0, abs=0.1)
    assert sum(layer.active for layer in tape.layers) / 1e9 == pytest.approx(37.5, abs=0.2)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"model_type": "llava"}, "it has no text_config"),
        ({"model_type": "llava", "text_config": {"model_type": "bert"}}, "text_config: it has no vocab_size"),
        (seen("bert") | {"model_type": "llava"}, "'bert', which writes no text"),
        (seen("llama", TOWER | {"model_type": "pixtral"}) | {"model_type": "llava"}, "'pixtral', and only clip_vision_model"),
        (seen("llama", CLIP | {"num_attention_heads": 5}) | {"model_type": "llava"}, "cannot be shared by 5 heads"),
        (seen("llama", CLIP | {"patch_size": 57}) | {"model_type": "llava"}, "a patch of 57 pixels is larger"),
        (seen("gemma", SIGLIP) | {"model_type": "paligemma"}, "projection_dim is 2,048"),
        (HEADS | {"model_type": "mamba2", "num_heads": 5}, "5 heads of 16 values are not the 192"),
        ({"model_type": "mllama", "text_config": {"model_type": "mllama_text_model"}}, "has several parts"),
        ({"model_type": "qwen2_vl", "text_config": {"model_type": "qwen2_vl_text"}}, "has several parts"),
    ],
)  # fmt: skip
def test_what_cannot_be_counted_is_refused_with_the_key(keys: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as caught:
        family_of(keys, "config.json")
    assert said in str(caught.value)
