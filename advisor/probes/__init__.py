"""Experiments on the machine: each probe answers a question of the plan by timing work in several settings."""
