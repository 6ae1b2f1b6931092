"""Every network on data that suits it, and what it must beat: seeded, on held-out examples, in seconds.

`tests.training.demonstrations.by_name.demonstrate` runs one.
"""
