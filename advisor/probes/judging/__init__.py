"""The trials of settings, their contest, and the record of what a child said."""
