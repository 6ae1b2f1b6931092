"""The description of a task's network, and whether strategies can be compared on it. No torch here."""

from __future__ import annotations

from advisor.distributed.task import Task
from advisor.networks.description import Layout, UnbuildableError
from advisor.networks.family import Answer
from advisor.networks.registry import family
from advisor.networks.spec import Description, check, layout, reconstructs

_LAYOUTS = (Layout.FLAT, Layout.PICTURE, Layout.STEPS, Layout.TOKENS)
COMPARED = (
    "Strategies are compared on a supervised network of rows, pictures, steps or tokens, "
    "such as an ffn, a cnn, an rnn, an lstm, a transformer or a unet."
)


def described(task: Task) -> Description:
    """The network of a task; where it is a named one, of the plan that names it."""
    return Description(
        network=task.network,
        modality=task.modality,
        inputs=task.inputs,
        outputs=task.outputs,
        hidden_units=tuple(task.hidden_units),
        sequence_length=task.sequence_length,
        loss=task.loss,
        activation=task.activation,
        normalization=task.normalization,
        dropout=task.dropout,
    )


def why_unbuildable(network: Description) -> str | None:
    """The reason why this network cannot be built, or None."""
    try:
        check(network)
        layout(network)
    except UnbuildableError as error:
        return str(error)
    return None


def why_incomparable(network: Description) -> str | None:
    """The reason why a network that can be built has no targets to be compared with, or None."""
    shape, answer = layout(network), family(network.network).answer
    if not reconstructs(network) and shape in _LAYOUTS and answer is not Answer.PICTURE:
        return None
    return (
        f"a {network.network} with the loss {network.loss} gives no class and no number for an example of {_of(shape)}"
    )


def _of(shape: Layout) -> str:
    return {Layout.TREE: "a tree", Layout.GRAPH: "a graph"}.get(shape, "its data")
