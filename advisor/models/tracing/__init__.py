"""Counting a network that exists as code: run on tensors without content, in a process of its own (torch)."""
