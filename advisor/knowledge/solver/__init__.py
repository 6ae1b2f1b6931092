"""Lints that need proof: a rule base as formulas for the solver z3, a development dependency that nothing else imports."""
