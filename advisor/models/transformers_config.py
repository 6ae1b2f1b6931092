"""The configuration with which the library transformers builds a published network of a family here, from its sizes.

Dropout is where the published networks have it, as often as they have it. No layers are left out at random, since steps would
differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from advisor.models.code import Argument, Code, Library
from advisor.models.families.conformer import Conformer
from advisor.models.families.registry import Family
from advisor.models.families.series import PatchForecaster
from advisor.models.families.speech import SpectrogramTransformer, SpeechEncoder, SpeechWriter
from advisor.models.families.transformers import Decoder, Encoder, EncoderDecoder

Shape: TypeAlias = tuple[int, ...]
Arguments: TypeAlias = tuple[Argument, ...]


def transformers_code(name: str, network: Family, shape: Shape) -> Code | None:
    """The class of this name with the sizes of the network, for examples of this shape; None for another class."""
    if name not in CLASSES:
        return None
    configuration, sizes, arguments = CLASSES[name]
    return Code(Library.TRANSFORMERS, name, arguments(network, shape), "", configuration, sizes(network))


def _rate(applied: bool) -> float:
    """The share that is left out where anything is, as in all networks here that leave something out."""
    return 0.1 if applied else 0.0


def _decoder(network: Decoder) -> dict[str, Any]:
    attention, forward = network.attention, network.feed_forward
    return {
        "vocab_size": network.vocabulary,
        "hidden_size": network.width,
        "intermediate_size": forward.inner,
        "num_hidden_layers": network.layers,
        "num_attention_heads": attention.heads,
        "num_key_value_heads": attention.key_heads or attention.heads,
        "head_dim": attention.head,
        "tie_word_embeddings": network.tied,
        "use_cache": False,
        "pad_token_id": 0,
        "max_position_embeddings": network.positions or 131_072,
        "bos_token_id": 0,
        "eos_token_id": 0,
    }


def _experts(network: Decoder) -> dict[str, Any]:
    forward = network.feed_forward
    return {
        **_decoder(network),
        "num_local_experts": forward.experts,
        "num_experts": forward.experts,
        "num_experts_per_tok": forward.used,
        "moe_intermediate_size": forward.inner,
        "experts_implementation": "grouped_mm",
    }


def _gpt2(network: Decoder) -> dict[str, Any]:
    return {
        "vocab_size": network.vocabulary,
        "n_embd": network.width,
        "n_layer": network.layers,
        "n_head": network.attention.heads,
        "n_inner": network.feed_forward.inner,
        "n_positions": network.positions,
        "tie_word_embeddings": network.tied,
        "attn_pdrop": _rate(network.attention.dropout),
        "use_cache": False,
    }


def _neox(network: Decoder) -> dict[str, Any]:
    return {**_decoder(network), "attention_bias": True, "use_parallel_residual": network.parallel}


def _encoder(network: Encoder) -> dict[str, Any]:
    return {
        "vocab_size": network.vocabulary,
        "hidden_size": network.width,
        "intermediate_size": network.feed_forward.inner,
        "num_hidden_layers": network.layers,
        "num_attention_heads": network.attention.heads,
        "max_position_embeddings": network.positions or 8192,
        "type_vocab_size": network.token_types,
        "attention_probs_dropout_prob": _rate(network.attention.dropout),
        "pad_token_id": 0,
    }


def _distilbert(network: Encoder) -> dict[str, Any]:
    return {
        "vocab_size": network.vocabulary,
        "dim": network.width,
        "hidden_dim": network.feed_forward.inner,
        "n_layers": network.layers,
        "n_heads": network.attention.heads,
        "max_position_embeddings": network.positions,
        "attention_dropout": _rate(network.attention.dropout),
    }


def _t5(network: EncoderDecoder) -> dict[str, Any]:
    forward = network.feed_forward
    return {
        "vocab_size": network.vocabulary,
        "d_model": network.width,
        "d_kv": network.attention.head,
        "d_ff": forward.inner,
        "num_layers": network.layers,
        "num_decoder_layers": network.decoder_layers or network.layers,
        "num_heads": network.attention.heads,
        "relative_attention_num_buckets": network.relative,
        "feed_forward_proj": "gated-gelu" if forward.gated else "relu",
        "tie_word_embeddings": network.tied,
        "use_cache": False,
    }


def _bart(network: EncoderDecoder) -> dict[str, Any]:
    heads, inner = network.attention.heads, network.feed_forward.inner
    return {
        "vocab_size": network.vocabulary,
        "d_model": network.width,
        "encoder_layers": network.layers,
        "decoder_layers": network.decoder_layers or network.layers,
        "encoder_attention_heads": heads,
        "decoder_attention_heads": heads,
        "encoder_ffn_dim": inner,
        "decoder_ffn_dim": inner,
        "activation_function": network.feed_forward.activation,
        "max_position_embeddings": network.positions - 2 * network.embedding_norm or 1024,
        "attention_dropout": 0.0,
        "encoder_layerdrop": 0.0,
        "decoder_layerdrop": 0.0,
        "use_cache": False,
        "pad_token_id": 0,
    }


def _waves(network: SpeechEncoder) -> dict[str, Any]:
    return {
        "hidden_size": network.width,
        "num_hidden_layers": network.layers,
        "num_attention_heads": network.heads,
        "intermediate_size": network.inner,
        "conv_dim": network.channels,
        "conv_kernel": network.kernels,
        "conv_stride": network.strides,
        "conv_bias": network.every_norm,
        "feat_extract_norm": "layer" if network.every_norm else "group",
        "do_stable_layer_norm": network.norms == "before",
        "num_conv_pos_embeddings": network.place_kernel,
        "num_conv_pos_embedding_groups": network.place_groups,
        "attention_dropout": _rate(network.dropout),
        "activation_dropout": 0.0,
        "feat_proj_dropout": 0.0,
        "hidden_dropout": _rate(network.dropout),
        "layerdrop": 0.0,
        "apply_spec_augment": False,
    }


def _whisper(network: SpeechWriter) -> dict[str, Any]:
    inner = network.inner or 4 * network.width
    return {
        "vocab_size": network.vocabulary,
        "d_model": network.width,
        "encoder_layers": network.layers,
        "decoder_layers": network.decoder_layers or network.layers,
        "encoder_attention_heads": network.heads,
        "decoder_attention_heads": network.heads,
        "encoder_ffn_dim": inner,
        "decoder_ffn_dim": inner,
        "num_mel_bins": network.bands,
        "max_source_positions": network.frames // 2,
        "max_target_positions": network.positions,
        "use_cache": False,
        "pad_token_id": 0,
    }


def _conformer(network: Conformer) -> dict[str, Any]:
    rate = _rate(network.dropout)
    encoder = {
        "hidden_size": network.width,
        "num_hidden_layers": network.layers,
        "num_attention_heads": network.heads,
        "intermediate_size": network.inner,
        "attention_bias": network.bias,
        "convolution_bias": network.bias,
        "conv_kernel_size": network.kernel,
        "subsampling_factor": 2**network.shortening,
        "subsampling_conv_channels": network.channels,
        "num_mel_bins": network.bands,
        "dropout": rate,
        "activation_dropout": rate,
        "attention_dropout": rate,
        "layerdrop": 0.0,
    }
    return {"vocab_size": network.vocabulary, "encoder_config": encoder}


def _spectrogram(network: SpectrogramTransformer) -> dict[str, Any]:
    return {
        "hidden_size": network.width,
        "num_hidden_layers": network.layers,
        "num_attention_heads": network.heads,
        "intermediate_size": 4 * network.width,
        "patch_size": network.patch,
        "frequency_stride": network.stride,
        "time_stride": network.stride,
        "max_length": network.frames,
        "num_mel_bins": network.bands,
        "num_labels": network.classes,
    }


def _patches(network: PatchForecaster) -> dict[str, Any]:
    return {
        "num_input_channels": network.channels,
        "context_length": network.steps,
        "patch_length": network.patch,
        "patch_stride": network.stride,
        "prediction_length": network.horizon,
        "d_model": network.width,
        "num_hidden_layers": network.layers,
        "num_attention_heads": network.heads,
        "ffn_dim": network.inner,
        "ff_dropout": 0.2 if network.dropout else 0.0,
        "pooling_type": None,
        "loss": "mse",
    }


def _read(network: Decoder | Encoder | EncoderDecoder, shape: Shape) -> Arguments:
    return (Argument(shape, tokens=True, name="input_ids"),)


def _read_and_write(network: EncoderDecoder, shape: Shape) -> Arguments:
    return *_read(network, shape), Argument((network.answer,), tokens=True, name="decoder_input_ids")


def _hear(network: SpeechEncoder, shape: Shape) -> Arguments:
    return (Argument(shape, name="input_values"),)


def _hear_and_write(network: SpeechWriter, shape: Shape) -> Arguments:
    return Argument(shape, name="input_features"), Argument((network.answer,), tokens=True, name="decoder_input_ids")


def _listen(network: Conformer, shape: Shape) -> Arguments:
    return (Argument(shape, name="input_features"),)


def _look(network: SpectrogramTransformer, shape: Shape) -> Arguments:
    return (Argument(shape, name="input_values"),)


def _remember(network: PatchForecaster, shape: Shape) -> Arguments:
    return (Argument(shape, name="past_values"),)


CLASSES: Mapping[str, tuple[str, Callable[[Any], dict[str, Any]], Callable[[Any, Shape], Arguments]]] = {
    "ASTForAudioClassification": ("ASTConfig", _spectrogram, _look),
    "BartForConditionalGeneration": ("BartConfig", _bart, _read_and_write),
    "BertModel": ("BertConfig", _encoder, _read),
    "DistilBertModel": ("DistilBertConfig", _distilbert, _read),
    "GPT2LMHeadModel": ("GPT2Config", _gpt2, _read),
    "GPTNeoXForCausalLM": ("GPTNeoXConfig", _neox, _read),
    "Gemma2ForCausalLM": ("Gemma2Config", _decoder, _read),
    "Gemma3ForCausalLM": ("Gemma3TextConfig", _decoder, _read),
    "GptOssForCausalLM": ("GptOssConfig", _experts, _read),
    "HubertModel": ("HubertConfig", _waves, _hear),
    "LlamaForCausalLM": ("LlamaConfig", _decoder, _read),
    "M2M100ForConditionalGeneration": ("M2M100Config", _bart, _read_and_write),
    "MarianMTModel": ("MarianConfig", _bart, _read_and_write),
    "MistralForCausalLM": ("MistralConfig", _decoder, _read),
    "MixtralForCausalLM": ("MixtralConfig", _experts, _read),
    "ModernBertModel": ("ModernBertConfig", _encoder, _read),
    "NomicBertModel": ("NomicBertConfig", _encoder, _read),
    "Olmo2ForCausalLM": ("Olmo2Config", _decoder, _read),
    "ParakeetForCTC": ("ParakeetCTCConfig", _conformer, _listen),
    "PatchTSTForPrediction": ("PatchTSTConfig", _patches, _remember),
    "Phi3ForCausalLM": ("Phi3Config", _decoder, _read),
    "PhiForCausalLM": ("PhiConfig", _decoder, _read),
    "Qwen2ForCausalLM": ("Qwen2Config", _decoder, _read),
    "Qwen3ForCausalLM": ("Qwen3Config", _decoder, _read),
    "Qwen3Model": ("Qwen3Config", _decoder, _read),
    "Qwen3MoeForCausalLM": ("Qwen3MoeConfig", _experts, _read),
    "RobertaModel": ("RobertaConfig", _encoder, _read),
    "SmolLM3ForCausalLM": ("SmolLM3Config", _decoder, _read),
    "T5ForConditionalGeneration": ("T5Config", _t5, _read_and_write),
    "Wav2Vec2Model": ("Wav2Vec2Config", _waves, _hear),
    "WavLMModel": ("WavLMConfig", _waves, _hear),
    "WhisperForConditionalGeneration": ("WhisperConfig", _whisper, _hear_and_write),
    "XLMRobertaModel": ("XLMRobertaConfig", _encoder, _read),
}
