"""This computer: detection, health checks, published figures of devices, and the state kept for each host."""
