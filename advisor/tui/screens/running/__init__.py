"""Shared by measuring and trying: choosing, watching and stopping minutes of work, and the words of what came out."""
