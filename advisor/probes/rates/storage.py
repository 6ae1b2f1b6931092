"""The rates of reading from the disk behind the data: from end to end, and in small pieces from anywhere."""

from __future__ import annotations

from advisor.probes.probe import Probe, Work, always, among
from advisor.probes.surroundings import Surroundings

SEQUENTIAL = "sequential"
RANDOM = "random"
PAGE = 4096
"""Bytes; what disks and page caches count in."""
LARGEST_PIECE = 16 * 2**20


def piece_bytes(surroundings: Surroundings) -> int:
    """The size of one random read: an example of the data, in whole pages; a page where that is not known.

    At most 16 MiB: reading in pieces beyond that is as good as reading from end to end.
    """
    if not surroundings.data_bytes or not surroundings.examples:
        return PAGE
    pages = -(-surroundings.data_bytes // (surroundings.examples * PAGE))
    return min(pages * PAGE, LARGEST_PIECE)


STORAGE = Probe(
    name="storage",
    place=200,
    question="How many bytes a second does the disk behind the data give, from end to end and in pieces from anywhere?",
    cost_seconds=5.0,
    bench="storage",
    work=Work.BYTE,
    needs_network=False,
    bound_by=("machine",),
    choose=among(SEQUENTIAL, RANDOM),
    recommended=always(SEQUENTIAL),  # all advice on storage comes down to long reads
    gauges={
        "probe.storage.sequential_bytes_per_second": SEQUENTIAL,
        "probe.storage.random_bytes_per_second": RANDOM,
    },
    shortest_sample=0.1,
)
