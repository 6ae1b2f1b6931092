"""The declarations of recurrent networks."""

from __future__ import annotations

from advisor.models.tape import Tape, Value
from advisor.networks.description import Layout, NetworkSpec, every_token
from advisor.networks.family import IN_STEPS, Candidates, Family, Module, Units, sequences
from advisor.networks.parts import shapes


def _count(spec: NetworkSpec, units: Units, tape: Tape, x: Value) -> None:
    if sequences(spec) is Layout.TOKENS:
        x = tape.embedding("embedding", x, spec.inputs, units[0])
    layer = tape.lstm if spec.network == "lstm" else tape.rnn
    for number, width in enumerate(units):
        x = layer(f"layers.{number}", x, width)
        x = tape.dropout(shapes.normalized(tape, spec.normalization, x, 0), spec.dropout)
    if every_token(spec):
        tape.linear(
            "head", tape.moved(x, *x.shape), spec.outputs
        )  # copied, since PyTorch has the steps before the batch
    else:
        tape.linear("head", tape.view(x, units[-1]), spec.outputs)


def _build(spec: NetworkSpec, units: Units) -> Module:
    """Of the activations an rnn knows tanh and relu, and takes tanh for the others."""
    from advisor.networks.families.recurrent.network import Recurrent, lstm, relu_rnn, rnn

    tokens = sequences(spec) is Layout.TOKENS
    layer = lstm if spec.network == "lstm" else relu_rnn if spec.activation == "relu" else rnn
    return Recurrent(
        layer,
        (units[0] if tokens else spec.inputs, *units),
        spec.outputs,
        spec.dropout,
        normalization=spec.normalization,
        tokens=spec.inputs if tokens else None,
        every_step=every_token(spec),
    )


FAMILIES = tuple(
    Family(
        name=name,
        hidden_units=(256, 256),  # units per layer
        layout=sequences,
        count=_count,
        build=_build,
        predicts_tokens=True,
        recurrent=True,
        normalizations=("none", "layer_norm"),  # of each step by itself
        candidates=Candidates(place=place, takes=IN_STEPS, sizes=((64,),), always=name == "lstm"),
    )
    for name, place in (("rnn", 30), ("lstm", 40))
)
