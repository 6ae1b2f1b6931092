"""A plan, its explanation and its comparison, as text, Markdown and JSON."""
