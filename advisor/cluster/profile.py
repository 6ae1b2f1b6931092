"""The measurements of a cluster, as it is written, read and counted on by others. No torch here."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from advisor.children.messages import Natural, Text
from advisor.errors import InputError, input_error
from advisor.files.named import read_named
from advisor.machine.state import (
    MAX_BYTES,
    NothingSavedError,
    load_json,
    make_private,
    newer,
    parse_json,
    save_json,
    state_folder,
)
from advisor.plain import decode, encode
from advisor.wording import shorten

SCHEMA = "advisor/cluster/1"
LAST = "cluster"
"""The name under which it is kept where nobody gives one."""
CPU = "cpu"
"""The device of a rank that computes on processors."""
_RESERVED = ("this", "auto", "none")
"""Names that stand for other machines where a machine is named."""
_TITLE = "The cluster's profile cannot be read"
_REMEDY = "Measure the cluster again: torchrun ... -m advisor.cluster --output FILE."


def _positive(number: float) -> float:
    if not 0 < number < math.inf:
        raise ValueError(f"{number} is not above 0")
    return number


def _from_zero(number: float) -> float:
    if number < 0:
        raise ValueError(f"{number} is below 0")
    return number


def _several(ranks: int) -> int:
    if ranks < 2:
        raise ValueError(f"{ranks} ranks exchange nothing")
    return ranks


def _day(date: str) -> str:
    """ISO 8601, a day or a time."""
    try:
        datetime.fromisoformat(date)
    except ValueError:
        raise ValueError(f"{shorten(date)!r} is no date") from None
    return date


def _some(samples: tuple[float, ...]) -> tuple[float, ...]:
    if not samples:
        raise ValueError("there is no time")
    return samples


Positive = Annotated[float, _positive]
Seconds = Annotated[float, _from_zero]


class Group(StrEnum):
    """The ranks that exchange."""

    INSIDE = "inside"
    """Those of one node; the median of all nodes, which are measured at the same time."""
    ACROSS = "across"
    """One of each node."""
    ALL = "all"


class Operation(StrEnum):
    ALL_REDUCE = "all_reduce"
    ALL_GATHER = "all_gather"
    REDUCE_SCATTER = "reduce_scatter"

    def ring_passes(self) -> int:
        """Passes round a ring of n ranks, each n - 1 messages of an n-th part (Patarasuk and Yuan 2009)."""
        return 2 if self is Operation.ALL_REDUCE else 1


class Kind(StrEnum):
    """A finding."""

    SLOW_RANK = "slow_rank"
    SLOW_LINK = "slow_link"
    """Of a node or a rank, to all others."""
    SLOW_PATH = "slow_path"
    """Between two of them, whose links are not slow."""


@dataclass(frozen=True, slots=True)
class Timed:
    """Seconds of something that was repeated."""

    samples: Annotated[tuple[Positive, ...], _some]

    @property
    def median(self) -> float:
        return statistics.median(self.samples)


@dataclass(frozen=True, slots=True)
class Sample:
    """One size of an exchange."""

    bytes: Natural
    """Of the whole: what is summed, what each has in the end, what is to be scattered."""
    seconds: Seconds
    """Of the slowest rank, the median of so many."""
    low: Seconds
    high: Seconds
    n: Natural


@dataclass(frozen=True, slots=True)
class Collective:
    """One exchange among the ranks of a group: seconds = alpha + bytes / rate."""

    operation: Operation
    group: Group
    ranks: Annotated[int, _several]
    """Ranks that take part."""
    alpha: Seconds
    bytes_per_second: Positive | None
    """None where more bytes take no longer."""
    samples: tuple[Sample, ...]
    by: Text = ""
    """The function of torch."""

    def ring_link(self) -> tuple[float, float | None]:
        """The latency and the rate of a link on which a ring of as many takes as long (advisor.simulation.exchange.ring)."""
        messages = self.operation.ring_passes() * (self.ranks - 1)
        rate = self.bytes_per_second
        return self.alpha / messages, None if rate is None else rate * messages / self.ranks


@dataclass(frozen=True, slots=True)
class Pair:
    """Two ranks that send to each other: the best of several, since what else goes on only makes it slower."""

    first: Natural
    second: Natural
    group: Group
    """Inside a node, or across."""
    latency: Seconds
    """Of a message without content, one way."""
    there: Positive
    """Bytes per second from the first to the second, and back."""
    back: Positive
    n: Natural
    """Messages in each direction."""


@dataclass(frozen=True, slots=True)
class Node:
    name: Text
    ranks: tuple[Natural, ...]


@dataclass(frozen=True, slots=True)
class Rank:
    """One process."""

    rank: Natural
    node: Text
    device: Text
    products: Timed
    """Of the same matrix products, all ranks at once."""
    times_as_long: Positive
    """Than the median of the others, in the median of all rounds."""
    steps: Timed | None = None
    """Of the network's training step, where a job was given."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is slow, with the evidence."""

    kind: Kind
    ranks: tuple[Natural, ...]
    ratio: Positive
    """Its time over the median of the others."""
    says: Text


