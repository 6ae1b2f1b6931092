"""Mutations of values inside valid files, each run by the real command line, which must survive it (README.md says how)."""
