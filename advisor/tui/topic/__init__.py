"""The screen of one recommendation."""
