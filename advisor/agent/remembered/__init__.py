"""Measurements kept on disk: journals of running work, and machine profiles per host."""
