"""Detection of graphics cards through their drivers."""
