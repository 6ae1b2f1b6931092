"""Local ranks: training steps that they share, against one process, or the exchange of gradients by itself."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from advisor.children.errors import CannotRunError
from advisor.probes.benches.peers import START_SHARE, places_here
from advisor.probes.child.peer import Launch, PeerTrial, started
from advisor.probes.child.rank import Doing, RankLaunch, gradient_sizes
from advisor.probes.child.rank_group import RankGroup, RankTrial
from advisor.probes.judging.trial import Equipment, Tell, Trial
from advisor.probes.probe import Probe, Setting
from advisor.probes.protocol import Note, Request
from advisor.probes.settings.ranks import ALLREDUCE, FEWEST, ONE, SEVERAL, local_ranks
from advisor.probes.workload import Device, Workload

_NUMBER_BYTES = 4
"""Gradients are kept in 32 bits."""


def shares(workload: Workload, ranks: int, cores: int) -> list[Workload]:
    """The workloads of so many ranks: every batch and all cores divided as evenly as they can be."""
    examples, over = divmod(workload.batch_size, ranks)
    return [
        replace(workload, batch_size=max(1, examples + (rank < over)), threads=max(1, cores // ranks))
        for rank in range(ranks)
    ]


def node_processors(ranks: int) -> Sequence[Sequence[int]]:
    """The processors of a NUMA node for each rank, where there are as many nodes as ranks; nothing elsewhere."""
    try:
        nodes = places_here().nodes
    except CannotRunError:
        return ()
    return tuple(nodes.values()) if len(nodes) == ranks > 1 else ()


def prepare(probe: Probe, request: Request, tell: Tell) -> Equipment:
    """The ranks, and for training one process as well that has the whole machine; started side by side."""
    workload = request.step
    here = request.surroundings
    on_card = workload.device is Device.CUDA
    cores = here.usable_cores or os.cpu_count() or 1
    divided = shares(workload, max(FEWEST, local_ranks(here)), cores)
    tell(Note(_how(divided, on_card)))
    longest = request.seconds * START_SHARE
    if probe.name == ALLREDUCE.name:
        group = _group(request, divided, trains=False)
        return started(_exchanges(workload, group), [group], longest)
    group = _group(request, divided, trains=True)
    whole = workload if on_card else replace(workload, threads=cores)
    one = PeerTrial(Launch(whole, request.memory_bytes // 2, request.seed, probe.work), ONE)
    largest = max(share.batch_size for share in divided)
    several = RankTrial(group, SEVERAL, Doing.TRAINING, largest, float(workload.batch_size), on_card)
    return started({ONE: one, SEVERAL: several}, [one, group], longest)


def _how(divided: Sequence[Workload], on_card: bool) -> str:
    threads = divided[0].threads
    place = "a card" if on_card else f"{threads} thread{'' if threads == 1 else 's'}"
    return f"{len(divided)} processes with {place} each exchanged gradients by {'nccl' if on_card else 'gloo'}."


def _group(request: Request, divided: Sequence[Workload], *, trains: bool) -> RankGroup:
    """Half of the memory is left to the one process that trains beside them."""
    nodes = () if divided[0].device is Device.CUDA else node_processors(len(divided))
    return RankGroup(
        [
            RankLaunch(
                workload=share,
                rank=rank,
                ranks=len(divided),
                seconds=request.seconds,
                memory_bytes=request.memory_bytes // 2 // len(divided),
                seed=request.seed,
                trains=trains,
                processors=nodes[rank] if nodes else None,
            )
            for rank, share in enumerate(divided)
        ]
    )


def _exchanges(workload: Workload, group: RankGroup) -> dict[Setting, Trial]:
    """One group of ranks for both ways; the work is the bytes of all gradients."""
    numbers = sum(gradient_sizes(workload))
    work, on_card = float(numbers * _NUMBER_BYTES), workload.device is Device.CUDA
    ways = (Doing.AT_ONCE, Doing.PIECE_BY_PIECE)
    return {way.value: RankTrial(group, way.value, way, numbers, work, on_card) for way in ways}
