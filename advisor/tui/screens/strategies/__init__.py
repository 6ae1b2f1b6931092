"""Strategies of several workers: trained for real on this machine, or simulated at scale, and what came of it."""
