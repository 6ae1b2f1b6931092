"""Strategies by which several workers learn together: named here, and run for real with torch.distributed."""
