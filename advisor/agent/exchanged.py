"""The network of a plan, layer by layer, for what its workers exchange: matrices of gradients, activations between stages."""

from __future__ import annotations

from advisor.agent.settling.known_model import counted_at_all
from advisor.agent.settling.workloads import counted_step, model_name
from advisor.agent.strategies import OF_2017
from advisor.distributed.learning.described import described
from advisor.errors import InputError
from advisor.inference.plan import Plan
from advisor.models.model import Model, Source
from advisor.models.named import naming
from advisor.models.stages import matrices, passed_between
from advisor.networks.counts import counted


def exchanged_network(plan: Plan, named: Model | None) -> Model | None:
    """The network whose layers are exchanged; None where only its size is known, or not even that.

    Args:
        named: the network of a file or of code that was named on the command line.
    """
    name = model_name(plan)
    if name is not None:
        if named is not None and (named.name == name or naming(name).builds):
            return named
        return _published(plan, name)
    step = counted_step(plan)
    if step is None:
        return None if "network.parameters" in plan.facts else counted(described(OF_2017))
    network, stated = counted(step), plan.facts.get("network.parameters")
    return network if stated is None or stated.value == network.parameters else None


def _published(plan: Plan, name: str) -> Model | None:
    if naming(name).builds:
        return None
    try:
        return counted_at_all(name, plan.stated)
    except InputError:
        return None


def stage_bytes(network: Model | None, stages: int, batch: int, value_bytes: int) -> tuple[int, ...] | str:
    """Bytes that each stage of a pipeline but the last passes on for one worker's batch, or the reason why nobody knows."""
    if network is None:
        return "" if stages == 1 else "the plan's network is not known layer by layer"
    passed = passed_between(network, stages)
    return passed if isinstance(passed, str) else tuple(one * batch * value_bytes for one in passed)


def skips_unseen(network: Model | None) -> bool:
    """True for a network of somebody's own, in which a layer may read more than the layer before gives."""
    return network is not None and network.source is Source.YOURS


def gradient_matrices(network: Model | None, size: int | None) -> tuple[tuple[int, int], ...]:
    """Rows and columns of all matrices of gradients, where the network has as many weights as workers exchange."""
    if network is None or network.parameters != size:
        return ()
    return matrices(network)
