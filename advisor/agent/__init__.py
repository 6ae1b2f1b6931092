"""Which probes are worth their time, and what their outcome means for the plan."""
