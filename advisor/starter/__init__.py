"""A plan as a small training project of its own, which needs torch and the data's reader, and nothing of the advisor."""
