"""Tables that are time series or graphs."""
