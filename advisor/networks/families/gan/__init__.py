"""The generative adversarial network."""
