"""Published networks as the library transformers builds them, from the sizes that profiles/models/ tells.

Nothing here has weights unless it is asked for: modules stand on the meta device.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from advisor.models.tracing.building import builder
from advisor.models.transformers_config import transformers_code
from tests.models.libraries import library

T5Attention = library("transformers.models.t5.modeling_t5").T5Attention

Inputs = Callable[[int], Mapping[str, torch.Tensor]]
"""Examples of a batch of this size."""


def build(built: str, network: Any, *, device: str = "meta") -> tuple[torch.nn.Module, Inputs]:
    """The module of `transformers:CLASS` with the sizes of this family, and its usual examples."""
    code = transformers_code(built.removeprefix("transformers:"), network, network.input)
    assert code is not None
    with torch.device(device):
        module = builder(code)[0]().network
    for part in module.modules():
        if isinstance(part, T5Attention):
            part.dropout = 0.0

    def inputs(batch: int) -> Mapping[str, torch.Tensor]:
        return {
            one.name: torch.zeros(batch, *one.shape, dtype=torch.long if one.tokens else torch.float32)
            for one in code.arguments
        }

    return module, inputs
