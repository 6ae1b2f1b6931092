"""Widgets that know nothing of the conversation."""
