"""Local data parallelism: one process against several that share every batch, and the exchange of gradients by itself."""

from __future__ import annotations

from advisor.probes.probe import Probe, Work, always, among
from advisor.probes.surroundings import Surroundings

ONE, SEVERAL = "one", "several"
AT_ONCE, PIECE_BY_PIECE = "at once", "piece by piece"
FEWEST = 2


def local_ranks(here: Surroundings) -> int:
    """The number of processes that share the work: one for each graphics card or NUMA node, two where there is only one node."""
    if here.on_card:
        return here.gpus or 1
    return min(max(FEWEST, here.numa_nodes or 1), here.usable_cores or 1)


def _only_one(here: Surroundings) -> str | None:
    if here.on_card and here.gpus is None:
        return "It is not known how many graphics cards there are."
    if not here.on_card and here.usable_cores is None:
        return "It is not known how many cores can be used."
    if local_ranks(here) < FEWEST:
        only = "graphics card" if here.on_card else "usable core"
        return f"There is only one {only}, so processes would only wait for it."
    return None


def _no_shares(here: Surroundings) -> str | None:
    reason = _only_one(here)
    if reason is None and here.workload is not None and here.workload.batch_size < local_ranks(here):
        return f"A batch of {here.workload.batch_size} cannot be shared by {local_ranks(here)} processes."
    return reason


RANKS = Probe(
    name="ranks",
    title="Training processes",
    place=150,
    shares_cores=True,
    question="Do several local processes that share every batch get through more examples per second than one?",
    topic="practice",
    cost_seconds=8.0,
    bench="allreduce",
    work=Work.EXAMPLE,
    shortest_sample=0.05,
    not_here=_no_shares,
    choose=among(ONE, SEVERAL),
    recommended=lambda values, *_: SEVERAL if values.get("parallelism.strategy") == "data_parallel" else ONE,
)

ALLREDUCE = Probe(
    name="allreduce",
    title="Exchange of gradients",
    place=170,
    question="How long do local processes take to exchange the plan's gradients, and is one flat buffer worth it?",
    cost_seconds=5.0,
    bench="allreduce",
    work=Work.BYTE,
    shortest_sample=0.05,
    bound_by=("machine", "network", "torch"),
    gauges={"probe.allreduce.bytes_per_second": AT_ONCE},
    labels={"probe.allreduce.bytes_per_second": "All-reduce"},
    not_here=_only_one,
    choose=among(AT_ONCE, PIECE_BY_PIECE),
    recommended=always(AT_ONCE),  # torch's DistributedDataParallel gathers gradients in large buffers
)
