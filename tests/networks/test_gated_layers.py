"""Layers of large language models against those of the library that publishes them."""

from __future__ import annotations

import torch

from advisor.networks.builders import build
from advisor.networks.families.transformer.network import Transformer, turned
from advisor.probes.workload import Workload
from tests.models.libraries import library

NAMES = {
    "reader": "model.embed_tokens",
    "layers.norm": "model.norm",
    "norm1": "input_layernorm",
    "norm2": "post_attention_layernorm",
    "query": "self_attn.q_proj",
    "key": "self_attn.k_proj",
    "value": "self_attn.v_proj",
    "output": "self_attn.o_proj",
    "gate": "mlp.gate_proj",
    "up": "mlp.up_proj",
    "down": "mlp.down_proj",
    "head": "lm_head",
}
"""Parts of ours, by their names in the library."""


def test_with_the_same_weights_they_answer_as_llama_does() -> None:
    library_of_models = library("transformers")
    spec = Workload("transformer", "text", 50, 50, (1024, 96), 9, activation="swish", normalization="rms_norm")
    ours = build(spec).eval()
    assert isinstance(ours, Transformer)
    config = library_of_models.LlamaConfig(
        vocab_size=50,
        hidden_size=1024,
        intermediate_size=96,
        num_hidden_layers=24,
        num_attention_heads=16,
        num_key_value_heads=8,
        rms_norm_eps=torch.finfo(torch.float32).eps,
        rope_theta=1e4,
        tie_word_embeddings=True,
    )
    theirs = library_of_models.LlamaForCausalLM(config).eval()
    theirs.load_state_dict({_named(name): weights for name, weights in ours.state_dict().items()})

    tokens = torch.randint(50, (2, 9), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        assert torch.allclose(ours(tokens), theirs(tokens).logits, atol=1e-4)


def test_the_angle_between_turned_values_depends_on_their_distance_alone() -> None:
    query, key = torch.randn(2, 1, 1, 1, 8, generator=torch.Generator().manual_seed(0))
    queries, keys = turned(query.expand(1, 12, 1, 8)), turned(key.expand(1, 12, 1, 8))
    scores = torch.einsum("bqhd,bkhd->qk", queries, keys)
    assert torch.allclose(scores[3, 1], scores[11, 9], atol=1e-5)
    assert not torch.allclose(scores[3, 1], scores[11, 8], atol=1e-3)


def test_no_step_sees_those_after_it_and_none_what_only_fills_up() -> None:
    spec = Workload("transformer", "text", 20, 20, (128, 64), 6, activation="swish", normalization="rms_norm")
    network = build(spec).eval()
    tokens = torch.randint(1, 20, (1, 6), generator=torch.Generator().manual_seed(0))
    changed = tokens.clone()
    changed[0, 4] = (changed[0, 4] + 1) % 20
    with torch.no_grad():
        before, after = network(tokens), network(changed)
    assert torch.allclose(before[:, :4], after[:, :4], atol=1e-6)
    assert not torch.allclose(before[:, 4:], after[:, 4:], atol=1e-3)


def _named(name: str) -> str:
    *parts, last = name.split(".")
    if parts[:2] == ["layers", "layers"]:
        return f"model.layers.{parts[2]}.{NAMES[parts[3]]}.{last}"
    return f"{NAMES['.'.join(parts)]}.{last}"
