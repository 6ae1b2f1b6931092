"""The expression language of rules."""
