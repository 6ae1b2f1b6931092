"""Boltzmann machines: rbm and dbn."""
