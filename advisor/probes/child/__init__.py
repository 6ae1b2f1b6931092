"""The child process of a probe; only it imports torch."""
