"""The deconvolutional network."""
