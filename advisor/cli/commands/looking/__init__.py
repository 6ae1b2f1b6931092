"""Commands that look at data and at this machine."""
