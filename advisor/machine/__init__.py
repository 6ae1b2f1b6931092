"""What this computer is: detection, health checks, published figures of devices, and the state kept for each host."""
