"""Saving reports, the plan, the answers or a starter project to files."""
