"""Commands that measure this machine or train on the user's data."""
