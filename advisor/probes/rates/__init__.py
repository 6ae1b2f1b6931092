"""Probes of rates of the machine, one file each."""
