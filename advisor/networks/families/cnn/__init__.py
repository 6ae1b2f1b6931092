"""The convolutional network."""
