"""The rates of transfer to a graphics card: from ordinary and from pinned memory, back again, and between cards.

Pinned memory cannot be moved by the system, so a card fetches from it directly; from ordinary memory the driver first
copies everything into pinned memory of its own (NVIDIA, CUDA C++ Best Practices Guide, Pinned Memory).
"""

from __future__ import annotations

from advisor.probes.probe import Costs, Probe, Setting, Work, always, best_other
from advisor.probes.surroundings import Surroundings
from advisor.probes.workload import Workload

PINNED = "pinned"
PAGEABLE = "pageable"
TO_HOST = "to host"
PEER_TO_PEER = "peer to peer"
ALL_CARDS = "all cards at once"


def _not_here(workload: Workload | None, surroundings: Surroundings) -> str | None:
    if surroundings.no_card is None and not surroundings.cuda:
        return "There is no graphics card that CUDA programs."
    return surroundings.no_card


def _choose(workload: Workload | None, surroundings: Surroundings, recommended: Setting) -> tuple[Setting, ...]:
    several = (PEER_TO_PEER, ALL_CARDS) if (surroundings.gpus or 0) > 1 else ()
    return (PAGEABLE, PINNED, TO_HOST, *several)


def _rival(costs: Costs, before: Setting) -> Setting:
    return PINNED if PINNED in costs else best_other(costs, before)


TRANSFER = Probe(
    name="transfer",
    place=210,
    question="How many bytes a second go to the graphics card from ordinary and from pinned memory, and back?",
    cost_seconds=10.0,
    bench="transfer",
    work=Work.BYTE,
    bound_by=("machine",),
    needs_network=False,
    not_here=_not_here,
    choose=_choose,
    recommended=always(PAGEABLE),
    rival=_rival,
    gauges={
        "probe.link.host_to_device_bytes_per_second": PINNED,
        "probe.link.pageable_bytes_per_second": PAGEABLE,
        "probe.link.device_to_host_bytes_per_second": TO_HOST,
        "probe.link.peer_to_peer_bytes_per_second": PEER_TO_PEER,
        "probe.link.all_host_to_device_bytes_per_second": ALL_CARDS,
    },
)
