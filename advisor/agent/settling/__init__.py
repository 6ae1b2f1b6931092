"""The meaning of a measurement for a plan: its scope, its verdict on a bet, the figures computed with it."""
