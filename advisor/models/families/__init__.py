"""Kinds of networks that are counted from their sizes alone, one file a kind."""
