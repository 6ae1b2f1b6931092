"""Readers of the rule base's YAML files."""
