"""Probes of rates of the machine: matrix products, main memory and caches, the disk, transfer to a graphics card."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from advisor.probes.probe import Costs, Probe, Setting, Work, always, among, best_other
from advisor.probes.surroundings import Surroundings

_rate = partial(Probe, cost_seconds=5.0, work=Work.BYTE, needs_network=False, bound_by=("machine",))

HAS_BF16 = 8.0
"""Compute capability from which cards multiply tf32 and bf16 (NVIDIA, CUDA C++ Programming Guide)."""


def _formats(here: Surroundings, recommended: Setting) -> tuple[Setting, ...]:
    """32 bits first: a format that is very slow shows beside it.

    fp64 gives a processor without bf16 something to be compared with; its rate is shown, and kept in no fact.
    """
    if not here.cuda:
        return ("fp32", "bf16", "fp64")
    if (here.compute_capability or 0) >= HAS_BF16:
        return ("fp32", "tf32", "bf16", "fp16")
    return ("fp32", "fp16")


MATMUL = _rate(
    name="matmul",
    title="Matrix products",
    place=180,
    question="In which number format does this machine multiply large matrices fastest, and how fast?",
    cost_seconds=10.0,
    bench="matmul",
    work=Work.FLOP,
    bound_by=("machine", "torch"),
    choose=_formats,
    recommended=always("fp32"),
    gauges={f"probe.matmul.{name}": name for name in ("fp32", "tf32", "bf16", "fp16")},
    labels={f"probe.matmul.{name}": f"Matrix product, {name}" for name in ("fp32", "tf32", "bf16", "fp16", "fp64")},
)

ALL_THREADS = "all threads"
ONE_THREAD = "one thread"
CACHES: Mapping[str, int] = {"l1": 1, "l2": 2, "l3": 3}
"""Levels, by the setting that stays within them."""


def _memories(here: Surroundings, recommended: Setting) -> tuple[Setting, ...]:
    """Without one thread where that is all there is; without what the bench finds no cache for."""
    one: tuple[Setting, ...] = () if here.usable_cores == 1 else (ONE_THREAD,)
    return (ALL_THREADS, *one, *sorted(CACHES, reverse=True))


def _one_thread(costs: Costs, before: Setting) -> Setting:
    """One thread: that caches are faster is no question."""
    return ONE_THREAD if ONE_THREAD in costs and before != ONE_THREAD else best_other(costs, before)


MEMORY = _rate(
    name="memory",
    title="Memory",
    place=190,
    question="How many bytes a second does main memory move, can one core alone use all of it, and what do caches add?",
    bench="memory",
    choose=_memories,
    recommended=always(ALL_THREADS),
    rival=_one_thread,
    gauges={
        "probe.memory.bytes_per_second": ALL_THREADS,
        "probe.memory.one_thread_bytes_per_second": ONE_THREAD,
        **{f"probe.cache.{level}_bytes_per_second": level for level in CACHES},
    },
    labels={
        "probe.memory.bytes_per_second": "Memory, all threads",
        "probe.memory.one_thread_bytes_per_second": "Memory, one thread",
        **{f"probe.cache.{level}_bytes_per_second": f"{level.upper()} cache" for level in CACHES},
    },
)

SEQUENTIAL = "sequential"
RANDOM = "random"
PAGE = 4096
"""Bytes; what disks and page caches count in."""
LARGEST_PIECE = 16 * 2**20


def piece_bytes(here: Surroundings) -> int:
    """The size of one random read: an example of the data, in whole pages; a page where that is not known.

    At most 16 MiB: reading in pieces beyond that is as good as reading from end to end.
    """
    if not here.data_bytes or not here.examples:
        return PAGE
    pages = -(-here.data_bytes // (here.examples * PAGE))
    return min(pages * PAGE, LARGEST_PIECE)


STORAGE = _rate(
    name="storage",
    title="Storage",
    place=200,
    question="How many bytes a second does the disk behind the data give, from end to end and in pieces from anywhere?",
    bench="storage",
    choose=among(SEQUENTIAL, RANDOM),
    recommended=always(SEQUENTIAL),  # all advice on storage comes down to long reads
    gauges={
        "probe.storage.sequential_bytes_per_second": SEQUENTIAL,
        "probe.storage.random_bytes_per_second": RANDOM,
    },
    labels={
        "probe.storage.sequential_bytes_per_second": "Disk, in sequence",
        "probe.storage.random_bytes_per_second": "Disk, random reads",
    },
    shortest_sample=0.1,
)

# Pinned memory cannot be moved by the system, so a card fetches from it directly; from ordinary memory the driver first
# copies everything into pinned memory of its own (NVIDIA, CUDA C++ Best Practices Guide, Pinned Memory).
PINNED = "pinned"
PAGEABLE = "pageable"
TO_HOST = "to host"
PEER_TO_PEER = "peer to peer"
ALL_CARDS = "all cards at once"


def _no_cuda(here: Surroundings) -> str | None:
    if here.no_card is None and not here.cuda:
        return "There is no graphics card that CUDA programs."
    return here.no_card


def _links(here: Surroundings, recommended: Setting) -> tuple[Setting, ...]:
    several = (PEER_TO_PEER, ALL_CARDS) if (here.gpus or 0) > 1 else ()
    return (PAGEABLE, PINNED, TO_HOST, *several)


TRANSFER = _rate(
    name="transfer",
    title="Transfers to the card",
    place=210,
    question="How many bytes a second go to the graphics card from ordinary and from pinned memory, and back?",
    cost_seconds=10.0,
    bench="transfer",
    not_here=_no_cuda,
    choose=_links,
    recommended=always(PAGEABLE),
    rival=lambda costs, before: PINNED if PINNED in costs else best_other(costs, before),
    gauges={
        "probe.link.host_to_device_bytes_per_second": PINNED,
        "probe.link.pageable_bytes_per_second": PAGEABLE,
        "probe.link.device_to_host_bytes_per_second": TO_HOST,
        "probe.link.peer_to_peer_bytes_per_second": PEER_TO_PEER,
        "probe.link.all_host_to_device_bytes_per_second": ALL_CARDS,
    },
    labels={
        "probe.link.host_to_device_bytes_per_second": "Memory to card",
        "probe.link.pageable_bytes_per_second": "Unpinned to card",
        "probe.link.all_host_to_device_bytes_per_second": "Memory to all cards",
        "probe.link.device_to_host_bytes_per_second": "Card to memory",
        "probe.link.peer_to_peer_bytes_per_second": "Card to card",
    },
)
