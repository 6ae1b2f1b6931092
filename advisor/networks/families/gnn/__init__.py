"""The graph neural network."""
