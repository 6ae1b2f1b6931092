"""Strategies of several workers, simulated or trained: pages, pictures of who waits for whom, JSON."""
