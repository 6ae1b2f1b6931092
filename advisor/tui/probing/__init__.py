"""Screens of a measurement."""
