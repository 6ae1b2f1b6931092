"""Trainings whose memory is measured here, and those that others measured, for memory_truth.py."""
