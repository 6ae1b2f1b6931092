"""Probes of one setting of the training step, one file each."""
