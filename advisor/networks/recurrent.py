"""Recurrent networks: for series and texts, read step by step with a memory of what came before.

Elman 1990, Finding structure in time; Hochreiter and Schmidhuber 1997, Long short-term memory.
"""

from __future__ import annotations

from torch import Tensor, nn

from advisor.networks.spec import Layout, NetworkSpec, foretells_tokens, hidden_units, layout


class Recurrent(nn.Module):
    """(batch, steps, values) or (batch, steps) of tokens -> (batch, outputs), or (batch, steps, outputs) of tokens.

    Layers of any widths follow one another. The last step answers for the example, unless every token is foretold.
    An rnn knows tanh and relu only and takes tanh for the others; an lstm has its own gates.
    """

    def __init__(self, spec: NetworkSpec) -> None:
        super().__init__()
        units = hidden_units(spec)
        tokens = layout(spec) is Layout.TOKENS
        self.embedding = nn.Embedding(spec.inputs, units[0]) if tokens else nn.Identity()
        widths = (units[0] if tokens else spec.inputs, *units)
        self.layers = nn.ModuleList(_layer(spec, *pair) for pair in zip(widths, units, strict=False))
        self.every_step = foretells_tokens(spec)
        self.head = nn.Linear(units[-1], spec.outputs)

    def forward(self, steps: Tensor) -> Tensor:
        memory = self.embedding(steps)
        for layer in self.layers:
            memory, _ = layer(memory)
        result: Tensor = self.head(memory if self.every_step else memory[:, -1])
        return result


def _layer(spec: NetworkSpec, inputs: int, units: int) -> nn.Module:
    if spec.network == "lstm":
        return nn.LSTM(inputs, units, batch_first=True)
    return nn.RNN(inputs, units, batch_first=True, nonlinearity="relu" if spec.activation == "relu" else "tanh")
