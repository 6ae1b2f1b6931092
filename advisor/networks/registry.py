"""Every type of network by its name: each folder of `families` declares one or several. No torch here."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType

from advisor.networks.description import UnbuildableError
from advisor.networks.family import Family

SUPERVISED_LOSSES = (
    "cross_entropy",
    "binary_cross_entropy",
    "mse",
    "mae",
    "huber",
    "quantile",
    "dice_cross_entropy",
)
"""Losses that compare the answer with targets; see `builders`."""
FOLDER = Path(__file__).parent / "families"
_PACKAGE = "advisor.networks.families"


class UnknownNetworkError(UnbuildableError):
    """No family goes by this name; the message names those that do."""

    def __init__(self, network: str) -> None:
        super().__init__(f"{network} cannot be built yet. These can: {', '.join(buildable())}.")


def family(network: str) -> Family:
    """Raises UnknownNetworkError."""
    found = find(network)
    if found is None:
        raise UnknownNetworkError(network)
    return found


def find(network: str) -> Family | None:
    """The family of this name; None for a model that is no network, or that cannot be built yet."""
    return _declared_in(network).get(network) or families().get(network)


def default_hidden_units(network: str) -> tuple[int, ...]:
    """Hidden units where none are stated; none for a model that is no network."""
    found = find(network)
    return () if found is None else found.hidden_units


@cache
def families() -> Mapping[str, Family]:
    """All that are declared."""
    return MappingProxyType({name: found for folder in _folders() for name, found in _declared_in(folder).items()})


def _folders() -> list[str]:
    return sorted(path.parent.name for path in FOLDER.glob("*/declaration.py"))


@cache
def _declared_in(folder: str) -> Mapping[str, Family]:
    """Empty where there is no such folder. A plan asks for one family, so not all of them are read at each start (5 ms)."""
    if not folder.isidentifier() or not (FOLDER / folder / "declaration.py").is_file():
        return {}
    declared: tuple[Family, ...] = import_module(f"{_PACKAGE}.{folder}.declaration").FAMILIES
    return MappingProxyType({found.name: found for found in declared})


def buildable() -> tuple[str, ...]:
    """The types of network that a plan may advise and that can be built."""
    return tuple(sorted(name for name, found in families().items() if found.advised))


def owners(loss: str) -> tuple[str, ...]:
    """The networks that have a loss of their own of this name."""
    return tuple(name for name, found in families().items() if loss in found.own_losses)


def losses() -> tuple[str, ...]:
    """Every loss that can be computed."""
    own = dict.fromkeys(loss for found in families().values() for loss in found.own_losses)
    return (*SUPERVISED_LOSSES, *own)


def folder_of(network: str) -> Path:
    """The folder with the family's modules, declaration and network. Raises UnknownNetworkError."""
    found = family(network)
    return next(FOLDER / name for name in (network, *_folders()) if _declared_in(name).get(network) is found)


def package_of(network: str) -> str:
    """The name of that folder as a package. Raises UnknownNetworkError."""
    return f"{_PACKAGE}.{folder_of(network).name}"
