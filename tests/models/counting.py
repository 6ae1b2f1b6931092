"""Published networks of no family here, counted part by part on fake tensors.

python -m tests.models.counting NAME...     prints `counted:` as profiles/models/ takes it
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from tests.models.building import as_in_training, transformers
from tests.models.tracing import Part, part_of, trace


@dataclass(frozen=True)
class Counted:
    """A network to build, and its usual example."""

    family: str
    build: Callable[[], torch.nn.Module]
    inputs: Callable[[int], Mapping[str, Any]]
    shape: tuple[int, ...]

    def rows(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """The kind of each part, and its parameters, multiply-adds, kept values, kept bytes and moved values."""
        with torch.device("meta"):
            module = self.build()
        kinds = {name: _KINDS.get(type(part).__name__, "part") for name, part in module.named_modules()}
        parameters: Counter[str] = Counter()
        for name, one in module.named_parameters():
            parameters[part_of(name.rpartition(".")[0])] += one.numel()
        with as_in_training():
            parts = trace(module, self.inputs).parts
        names = dict.fromkeys([*parameters, *parts])
        found = {}
        for name in names:
            part = parts.get(name, Part())
            row = (parameters[name], part.multiply_adds, part.kept, part.kept_bytes, part.moved)
            if any(row):
                found[name or "itself"] = (kinds[name], row)
        return found


_KINDS = {
    "Conv1d": "convolution",
    "Dropout": "dropout",
    "Embedding": "embedding",
    "LayerNorm": "norm",
    "Linear": "linear",
    "ModuleList": "layers",
    "SiLU": "activation",
}


def _deberta() -> torch.nn.Module:
    sizes = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072}
    places = {"relative_attention": True, "position_buckets": 256, "norm_rel_ebd": "layer_norm", "share_att_key": True}
    return transformers.DebertaV2Model(
        transformers.DebertaV2Config(
            **sizes,
            **places,
            vocab_size=128_100,
            pos_att_type=["p2c", "c2p"],
            position_biased_input=False,
            attention_probs_dropout_prob=0.0,
        )
    )


def _parakeet() -> torch.nn.Module:
    encoder = {"hidden_size": 1024, "num_hidden_layers": 42, "num_attention_heads": 8, "intermediate_size": 4096}
    rates = {"dropout": 0.0, "activation_dropout": 0.0, "attention_dropout": 0.0, "layerdrop": 0.0}
    config = transformers.ParakeetCTCConfig(encoder_config={**encoder, **rates})
    config._attn_implementation = "sdpa"
    return transformers.ParakeetForCTC(config)


def _timesfm() -> torch.nn.Module:
    return transformers.TimesFmModelForPrediction(transformers.TimesFmConfig(attention_dropout=0.0))


def _timesfm_2_5() -> torch.nn.Module:
    return transformers.TimesFm2_5ModelForPrediction(
        transformers.TimesFm2_5Config(attention_dropout=0.0, force_flip_invariance=False)
    )


def _series(steps: int) -> Callable[[int], Mapping[str, Any]]:
    return lambda batch: {"past_values": [torch.zeros(steps) for _ in range(batch)]}


NETWORKS = {
    "deberta-v3-base": Counted(
        "encoder", _deberta, lambda batch: {"input_ids": torch.zeros(batch, 512, dtype=torch.long)}, (512,)
    ),
    "parakeet-ctc-1.1b": Counted(
        "conformer", _parakeet, lambda batch: {"input_features": torch.zeros(batch, 3000, 80)}, (3000, 80)
    ),
    "timesfm-2.0-500m": Counted("series_decoder", _timesfm, _series(512), (512,)),
    "timesfm-2.5-200m": Counted("series_decoder", _timesfm_2_5, _series(16_384), (16_384,)),
}


if __name__ == "__main__":
    for name in sys.argv[1:] or NETWORKS:
        network = NETWORKS[name]
        print(
            f"  {name}:\n    counted:\n      family: {network.family}\n      input: {list(network.shape)}\n      layers:"
        )
        for part, (kind, row) in network.rows().items():
            print(f"        {part}: [{kind}, {', '.join(map(str, row))}]")
