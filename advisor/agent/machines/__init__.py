"""Reading of a measured machine: rates, peaks, remarks, and the comparison of two machines."""
