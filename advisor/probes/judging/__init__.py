"""The contest of two settings, and the record of what a child said."""
