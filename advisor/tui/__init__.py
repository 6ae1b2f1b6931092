"""The wizard on a whole screen (Textual): one more face of the headless conversation."""

import os

os.environ.setdefault("TEXTUAL_FPS", "120")
"""Frames a second that Textual draws at most, read when it is imported: an answer need not wait for the frame of its key."""
