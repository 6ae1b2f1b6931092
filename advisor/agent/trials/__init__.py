"""Trials of models on the user's data: running them in a child, and what they mean for the plan."""
