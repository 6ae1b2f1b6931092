"""One recommendation with everything behind it."""
