"""Findings on what machine, driver and torch disagree on."""
