"""Networks that a config.json of Hugging Face describes, counted from the sizes in it: no code of theirs is run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from advisor.errors import InputError, did_you_mean, input_error
from advisor.files.named import read_named
from advisor.models import diffusers, huggingface_vision
from advisor.models.configuration import MOST_LAYERS, TITLE, Config
from advisor.models.families.parts import Attention, FeedForward
from advisor.models.families.reading import LARGEST
from advisor.models.families.registry import Family
from advisor.models.families.state_space import StateSpace
from advisor.models.families.transformers import Decoder, Encoder
from advisor.models.heads import with_head
from advisor.models.model import Model, Source
from advisor.models.published import counted
from advisor.wording import shorten

_MOST_BYTES = 10_000_000
_MOST_KERNEL = 1_000
_USUAL_STEPS = {True: 2048, False: 512}
"""Tokens of the usual example of a network that writes, and of one that reads; fewer where it takes no more."""


def network_of(path: Path, input: tuple[int, ...] | None = None, *, processor: bool = False) -> Model:
    """The network that a config.json describes, counted for an example of this shape or of its usual one.

    What it keeps is what it keeps on a graphics card, or on a processor; see Tape.

    Raises InputError: it cannot be read, it is of a kind that is not known here, or a size is missing or none.
    """
    where = shorten(path, 200)
    raw = read_named(path, _MOST_BYTES, TITLE)
    try:
        keys = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise input_error(TITLE, f"it is no JSON ({shorten(error, 80)})", where=where) from None
    if not isinstance(keys, dict):
        raise input_error(TITLE, "it holds no keys with values", where=where)
    config = Config(where, keys)
    family, remark = with_head(config, family_of(keys, where))
    name = keys.get("_name_or_path")
    called = name if isinstance(name, str) and name else path.parent.name or path.stem
    told = {"origin": f"its configuration, {where}", "loaded": str(path)}
    remarks = tuple(filter(None, (remark, _further_tokens(config))))
    return counted(family, shorten(called, 80), Source.YOURS, input, processor=processor, remarks=remarks, **told)


def family_of(keys: Mapping[str, Any], where: str) -> Family:
    """The network with the sizes of a configuration. Raises InputError."""
    config = Config(where, keys)
    kind = keys.get("model_type") or keys.get("_class_name")
    readers = {**READERS, **diffusers.READERS}
    if isinstance(kind, str) and kind in huggingface_vision.READERS:
        return huggingface_vision.READERS[kind](config, family_of)
    if not isinstance(kind, str) or kind not in readers:
        raise _unknown(config, kind, sorted({*readers, *huggingface_vision.READERS}))
    return readers[kind](config)


def _further_tokens(config: Config) -> str:
    """A sentence on layers for tokens after the next, which stand in files of weights and are no part of the network."""
    count = config.size("num_nextn_predict_layers", "num_mtp_layers", usual=0)
    said = "1 layer guesses" if count == 1 else f"{count:,} layers guess"
    return f"{said} tokens after the next (num_nextn_predict_layers): not counted." if count else ""


def _unknown(config: Config, kind: object, known: list[str]) -> InputError:
    """The refusal of a kind of network that is not counted here, with another way where it is no slip of the pen."""
    listed = f"Known are {', '.join(known)}."
    if not kind:
        return config.wrong("it has no model_type", listed)
    said = f"the kind of network {shorten(kind, 40)!r} is not known here"
    near = did_you_mean(str(kind), known)
    if isinstance(inner := config.keys.get("text_config"), dict):
        language = inner.get("model_type")
        part = f" Its part for texts is of the kind {shorten(language, 40)!r}." if isinstance(language, str) else ""
        said = f"the kind of network {shorten(kind, 40)!r} has several parts, which cannot be counted together.{part}"
        near = ""
    if near and _is_slip(str(kind), near):
        return config.wrong(said, near)
    own = "Write a function that builds it, and name that: --model FILE.py:FUNCTION --input LENGTH."
    return config.wrong(said.rstrip("."), f"{own} {listed}")


def _is_slip(kind: str, near: str) -> bool:
    """True where the nearest known name is so near that a letter or two were mistaken, and no version is another."""
    name = near.removeprefix("Did you mean ").rstrip("?")
    digits = ["".join(filter(str.isdigit, one)) for one in (kind, name)]
    return digits[0] == digits[1] and abs(len(kind) - len(name)) <= 2


def _steps(config: Config, *, writes: bool) -> int:
    most = config.size("max_position_embeddings", "n_positions", usual=LARGEST)
    return min(_USUAL_STEPS[writes], most) or _USUAL_STEPS[writes]


def _heads(config: Config, *, key_heads: int | None = None, **said: Any) -> Attention:
    width, heads = config.size("hidden_size"), config.size("num_attention_heads")
    if heads < 1:
        raise config.wrong("num_attention_heads must be 1 or more")
    keys = config.size("num_key_value_heads", usual=heads) if key_heads is None else key_heads
    head = config.size("head_dim", usual=width // heads)
    if head < 1 or keys < 1 or heads % keys:
        raise config.wrong(f"{heads} heads of {head} values cannot share {keys} heads of keys")
    return Attention(heads=heads, head=head, key_heads=0 if keys == heads else keys, **said)


def _language(
    config: Config,
    *,
    bias: bool | None = None,
    output_bias: bool | None = None,
    tied: bool = False,
    attention: Mapping[str, Any] | None = None,
    experts: bool = False,
    **said: Any,
) -> Decoder:
    """A decoder in the manner of Llama; `said` is different.

    Args:
        bias: of queries, keys and values; as `attention_bias` says where it is None.
        tied: the usual case, where the configuration does not say.
    """
    biased = config.flag("attention_bias", False)
    inner = config.size("moe_intermediate_size", "intermediate_size") if experts else config.size("intermediate_size")
    copies = config.size("num_local_experts", "num_experts", least=1) if experts else 0
    forward = FeedForward(
        inner=inner,
        gated=True,
        activation=config.activation("hidden_activation", "hidden_act", usual="silu"),
        bias=config.flag("mlp_bias", False),
        experts=copies,
        used=config.size("num_experts_per_tok", least=1, most=copies) if experts else 0,
    )
    return Decoder(
        vocabulary=config.size("vocab_size", least=1),
        width=config.size("hidden_size"),
        layers=config.size("num_hidden_layers", least=1, most=MOST_LAYERS),
        attention=_heads(
            config,
            bias=biased if bias is None else bias,
            output_bias=biased if output_bias is None else output_bias,
            rotary=True,
            **(attention or {}),
        ),
        feed_forward=forward,
        tied=config.flag("tie_word_embeddings", tied),
        steps=_steps(config, writes=True),
        **said,
    )


def _qwen2(config: Config) -> Decoder:
    return _language(config, bias=True, output_bias=False)


def _qwen3(config: Config) -> Decoder:
    return _language(config, attention={"head_norm": True})


def _qwen3_moe(config: Config) -> Decoder:
    config.expect(decoder_sparse_step=1, mlp_only_layers=[])
    return _language(config, attention={"head_norm": True}, experts=True)


def _gemma(config: Config) -> Decoder:
    return _language(config, tied=True)


def _gemma2(config: Config) -> Decoder:
    capped = {"stored_scores": True, "capped": True}
    return _language(config, tied=True, norms="both", head_capped=True, attention=capped)


def _gemma3(config: Config) -> Decoder:
    return _language(config, tied=True, norms="both", attention={"head_norm": True})


def _mixtral(config: Config) -> Decoder:
    return _language(config, experts=True)


def _phi3(config: Config) -> Decoder:
    return _language(config, attention={"together": True})


def _olmo2(config: Config) -> Decoder:
    return _language(config, norms="result", attention={"joint_norm": True})


def _smollm3(config: Config) -> Decoder:
    return _language(config, tied=True)


def _gpt2(config: Config) -> Decoder:
    config.expect(add_cross_attention=False)
    width, heads, steps = config.size("n_embd"), config.size("n_head"), config.size("n_positions", "n_ctx")
    if not 0 < heads <= width:
        raise config.wrong("n_head must be 1 or more, and at most n_embd")
    return Decoder(
        vocabulary=config.size("vocab_size", least=1),
        width=width,
        layers=config.size("n_layer", least=1, most=MOST_LAYERS),
        norm="layer",
        positions=steps,
        tied=config.flag("tie_word_embeddings", True),
        dropout=config.keys.get("resid_pdrop", 0.1) != 0,
        attention=Attention(
            heads=heads, head=width // heads, together=True, dropout=config.keys.get("attn_pdrop", 0.1) != 0
        ),
        feed_forward=FeedForward(
            inner=config.size("n_inner", usual=4 * width),
            activation=config.activation("activation_function", usual="gelu_new"),
        ),
        steps=min(_USUAL_STEPS[True], steps),
    )


def _gpt_oss(config: Config) -> Decoder:
    biased = config.flag("attention_bias", True)
    return Decoder(
        vocabulary=config.size("vocab_size", least=1),
        width=config.size("hidden_size"),
        layers=config.size("num_hidden_layers", least=1, most=MOST_LAYERS),
        attention=_heads(config, bias=biased, output_bias=biased, rotary=True, sinks=True, stored_scores=True),
        feed_forward=FeedForward(
            inner=config.size("intermediate_size"),
            gated=True,
            activation="clamped_silu",
            experts=(experts := config.size("num_local_experts", "num_experts", least=1)),
            used=config.size("num_experts_per_tok", "experts_per_token", least=1, most=experts),
        ),
        tied=config.flag("tie_word_embeddings", False),
        steps=_steps(config, writes=True),
    )


def _glm4(config: Config) -> Decoder:
    return _language(config, norms="both", output_bias=False)


def _glm(config: Config) -> Decoder:
    return _language(config, output_bias=False)


def _neox(config: Config) -> Decoder:
    parallel = config.flag("use_parallel_residual", True)
    return Decoder(
        vocabulary=config.size("vocab_size", least=1),
        width=config.size("hidden_size"),
        layers=config.size("num_hidden_layers", least=1, most=MOST_LAYERS),
        norm="layer",
        parallel=parallel,
        parallel_norms=parallel,
        tied=config.flag("tie_word_embeddings", False),
        attention=_heads(config, rotary=True, together=True),
        feed_forward=FeedForward(
            inner=config.size("intermediate_size"), activation=config.activation("hidden_act", usual="gelu")
        ),
        steps=_steps(config, writes=True),
    )


def _phi(config: Config) -> Decoder:
    config.expect(qk_layernorm=False)
    return Decoder(
        vocabulary=config.size("vocab_size", least=1),
        width=config.size("hidden_size"),
        layers=config.size("num_hidden_layers", least=1, most=MOST_LAYERS),
        norm="layer",
        parallel=True,
        head_bias=True,
        tied=config.flag("tie_word_embeddings", False),
        attention=_heads(config, rotary=True),
        feed_forward=FeedForward(
            inner=config.size("intermediate_size"), activation=config.activation("hidden_act", usual="gelu_new")
        ),
        steps=_steps(config, writes=True),
    )


def _bert(config: Config) -> Encoder:
    """The network without what stands on it: a head for tokens or classes is small beside it, and not counted."""
    config.expect(add_cross_attention=False)
    return Encoder(
        vocabulary=config.size("vocab_size", least=1),
        width=config.size("hidden_size"),
        layers=config.size("num_hidden_layers", least=1, most=MOST_LAYERS),
        attention=_heads(
            config,
            key_heads=config.size("num_attention_heads"),
            dropout=config.keys.get("attention_probs_dropout_prob", 0.1) != 0,
        ),
        feed_forward=FeedForward(
            inner=config.size("intermediate_size"), activation=config.activation("hidden_act", usual="gelu")
        ),
        positions=config.size("max_position_embeddings", usual=512),
        token_types=config.size("type_vocab_size", usual=2),
        pooler=True,
        steps=_steps(config, writes=False),
    )


def _cohere(config: Config) -> Decoder:
    config.expect(use_qk_norm=False)
    return _language(config, tied=True, norm="layer", shift=False, parallel=True)


def _deepseek(config: Config) -> Decoder:
    """Multi-head latent attention, and experts from some layer on. Layers that only guess further tokens are not counted.

    What is not stated is as the library transformers has it.
    """
    config.expect(moe_layer_freq=1)
    second = config.keys.get("model_type") == "deepseek_v2"
    none_shared = config.keys.get("n_shared_experts", 0) is None  # as in the code that was published with the weights
    shared = 0 if none_shared else config.size("n_shared_experts", usual=2 if second else 1)
    turned, biased = config.size("qk_rope_head_dim", usual=64, least=1), config.flag("attention_bias", False)
    query = 0 if config.keys.get("q_lora_rank", 0) is None else config.size("q_lora_rank", usual=1536)
    experts = config.size("n_routed_experts", least=1)
    inner = config.size("moe_intermediate_size", least=1)
    layers = config.size("num_hidden_layers", least=1, most=MOST_LAYERS)
    return Decoder(
        vocabulary=config.size("vocab_size", least=1),
        width=config.size("hidden_size", least=1),
        layers=layers,
        attention=Attention(
            heads=config.size("num_attention_heads", least=1),
            head=config.size("qk_nope_head_dim", usual=128, least=1) + turned,
            bias=biased,
            output_bias=biased,
            latent=config.size("kv_lora_rank", usual=512, least=1),
            query_latent=query,
            turned=turned,
            value_head=config.size("v_head_dim", usual=128, least=1),
        ),
        feed_forward=FeedForward(
            inner=inner,
            gated=True,
            activation=config.activation("hidden_act", usual="silu"),
            bias=False,
            experts=experts,
            used=config.size("num_experts_per_tok", least=1, most=experts),
            shared_inner=inner * shared,
        ),
        first_dense=config.size("first_k_dense_replace", usual=0 if second else 3),
        first_inner=config.size("intermediate_size"),
        tied=config.flag("tie_word_embeddings", False),
        steps=_steps(config, writes=True),
    )


def _mamba(config: Config) -> StateSpace:
    width = config.size("hidden_size", least=1)
    auto = config.keys.get("time_step_rank", "auto") == "auto"
    return StateSpace(
        vocabulary=config.size("vocab_size", least=1),
        width=width,
        layers=config.size("num_hidden_layers", least=1, most=MOST_LAYERS),
        inner=config.size("intermediate_size", usual=config.size("expand", usual=2) * width, least=1),
        state=config.size("state_size", usual=16, least=1),
        kernel=config.size("conv_kernel", usual=4, least=1, most=_MOST_KERNEL),
        rank=-(-width // 16) if auto else config.size("time_step_rank", least=1),
        bias=config.flag("use_bias", False),
        conv_bias=config.flag("use_conv_bias", True),
        tied=config.flag("tie_word_embeddings", True),
        steps=_steps(config, writes=True),
    )


def _mamba2(config: Config) -> StateSpace:
    width, heads = config.size("hidden_size", least=1), config.size("num_heads", usual=128, least=1)
    inner = config.size("expand", usual=2, least=1) * width
    if inner != heads * (head := config.size("head_dim", usual=64, least=1)):
        raise config.wrong(f"{heads} heads of {head} values are not the {inner:,} that expand and hidden_size make")
    return StateSpace(
        vocabulary=config.size("vocab_size", least=1),
        width=width,
        layers=config.size("num_hidden_layers", least=1, most=MOST_LAYERS),
        inner=inner,
        state=config.size("state_size", usual=128, least=1),
        kernel=config.size("conv_kernel", usual=4, least=1, most=_MOST_KERNEL),
        heads=heads,
        groups=config.size("n_groups", usual=8, least=1, most=heads),
        bias=config.flag("use_bias", False),
        conv_bias=config.flag("use_conv_bias", True),
        tied=config.flag("tie_word_embeddings", False),
        steps=_steps(config, writes=True),
    )


READERS: Mapping[str, Callable[[Config], Family]] = {
    "bert": _bert,
    "roberta": _bert,
    "xlm-roberta": _bert,
    "cohere": _cohere,
    "cohere2": _cohere,
    "deepseek_v2": _deepseek,
    "deepseek_v3": _deepseek,
    "gemma": _gemma,
    "gemma2": _gemma2,
    "gemma3_text": _gemma3,
    "gpt2": _gpt2,
    "glm": _glm,
    "glm4": _glm4,
    "gpt_neox": _neox,
    "gpt_oss": _gpt_oss,
    "granite": _language,
    "llama": _language,
    "mamba": _mamba,
    "mamba2": _mamba2,
    "falcon_mamba": _mamba,
    "mistral": _language,
    "mixtral": _mixtral,
    "olmo2": _olmo2,
    "olmo3": _olmo2,
    "phi": _phi,
    "phi3": _phi3,
    "qwen2": _qwen2,
    "qwen3": _qwen3,
    "qwen3_moe": _qwen3_moe,
    "smollm3": _smollm3,
}
"""By `model_type`."""
