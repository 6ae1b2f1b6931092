"""A measured cluster among the facts: their names, and what is slow in it, which the notes of its facts tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from advisor.facts.fact_base import Known, Source

NODES, NETWORK, STRAGGLERS = "cluster.nodes", "cluster.network_bytes_per_second", "cluster.stragglers"
CARDS, CARD = "machine.gpu.count", "machine.gpu.name"
_SLOW = ". Slow: "
_MOST = 3
"""Slow parts that a note tells one by one."""


def note(where: str, slow: Sequence[str] = ()) -> str:
    """The note of a measured fact.

    Args:
        where: where and when it was measured, `on 4 nodes on 2026-11-28`.
        slow: a sentence on each part that is slow, with the evidence.
    """
    more = [f"And {len(slow) - _MOST:,} more."] if len(slow) > _MOST else []
    return f"{where}{_SLOW}{' '.join([*slow[:_MOST], *more])}" if slow else where


def slow_parts(facts: Mapping[str, Known]) -> Iterator[str]:
    """One text on everything that is slow in the measured cluster that a plan rests on, with the evidence; none otherwise."""
    measured = [facts[name] for name in (NODES, STRAGGLERS, NETWORK) if name in facts]
    parts = [known.note.partition(_SLOW) for known in measured if known.source is Source.MEASURED]
    if told := [evidence for _, _, evidence in parts if evidence]:
        yield f"Slow, as measured {parts[0][0]}: {' '.join(told)}"
