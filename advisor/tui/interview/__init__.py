"""Screens of the conversation: start, question, known facts, data."""
