"""Deciding whether a recommendation is the same under every completion."""
