"""A machine, its devices and its health, as text and JSON."""
