"""All ranks together: who they are, the groups in which they exchange, and what they say to each other. Needs torch."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import psutil
import torch
from torch import Tensor, distributed
from torch.distributed import ProcessGroup

from advisor.children.errors import CannotRunError
from advisor.cluster.launch import Launch
from advisor.cluster.profile import Group, Node
from advisor.cluster.register import Register
from advisor.cluster.watch import Watch
from advisor.plain import decode, encode
from advisor.wording import shorten

LONGEST = {"gloo": 10.0, "nccl": 60.0}
"""Seconds of any exchange; then a rank is taken to be dead or to hang. The first by NCCL makes all connections."""
_MORE_SECONDS = 2.0
"""For torch to notice it by itself, which says more."""
_LAST_WORDS_SECONDS = 4.0
"""To hear why an exchange failed; where the whole network is gone, nobody answers."""
_LONGEST_REASON = 200


@dataclass(frozen=True, slots=True)
class Member:
    """The words of each rank on itself."""

    rank: int
    host: str
    node: int | None
    cuda: bool
    device: str


class Meeting:
    """All ranks, in groups."""

    def __init__(self, launch: Launch, patience: float, watch: Watch) -> None:
        """Wait until all ranks are there. Raises CannotRunError with those that are not after so many seconds."""
        self.launch = launch
        self.backend = "gloo"
        self._ended = False
        self._watch = watch
        self._register = Register(launch, patience, watch)
        _choose_interface(launch)
        os.environ.setdefault("TORCH_NCCL_BLOCKING_WAIT", "1")  # or a rank that is missing ends all without a word
        with self.exchanging():
            self._connect()
        members = [decode(Member, said) for said in self.all_say(encode(_member(launch)))]
        self.nodes = nodes_of(members)
        self.on_cards = all(member.cuda for member in members)
        self.devices = [member.device if self.on_cards else "cpu" for member in members]
        self.device = torch.device("cuda", torch.cuda.current_device()) if self.on_cards else torch.device("cpu")
        self.backend = "nccl" if self.on_cards else "gloo"
        with self.exchanging():
            self.everybody = self._group(range(launch.ranks))
            self._of_kind = self._groups()
        self._register.answer_when_asked()

    @property
    def rank(self) -> int:
        return self.launch.rank

    @property
    def is_first(self) -> bool:
        return self.launch.rank == 0

    def groups(self) -> Sequence[Group]:
        """The kinds of groups that there are."""
        return tuple(self._of_kind)

    def group(self, kind: Group) -> ProcessGroup | None:
        """The group of this kind that this rank is in."""
        return self._of_kind[kind][1]

    def members(self, kind: Group) -> list[Sequence[int]]:
        """The ranks of each group of this kind."""
        return self._of_kind[kind][0]

    def all_say(self, value: object) -> list[Any]:
        """The words of every rank, by rank: values that JSON has, since nothing that others send is unpickled."""
        said = _as_bytes(value)
        with self.exchanging():
            lengths = [torch.zeros(1, dtype=torch.int64) for _ in range(self.launch.ranks)]
            distributed.all_gather(lengths, torch.tensor([len(said)]))
            padded = torch.zeros(int(max(lengths)), dtype=torch.uint8)
            padded[: len(said)] = said
            everything = [torch.empty_like(padded) for _ in lengths]
            distributed.all_gather(everything, padded)
        return [_from_bytes(one[: int(length)]) for one, length in zip(everything, lengths, strict=True)]

    def first_says(self, value: object) -> Any:
        """The word of rank 0; what others would say does not count."""
        said = _as_bytes(value)
        length = torch.tensor([len(said)])
        with self.exchanging():
            distributed.broadcast(length, src=0)
            if not self.is_first:
                said = torch.empty(int(length), dtype=torch.uint8)
            distributed.broadcast(said, src=0)
        return _from_bytes(said)

    def begin(self) -> None:
        """Let every group exchange once: NCCL lets two ranks of a group talk only after all of it have."""
        for _, group in [([], self.everybody), *self._of_kind.values()]:
            if group is not None:
                with self.exchanging():
                    distributed.all_reduce(torch.zeros(1, device=self.device), group=group)
                    self.finish()

    def wait_for_all(self) -> None:
        """Until every rank is here."""
        with self.exchanging():
            distributed.barrier()

    @contextlib.contextmanager
    def exchanging(self) -> Iterator[None]:
        """Around whatever waits for others. Raises CannotRunError where somebody wants it to end."""
        if self._ended:
            raise CannotRunError("it was ended from outside (SIGTERM), as launchers do where a rank has failed")
        with self._watch.within(LONGEST[self.backend] + _MORE_SECONDS):
            yield

    def finish(self) -> None:
        """Wait for the device, so that what was begun is done."""
        if self.on_cards:
            torch.cuda.synchronize(self.device)

    def end(self) -> None:
        """Somebody wants it to end, before the next exchange."""
        self._ended = True

    def last_words(self, error: Exception) -> str:
        """Tell the others that an exchange has failed here. Returns a sentence, on rank 0 with the reason."""
        node = {rank: f"{rank} (node {node.name})" for node in self.nodes for rank in node.ranks}
        with self._watch.within(_LAST_WORDS_SECONDS):
            return self._register.last_words(error, node.__getitem__)

    def _connect(self) -> None:
        try:
            distributed.init_process_group(
                "gloo",
                store=self._register.store,
                rank=self.rank,
                world_size=self.launch.ranks,
                timeout=timedelta(seconds=LONGEST["gloo"]),
            )
        except RuntimeError as error:
            remedy = "Set GLOO_SOCKET_IFNAME to the network interface at which other nodes reach this one (`ip -br address`)."
            raise CannotRunError(
                f"Rank {self.rank} cannot connect to others ({shorten(error, _LONGEST_REASON)}). {remedy}"
            ) from error

    def _group(self, ranks: Sequence[int]) -> ProcessGroup | None:
        """To be called by all ranks, in the same order."""
        made = distributed.new_group(
            list(ranks), timeout=timedelta(seconds=LONGEST[self.backend]), backend=self.backend
        )
        return made if self.rank in ranks else None

    def _groups(self) -> dict[Group, tuple[list[Sequence[int]], ProcessGroup | None]]:
        """One group where all are in one node, or each has its own."""
        everybody: tuple[list[Sequence[int]], ProcessGroup | None] = ([range(self.launch.ranks)], self.everybody)
        if len(self.nodes) == 1:
            return {Group.INSIDE: everybody}
        if len(self.nodes) == self.launch.ranks:
            return {Group.ACROSS: everybody}
        inside = [(node.ranks, self._group(node.ranks)) for node in self.nodes if len(node.ranks) > 1]
        first = [node.ranks[0] for node in self.nodes]
        return {
            Group.INSIDE: ([ranks for ranks, _ in inside], next((made for _, made in inside if made), None)),
            Group.ACROSS: ([first], self._group(first)),
            Group.ALL: everybody,
        }


def nodes_of(members: Sequence[Member]) -> list[Node]:
    """Ranks by node: by its number, and where there is none by the name of the host."""
    ranks: dict[tuple[int | None, str], list[int]] = {}
    for member in members:
        key = (None, member.host) if member.node is None else (member.node, "")
        ranks.setdefault(key, []).append(member.rank)
    hosts = {key: members[those[0]].host for key, those in ranks.items()}
    unique = len(set(hosts.values())) == len(hosts)
    return [
        Node(hosts[key] if unique else f"{hosts[key]}/{number}", tuple(those))
        for number, (key, those) in enumerate(ranks.items())
    ]


def _as_bytes(value: object) -> Tensor:
    return torch.frombuffer(bytearray(json.dumps(value).encode()), dtype=torch.uint8)


def _from_bytes(said: Tensor) -> Any:
    return json.loads(bytes(said.tolist()))


def _choose_interface(launch: Launch) -> None:
    """Of gloo, which would otherwise take the address of the host's own name, often one that no other node reaches."""
    if "GLOO_SOCKET_IFNAME" in os.environ:
        return
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        asked.connect((launch.address, launch.port))  # sends nothing
        mine = asked.getsockname()[0]
        for name, addresses in psutil.net_if_addrs().items():
            alone = mine.startswith("127.") and launch.ranks > _ranks_here()
            if not alone and any(address.address == mine for address in addresses):
                os.environ["GLOO_SOCKET_IFNAME"] = name


def _ranks_here() -> int:
    """Of this node, where the launcher tells it."""
    for name in ("LOCAL_WORLD_SIZE", "SLURM_NTASKS_PER_NODE"):
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    return 1 << 30


def _member(launch: Launch) -> Member:
    cards = torch.cuda.device_count() if torch.cuda.is_available() and distributed.is_nccl_available() else 0
    card = launch.local_rank if launch.local_rank < cards else 0
    usable = launch.local_rank < cards or cards == 1
    if usable:
        torch.cuda.set_device(card)
    name = torch.cuda.get_device_name(card) if usable else "cpu"
    return Member(launch.rank, socket.gethostname(), launch.node, usable, name)
