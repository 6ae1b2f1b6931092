"""Strategies that train for real on torch.distributed: each a small class for one process of the group."""
