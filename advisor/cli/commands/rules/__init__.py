"""Commands on the rule base, and on the claims that it judges."""
