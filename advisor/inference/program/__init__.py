"""The rule base compiled for one school, and its index of what a change reaches."""
