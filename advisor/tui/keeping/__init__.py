"""Screens of what is kept: export, saved plans."""
