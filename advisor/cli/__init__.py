"""The command line: one file per command; what computes lives elsewhere."""
