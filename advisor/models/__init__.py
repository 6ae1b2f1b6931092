"""A network as one value: layers, weights, operations and kept values, whoever built it (no torch)."""
