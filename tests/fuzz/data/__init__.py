"""Strategies for files and folders of data: valid ones of known content, and the same with values, structure or bytes changed."""
