"""Commands that look at data, at this machine, and at known devices."""
