"""Two plans side by side: as things stand, and if facts were otherwise."""
