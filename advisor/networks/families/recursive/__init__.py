"""The recursive network."""
