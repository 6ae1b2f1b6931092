"""Arrays in files: what is stored, and which array is the data and which the target."""
