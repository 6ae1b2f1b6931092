"""The order of trials, their comparison and their verdicts; no torch."""
