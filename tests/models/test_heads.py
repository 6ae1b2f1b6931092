"""The head of a network that a config.json describes is the one of the class that `architectures` names."""

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
from advisor.models.tape import Tape
from tests.models.libraries import library

WIDE = {
    "num_hidden_layers": 2, "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, "vocab_size": 1000,
    "num_key_value_heads": 2, "num_labels": 5, "pad_token_id": 0,
}  # fmt: skip
GPT2 = {"n_layer": 2, "n_embd": 64, "n_head": 4, "vocab_size": 1000, "n_positions": 128, "num_labels": 5}
EXPERTS = WIDE | {"num_experts_per_tok": 2, "num_local_experts": 4, "head_dim": 32}
KINDS: dict[str, dict[str, Any]] = {
    **dict.fromkeys(("mistral", "llama", "qwen2", "phi3", "granite", "olmo3", "smollm3", "bert", "roberta"), WIDE),
    **dict.fromkeys(("qwen3", "gemma", "glm", "glm4"), WIDE | {"head_dim": 16}),
    "gpt2": GPT2, "gpt_oss": EXPERTS, "mixtral": EXPERTS,
}  # fmt: skip
ENDINGS = (
    "Model", "ForCausalLM", "LMHeadModel", "ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering",
    "ForMaskedLM", "ForPreTraining", "ForMultipleChoice", "ForNextSentencePrediction",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_each_head_has_the_weights_that_the_library_gives_it(kind: str) -> None:
    pytest.importorskip("transformers", reason="the library builds the networks")
    auto = library("transformers")
    config = auto.AutoConfig.for_model(kind, **KINDS[kind])
    base = type(config).__name__.removesuffix("Config")
    classes = {base + ending: getattr(auto, base + ending, None) for ending in ENDINGS}
    sizes = {}
    for name, made in classes.items():
        if made is None:
            continue
        with torch.device("meta"):
            module = made(config)
        keys = json.loads(config.to_json_string(use_diff=False)) | {"architectures": [name]}
        network, remark = with_head(Config("config.json", keys), family_of(keys, "config.json"))
        tape = Tape()
        network.count(tape, (64,))
        assert remark == ""
        sizes[name] = sum(layer.parameters for layer in tape.layers), sum(one.numel() for one in module.parameters())
    assert len(sizes) >= 2
    assert {name: ours for name, (ours, _) in sizes.items()} == {name: theirs for name, (_, theirs) in sizes.items()}


MAMBA = {"hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 1000, "tie_word_embeddings": False}
LLAVA = {
    "model_type": "llava", "num_labels": 5,
    "text_config": WIDE | {"model_type": "llama"},
    "vision_config": {
        "model_type": "clip_vision_model", "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 2, "image_size": 28, "patch_size": 14,
    },
}  # fmt: skip
STATES = {"model_type": "mamba", **MAMBA}
SECOND = {"model_type": "mamba2", **MAMBA, "num_heads": 2}
VOCABULARY = 64 * 1000


@pytest.mark.parametrize(
    ("keys", "name", "head"),
    [
        (STATES, "MambaModel", 0),
        (STATES, "MambaForCausalLM", VOCABULARY),
        (STATES, "MambaLMHeadModel", VOCABULARY),
        (SECOND, "Mamba2Model", 0),
        (SECOND, "Mamba2LMHeadModel", VOCABULARY),
        (LLAVA, "LlavaModel", 0),
        (LLAVA, "LlavaForConditionalGeneration", VOCABULARY),
        (LLAVA, "LlavaForSequenceClassification", 64 * 5),
    ],
)
def test_networks_of_other_kinds_have_the_head_of_their_class(
    keys: dict[str, Any], name: str, head: int, tmp_path: Path
) -> None:
    plain = network_of(written(tmp_path, keys | {"architectures": [keys["model_type"].title() + "Model"]}))
    model = network_of(written(tmp_path, keys | {"architectures": [name]}))
    assert (model.parameters - plain.parameters, model.remarks) == (head, ())


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        (STATES, "MambaForSequenceClassification"), (SECOND, "Mamba2ForTokenClassification"), (STATES, "Mamba"),
        (LLAVA, "LlavaForTokenClassification"), (LLAVA, "LlavaRewardModelling"),
    ],
)  # fmt: skip
def test_heads_that_no_class_of_their_kind_has_are_said(keys: dict[str, Any], name: str, tmp_path: Path) -> None:
    (said,) = network_of(written(tmp_path, keys | {"architectures": [name]})).remarks
    assert said.startswith(f"The head of {name}, ")
    assert said.endswith("an output for each token of the vocabulary is counted.")


LLAMA = WIDE | {"model_type": "llama", "max_position_embeddings": 256}


def written(folder: Path, keys: dict[str, Any]) -> Path:
    path = folder / "config.json"
    path.write_text(json.dumps(keys))
    return path


def test_a_head_that_is_not_known_is_said(tmp_path: Path) -> None:
    model = network_of(written(tmp_path, LLAMA | {"architectures": ["LlamaForRewards"]}))

    assert model.remarks == (
        "The head of LlamaForRewards, which architectures names, is not known: an output for each token of the vocabulary "
        "is counted.",
    )


@pytest.mark.parametrize("named", [None, [], "LlamaModel", [3]])
def test_without_a_class_a_language_model_has_its_head(named: Any, tmp_path: Path) -> None:
    plain = network_of(written(tmp_path, LLAMA)).parameters

    assert network_of(written(tmp_path, LLAMA | {"architectures": named})).parameters == plain


def test_names_of_classes_say_how_many_there_are(tmp_path: Path) -> None:
    keys = LLAMA | {"architectures": ["LlamaForSequenceClassification"], "num_labels": None}
    three = network_of(written(tmp_path, keys | {"id2label": {"0": "a", "1": "b", "2": "c"}}))
    two = network_of(written(tmp_path, keys))

    assert three.parameters - two.parameters == 64


@pytest.mark.parametrize(
    ("keys", "said", "not_said"),
    [
        ({"model_type": "deepseek_v9"}, "'deepseek_v9' is not known here", "Did you mean"),
        ({"model_type": "qwen4"}, "'qwen4' is not known here", "Did you mean"),
        ({"model_type": "mllama", "text_config": {"model_type": "llama"}}, "Its part for texts is of the kind 'llama'", "mean"),
        ({"model_type": "gemma4", "text_config": {}}, "has several parts, which cannot be counted together", "Did you mean"),
        ({"model_type": "lama"}, "Did you mean llama?", "several parts"),
        (LLAMA | {"num_hidden_layers": 0}, "num_hidden_layers must be 1 or more", "Did you mean"),
        (LLAMA | {"vocab_size": 0}, "vocab_size must be 1 or more", "Did you mean"),
    ],
)  # fmt: skip
def test_what_cannot_be_counted_says_why_and_names_no_other_network(
    keys: dict[str, Any], said: str, not_said: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        network_of(written(tmp_path, keys))
    assert said in str(caught.value)
    assert not_said not in str(caught.value)
