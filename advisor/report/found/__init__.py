"""Findings of measurements, trials and inspections, as text and JSON."""
