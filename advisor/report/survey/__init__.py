"""The survey's claims and the benchmark of 2016, as text and JSON."""
