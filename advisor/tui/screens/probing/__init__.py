"""Measuring this machine: choosing probes, watching them, reading the results."""
