"""The feed-forward network."""
