"""Commands that make, explain, compare and carry away a plan."""
