"""One file for each format of data: recognise, inspect, load."""
