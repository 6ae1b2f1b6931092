"""Time series in tables: recognised, described, and cut into examples."""
