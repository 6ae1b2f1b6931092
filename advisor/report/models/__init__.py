"""Networks with names: their figures and layers, as text and JSON."""
