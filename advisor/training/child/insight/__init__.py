"""Answers to what one wants to know next about the winner: what it rests on, where it errs, whether more data would help."""
