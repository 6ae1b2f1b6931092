"""The demonstrations by the name of the network."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.networks.all_examples import EXAMPLES
from tests.training.demonstrations import models
from tests.training.demonstrations.demonstration import Demonstrated, Size

DEMONSTRATIONS: Mapping[str, Callable[[Size, int], Demonstrated]] = {
    **{network: examples.demonstration for network, examples in EXAMPLES.items()},
    "linear": models.linear,
    "random_forest": models.random_forest,
    "gradient_boosting": models.gradient_boosting,
}


def demonstrate(network: str, size: Size = Size.SMALL, seed: int = 0) -> Demonstrated:
    """Trains a network, or another model, on data that suits it. The same seed gives the same figures.

    Raises KeyError for a name that is not among DEMONSTRATIONS.
    """
    return DEMONSTRATIONS[network](size, seed)
