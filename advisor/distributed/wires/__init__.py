"""Links between workers of one machine, as slow as asked for."""
