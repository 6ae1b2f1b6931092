"""Recommends how to build and train a neural network, cites why, and settles its bets by measuring the machine."""

__version__ = "0.1.0"
