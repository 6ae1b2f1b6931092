"""Commands on the rule base."""
