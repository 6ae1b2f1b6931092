"""Sets of data that packages ship, other libraries on them, and scores beside those of `advisor try`."""
