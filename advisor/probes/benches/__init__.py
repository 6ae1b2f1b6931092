"""What is timed, one module for each kind of work; only the child of a probe imports these."""
