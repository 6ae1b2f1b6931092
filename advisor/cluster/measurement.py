"""The course of a measurement: looks at matrix products, sweeps over pairs, exchanges of groups; and the profile of it."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from advisor.cluster import schedule
from advisor.cluster.findings import FEWEST, Looks, best_of, slow_links, slow_ranks
from advisor.cluster.profile import ClusterProfile, Collective, Group, Node, Operation, Pair, Rank, Timed
from advisor.version import __version__
from advisor.wording import join_names

if TYPE_CHECKING:
    from advisor.cluster.meeting import Meeting
    from advisor.cluster.schedule import Pairs

LOOKS = 3
"""At the beginning, in the middle and at the end."""
SWEEPS = 2
_LOOK_SHARE, _SWEEP_SHARE, _STEP_SHARE = 0.08, 0.12, 0.1
"""Of the seconds that there are, each; exchanges of groups get the rest."""
_SECONDS_A_ROUND = 0.4
"""Of pairs, about: messages that take long enough to be timed, there and back."""


@dataclass(slots=True)
class Measured:
    """All that is known so far."""

    backend: str
    torch: str
    nodes: Sequence[Node]
    devices: Sequence[str]
    step: str = ""
    """The training step that is to be timed, in words; empty without a job."""
    products: str = ""
    looks: list[list[list[float]]] = field(default_factory=list)
    """Seconds of matrix products: look, round, rank."""
    steps: list[list[float]] = field(default_factory=list)
    """Of the network's training step: round, rank."""
    sweeps: list[list[Pair]] = field(default_factory=list)
    collectives: list[Collective] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def profile(self, ended: str = "") -> ClusterProfile | None:
        """None where not even one look is complete."""
        if not self.looks:
            return None
        looks, pairs = Looks(self.looks), best_of(self.sweeps)
        complete = len(self.looks) == LOOKS
        return ClusterProfile(
            backend=self.backend,
            date=datetime.now(UTC).isoformat(timespec="seconds"),
            versions={"advisor": __version__, "torch": self.torch, "python": platform.python_version()},
            nodes=tuple(self.nodes),
            ranks=tuple(self._rank(rank, ratio) for rank, ratio in enumerate(looks.medians())),
            products=self.products,
            collectives=tuple(self.collectives),
            pairs=tuple(pairs),
            findings=(
                *(slow_ranks(looks, self.nodes) if complete else ()),
                *(slow_links(self.sweeps, self.nodes) if len(self.sweeps) >= SWEEPS else ()),
            ),
            notes=tuple(self.notes),
            step=self.step if self.steps else "",
            ended=ended,
        )

    def _rank(self, rank: int, times_as_long: float) -> Rank:
        node = next(node for node in self.nodes if rank in node.ranks)
        products = Timed(tuple(round_[rank] for look in self.looks for round_ in look))
        steps = Timed(tuple(round_[rank] for round_ in self.steps)) if self.steps else None
        return Rank(rank, node.name, self.devices[rank], products, times_as_long, steps)


def measure(meeting: Meeting, measured: Measured, seconds: float, step: Callable[[], float] | None) -> None:
    """Everything, in an order that sets looks and sweeps apart. Each rank calls it; what is known is kept as it comes.

    Args:
        step: makes one training step of a network and tells its seconds; None without a job.
    """
    from advisor.cluster.measuring import Products, collective, rounds

    meeting.begin()
    products = Products(meeting)
    measured.products = products.describe()

    def look() -> None:
        measured.looks.append(rounds(meeting, products.round, seconds * _LOOK_SHARE))

    look()
    if step is not None:
        step()  # the first takes memory and chooses algorithms
        measured.steps = rounds(meeting, step, seconds * _STEP_SHARE)
    sweeps = _Sweeps(meeting, seconds * _SWEEP_SHARE)
    measured.notes += sweeps.notes
    measured.sweeps.append(sweeps.next())
    look()
    each = seconds * (1 - LOOKS * _LOOK_SHARE - SWEEPS * _SWEEP_SHARE - _STEP_SHARE)
    exchanges = [(operation, group) for operation in Operation for group in meeting.groups()]
    for operation, group in exchanges:
        measured.collectives.append(collective(meeting, operation, group, each / len(exchanges)))
    measured.sweeps.append(sweeps.next())
    look()


class _Sweeps:
    """Each goes over the pairs inside nodes, and over those across."""

    def __init__(self, meeting: Meeting, seconds: float) -> None:
        from advisor.cluster.measuring import message_bytes

        self._meeting = meeting
        self._ranks = [node.ranks for node in meeting.nodes]
        self._made = 0
        rounds = {
            Group.INSIDE: schedule.rounds_inside(self._ranks),
            Group.ACROSS: schedule.rounds_across(self._ranks),
        }
        self._kinds = [kind for kind, those in rounds.items() if those]
        self._seconds = seconds / len(self._kinds)
        self._sizes = {kind: message_bytes(meeting, kind, rounds[kind]) for kind in self._kinds}
        self.notes = self._notes(rounds)

    def next(self) -> list[Pair]:
        from advisor.cluster.measuring import exchange_in_pairs

        found = []
        for kind in self._kinds:
            every = schedule.rounds_across(self._ranks, self._made) if kind is Group.ACROSS else None
            chosen = schedule.sample(every or schedule.rounds_inside(self._ranks), self._most())
            found += exchange_in_pairs(self._meeting, kind, chosen, self._sizes[kind], 2 * self._seconds)
        self._made += 1
        return found

    def _most(self) -> int:
        """Rounds that there is time for; as many as it takes to tell one link from its partners in any case."""
        return max(FEWEST, int(self._seconds / _SECONDS_A_ROUND))

    def _notes(self, rounds: dict[Group, list[Pairs]]) -> list[str]:
        sampled = [f"{kind} nodes" for kind in self._kinds if len(rounds[kind]) > self._most()]
        found = []
        if sampled:
            found.append(f"Of the pairs {join_names(sampled)} a sample was measured.")
        if len(self._ranks) == FEWEST - 1:
            found.append("There are two nodes: which of two links is slow cannot be told.")
        return found
