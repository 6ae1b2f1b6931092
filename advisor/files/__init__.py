"""Opening and writing files: those that users name, which may be anything, and our own, which nobody else may touch."""
