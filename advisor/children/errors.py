"""Errors of processes of ours: for people, and for a supervisor."""

from __future__ import annotations


class CannotRunError(Exception):
    """The work that was asked for is too slow, too large or impossible here; the message says which and by how much."""


class TooLongError(CannotRunError):
    """There is too little time left for it: with more it could run."""


class NonsenseError(ValueError):
    """A child wrote what is no message, or spoke of what it was not asked for."""
