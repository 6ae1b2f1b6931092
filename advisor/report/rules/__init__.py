"""The rule base for people: rule book and glossary."""
