"""Networks built by name."""

from __future__ import annotations

from importlib import import_module

from torch import nn

from advisor.networks.description import NetworkSpec
from advisor.networks.registry import package_of
from advisor.networks.spec import check, hidden_units


def build(spec: NetworkSpec) -> nn.Module:
    """The network, with initial weights from torch's global generator (see torch.manual_seed).

    Raises:
        UnknownNetworkError: the type cannot be built yet; the message names those that can.
        UnbuildableError: the type can be built, but not from this description; the message says why.
    """
    check(spec)
    network: nn.Module = import_module(f"{package_of(spec.network)}.building").build(spec, hidden_units(spec))
    return network
