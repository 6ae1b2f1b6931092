"""Autoencoders, the variational one included."""
