"""Formats of documents: answers, facts, rules, devices, measured machines, and what the advisor itself has saved."""
