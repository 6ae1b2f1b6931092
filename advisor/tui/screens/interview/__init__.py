"""The question that is asked now, with the plan beside it."""
