"""The choice of experiments worth their time, and the meaning of their outcomes for the plan."""
