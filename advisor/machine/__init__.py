"""What this computer is: detection, published profiles of devices, and what was measured here before."""
