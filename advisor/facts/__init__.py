"""What can be known: the vocabulary, values with units, provenance, and the base of facts about one project."""
