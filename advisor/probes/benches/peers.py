"""The plan's own training step, each setting in a process of its own; the contest lets them run in turn."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.children.errors import CannotRunError
from advisor.machine.detection.processor import detect_processor
from advisor.machine.detection.processor_details import allowed_nodes, numa_nodes
from advisor.machine.host import Host, Tree
from advisor.probes.child.peer import Launch, PeerTrial, started
from advisor.probes.judging.trial import Equipment, Tell
from advisor.probes.probe import Probe, Setting
from advisor.probes.protocol import Note, Request
from advisor.probes.settings.cores import HARDWARE_THREADS, INTEROP, NUMA, ONE_NODE, SMT

START_SHARE = 0.7
"""Of the time there is, for the start of all processes, which usually takes a few seconds."""


@dataclass(frozen=True, slots=True)
class Places:
    """The hardware threads that may be used: all, and one group for each core and each NUMA node that has memory."""

    threads: tuple[int, ...]
    cores: tuple[tuple[int, ...], ...]
    nodes: dict[int, tuple[int, ...]]

    def cores_among(self, threads: Iterable[int]) -> tuple[int, ...]:
        """One hardware thread, the first, of each core that has any of these."""
        wanted = set(threads)
        shares = (tuple(thread for thread in core if thread in wanted) for core in self.cores)
        return tuple(sorted(share[0] for share in shares if share))


def places(tree: Tree, usable: Sequence[int]) -> Places:
    """The hardware threads that this process may run on, as the system describes them."""
    cores = detect_processor(tree, Host()).cores or tuple((thread,) for thread in usable)
    allowed = allowed_nodes(tree)
    nodes = {
        node.id: tuple(thread for thread in node.threads if thread in usable)
        for node in numa_nodes(tree) or ()
        if allowed is None or node.id in allowed
    }
    return Places(tuple(usable), cores, {number: threads for number, threads in nodes.items() if threads})


def places_here() -> Places:
    """Of this machine. Raises CannotRunError where the system binds no process to a processor."""
    if not hasattr(os, "sched_getaffinity"):
        raise CannotRunError("This system does not let a process choose its processors.")
    return places(Tree(Path("/")), sorted(os.sched_getaffinity(0)))


def launch_for(probe: Probe, setting: Setting, plain: Launch, here: Places | None) -> Launch:
    """The launch of a setting's process. Raises CannotRunError where the machine has no such place."""
    if probe.name == INTEROP.name:
        return replace(plain, interop_threads=int(setting))
    if here is None or (probe.name == NUMA.name and setting != ONE_NODE):
        return replace(plain, workload=probe.variant(plain.workload, setting))
    if probe.name == SMT.name:
        processors = here.threads if setting == HARDWARE_THREADS else here.cores_among(here.threads)
        return replace(plain, workload=replace(plain.workload, threads=len(processors)), processors=processors)
    if not here.nodes:
        raise CannotRunError("The system does not tell which processors and memory belong together.")
    node = max(here.nodes, key=lambda number: len(here.nodes[number]))
    workload = replace(plain.workload, threads=len(here.cores_among(here.nodes[node])))
    return replace(plain, workload=workload, processors=here.nodes[node], memory_node=node)


def prepare(probe: Probe, request: Request, tell: Tell) -> Equipment:
    """One process for each setting, started side by side before any is timed."""
    workload = request.step
    if workload.threads is None:
        workload = replace(workload, threads=request.surroundings.usable_cores)
    plain = Launch(workload, request.memory_bytes // len(request.settings), request.seed, probe.work)
    here = places_here() if probe.name in (SMT.name, NUMA.name) else None
    trials = {setting: PeerTrial(launch_for(probe, setting, plain, here), setting) for setting in request.settings}
    tell(Note("Each setting ran in a process of its own; its peak memory is that of the whole process."))
    processes = sorted(trials.values(), key=lambda trial: trial.setting != request.before)
    return started(trials, processes, request.seconds * START_SHARE)
