"""The vocabulary of everything that can be known, values with units, provenance, and the base of facts about one project."""
