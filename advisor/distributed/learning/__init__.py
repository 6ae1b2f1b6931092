"""The network and the examples that all workers learn."""
