"""Trying the plan on a dataset: choosing it, watching the trials, reading what won."""