@dataclass(frozen=True, slots=True)
class ClusterProfile:
    """The whole document."""

    backend: Text
    date: Annotated[str, _day]
    """ISO 8601."""
    versions: dict[str, str]
    """Of advisor, torch and python."""
    nodes: tuple[Node, ...]
    ranks: tuple[Rank, ...]
    products: Text
    """The matrices that were multiplied."""
    collectives: tuple[Collective, ...] = ()
    pairs: tuple[Pair, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[Text, ...] = ()
    """Notes for a reader of how it was measured."""
    step: Text = ""
    """The training step that was timed, as `step_words` has it; empty where no job was given."""
    ended: Text = ""
    """The reason why it ended before its time; empty where it did not."""

    @property
    def on_cards(self) -> bool:
        """True if every rank computes on a card of its own."""
        return all(rank.device != CPU for rank in self.ranks)

    def link(self, group: Group = Group.ACROSS) -> tuple[float, float | None]:
        """Latency in seconds and bytes per second of a link of this group, by the all-reduce; None for a rate without limit.

        Where a group was not measured, it is that of all ranks, or of whatever was. Raises InputError where nothing was.
        """
        reduced = self._all_reduces()
        if not reduced:
            raise input_error(_TITLE, "it has no all-reduce", remedy=_REMEDY)
        found = reduced.get(group) or reduced.get(Group.ALL) or next(iter(reduced.values()))
        return found.ring_link()

    def network(self) -> float | None:
        """Bytes per second of a link between nodes, by the all-reduce; None for one without limit, or that was not measured."""
        reduced = self._all_reduces()
        found = reduced.get(Group.ACROSS) or reduced.get(Group.ALL)
        return None if found is None or len(self.nodes) < 2 else found.ring_link()[1]

    def _all_reduces(self) -> dict[Group, Collective]:
        return {one.group: one for one in self.collectives if one.operation is Operation.ALL_REDUCE}

    def step_samples(self) -> Sequence[Sequence[float]]:
        """Seconds of each rank's training steps, by rank; of its matrix products where no job was given."""
        return [(one.steps or one.products).samples for one in self.ranks]

    def to_json(self) -> dict[str, Any]:
        return {"schema": SCHEMA, **encode(self)}


def step_words(network: str, examples: int, precision: str) -> str:
    """`cnn 64-[32,64]-10, 32 examples, fp32`: by which a training step is known to be the same."""
    return f"{network}, {examples:,} examples, {precision}"


def is_cluster(raw: bytes) -> bool:
    """True for the content of a file that claims to be a cluster's profile, of whatever version and however damaged."""
    return f'"{SCHEMA.rpartition("/")[0]}/'.encode() in raw


def read(path: Path) -> ClusterProfile:
    """The profile that `advisor.cluster --output` wrote. Raises InputError with what is wrong with the file."""
    return parsed(read_named(path, MAX_BYTES, _TITLE, too_large=_REMEDY), path)


def parsed(raw: bytes, path: Path) -> ClusterProfile:
    """The profile with this content. Raises InputError as `read` does.

    Args:
        path: the file that it comes from, for messages.
    """
    where = shorten(path, 200)
    try:
        document = parse_json(raw)
    except ValueError as error:
        raise input_error(_TITLE, str(error), where=where, remedy=_REMEDY) from None
    return _of(document, where)


def is_name(text: str) -> bool:
    """True for a plain word under which a profile can be kept."""
    return text not in _RESERVED and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,60}", text) is not None


def save(profile: ClusterProfile, name: str = LAST) -> Path:
    """Keep it for plans of this host, under a name for which `is_name` holds. Raises StateError where it cannot be written."""
    path = _kept_in() / f"{name}.json"
    make_private(path.parent)
    save_json(path, profile.to_json())
    return path


def remembered(name: str = LAST) -> ClusterProfile:
    """The one that is kept under this name on this host, for which `is_name` holds.

    Raises StateError (NothingSavedError) where there is none, InputError where it is not one of this version.
    """
    path = _kept_in() / f"{name}.json"
    return _of(load_json(path), str(path))


def kept() -> tuple[dict[str, ClusterProfile], list[InputError]]:
    """The clusters that are kept on this host, by name, and the problems with those that cannot be read."""
    found: dict[str, ClusterProfile] = {}
    problems: list[InputError] = []
    try:
        names = sorted(path.stem for path in _kept_in().glob("*.json"))
    except InputError as error:
        return {}, [error]
    for name in filter(is_name, names):
        try:
            found[name] = remembered(name)
        except NothingSavedError:  # moved away just now
            continue
        except InputError as error:
            problems.append(error)
    return found, problems


def _kept_in() -> Path:
    return state_folder() / "clusters"


def _of(document: object, where: str) -> ClusterProfile:
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema != SCHEMA:
        newest = newer(document, SCHEMA)
        what = f"{newest} is of a newer version of this program" if newest else f"its schema is not {SCHEMA}"
        raise input_error(_TITLE, what, where=where, remedy=_REMEDY)
    try:
        return _consistent(decode(ClusterProfile, document, "it"))
    except ValueError as error:
        raise input_error(_TITLE, f"{shorten(error, 200)}", where=where, remedy=_REMEDY) from None


def _consistent(profile: ClusterProfile) -> ClusterProfile:
    """Raises ValueError where nodes and ranks do not belong together."""
    of_nodes = sorted(rank for node in profile.nodes for rank in node.ranks)
    if not of_nodes or not all(node.ranks for node in profile.nodes):
        raise ValueError("there is a node without ranks, or none at all")
    if not of_nodes == [one.rank for one in profile.ranks] == list(range(len(of_nodes))):
        raise ValueError("its nodes do not have each of its ranks once")
    return profile
