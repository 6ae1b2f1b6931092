"""Recommends how to build and train a neural network, cites why, and settles its bets by measuring the machine."""

from advisor.version import __version__

__all__ = ["__version__"]
