"""Data: files and folders turned into facts, and into examples that a network can learn from."""
