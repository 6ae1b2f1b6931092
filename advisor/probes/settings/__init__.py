"""Declarations of probes that vary a setting of the training step, one file for settings of one kind."""
