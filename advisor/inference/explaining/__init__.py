"""Reasons, flips and questions of a plan."""
