"""What measurements, trials and inspections found, as text and JSON."""
