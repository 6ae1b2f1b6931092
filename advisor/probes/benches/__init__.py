"""The work that is timed, one module for each kind; only the child of a probe imports these."""
