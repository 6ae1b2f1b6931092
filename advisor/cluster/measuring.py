"""The work of all ranks together that is measured: matrix products, exchanges of groups, messages of pairs. Needs torch.

Each rank calls the same functions in the same order. What is decided on the way (sizes, how often, when to stop) rank 0
decides by what it has timed, and tells the others.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor, distributed
from torch.distributed import P2POp, ProcessGroup

from advisor.cluster.fitting import alpha_and_rate
from advisor.cluster.meeting import Meeting
from advisor.cluster.profile import Collective, Group, Operation, Pair, Sample
from advisor.cluster.schedule import Pairs
from advisor.plain import decode, encode

_ROUND_SECONDS = 0.08
"""Of matrix products in a round: long against what other programs take at a time."""
_SMALLEST, _LARGEST = 128, 8192
"""Rows and columns."""
_FEWEST_ROUNDS = 6
_FIRST_BYTES, _GROWTH, _LAST_BYTES = 4096, 8, 1 << 28
_LONGEST_EXCHANGE = 1.5
"""Seconds; none is tried that would take longer, were it in proportion to its bytes."""
_SHORT = 0.004
"""Seconds; shorter exchanges are timed several at a time, so that the start of the ranks does not count."""
_REPEATS = 5
_PINGS = 12
_MESSAGES = 3
_MESSAGE_SECONDS = 0.05
_TRIED_BYTES = 1 << 19
_MESSAGE_BYTES = (1 << 16, 1 << 26)


class Products:
    """Matrix products of the same size on all ranks."""

    def __init__(self, meeting: Meeting) -> None:
        self._meeting = meeting
        self.size = _SMALLEST
        while True:
            self._matrices = torch.rand(3, self.size, self.size, device=meeting.device)
            self.run(1)
            seconds = statistics.median(meeting.all_say(min(self.run(1) for _ in range(3))))
            if seconds > _ROUND_SECONDS / 8 or self.size == _LARGEST:
                break
            self.size *= 2
        self.times = max(1, round(_ROUND_SECONDS / max(seconds, 1e-6)))

    def run(self, times: int) -> float:
        """Seconds of so many products."""
        left, right, product = self._matrices
        return timed(self._meeting, lambda: [torch.mm(left, right, out=product) for _ in range(times)])

    def describe(self) -> str:
        many = f"{self.times} products" if self.times > 1 else "the product"
        return f"{many} of matrices of {self.size:,} rows and columns, in 32 bits"

    def round(self) -> float:
        return self.run(self.times)


def timed(meeting: Meeting, work: Callable[[], object]) -> float:
    """Seconds until it is done, on a card by its own clock."""
    if not meeting.on_cards:
        begun = time.perf_counter()
        work()
        return time.perf_counter() - begun
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
    begin.record()
    work()
    end.record()
    end.synchronize()
    return float(begin.elapsed_time(end)) / 1000


def rounds(meeting: Meeting, once: Callable[[], float], seconds: float) -> list[list[float]]:
    """The time that each rank needs for it in every round of so many seconds: round, rank. All begin together."""
    mine: list[float] = []
    for _ in _turns(meeting, seconds, _FEWEST_ROUNDS):
        meeting.wait_for_all()
        mine.append(once())
    return [list(one) for one in zip(*meeting.all_say(mine), strict=True)]


def collective(meeting: Meeting, operation: Operation, kind: Group, seconds: float) -> Collective:
    """Alpha and rate of an exchange, by growing sizes, for about so many seconds."""
    group, everybody = meeting.group(kind), meeting.members(kind)
    count = max(map(len, everybody))
    exchange, name = _exchange(operation)
    mine: dict[int, list[float]] = {}
    until = time.monotonic() + seconds
    for size in _sizes():
        work = exchange(group, size, meeting.device) if group is not None else _nothing
        _all_begin(meeting, work)  # the first makes connections and takes memory
        slowest = max(meeting.all_say(_all_begin(meeting, work)))
        at_once = max(1, int(_SHORT / max(slowest, 1e-6)))
        mine[size] = [_all_begin(meeting, work, at_once) for _ in range(_REPEATS)]
        if meeting.first_says(slowest * _GROWTH > _LONGEST_EXCHANGE or time.monotonic() > until):
            break
    theirs = meeting.all_say(list(mine.values()))
    samples = tuple(
        _sample(size, [[theirs[rank][number] for rank in ranks] for ranks in everybody])
        for number, size in enumerate(mine)
    )
    alpha, rate = alpha_and_rate([(one.bytes, one.seconds) for one in samples])
    return Collective(operation, kind, count, alpha, rate, samples, name)


def message_bytes(meeting: Meeting, kind: Group, pairs: Sequence[Pairs]) -> int:
    """The size of messages that take a while in this kind of group, by one round of pairs."""
    found = [pair.there for pair in exchange_in_pairs(meeting, kind, pairs[:1], _TRIED_BYTES, seconds=0.0)]
    low, high = _MESSAGE_BYTES
    return int(min(max(statistics.median(found) * _MESSAGE_SECONDS, low), high))


def exchange_in_pairs(
    meeting: Meeting, kind: Group, schedule: Sequence[Pairs], size: int, seconds: float
) -> list[Pair]:
    """Messages without content and of so many bytes, there and back, by the rounds of a schedule; as far as time goes, but the
    first in any case."""
    found: list[Pair] = []
    until = time.monotonic() + seconds
    for pairs in schedule:
        meeting.wait_for_all()
        for first, second in pairs:
            if meeting.rank in (first, second):
                found.append(_between(meeting, kind, first, second, size))
        if meeting.first_says(time.monotonic() > until):
            break
    return _joined([decode(Pair, pair) for said in meeting.all_say(encode(found)) for pair in said])


def _between(meeting: Meeting, kind: Group, first: int, second: int, size: int) -> Pair:
    """As this rank has timed what it sent: the other way is the other rank's to say."""
    leads = meeting.rank == first
    other = second if leads else first
    short = torch.zeros(1, device=meeting.device)
    long = torch.zeros(size // 4, device=meeting.device)

    def there_and_back(message: Tensor, sends: bool) -> float:
        with meeting.exchanging():
            begun = time.perf_counter()
            for tensor, outward in ((message, sends), (short, not sends)):
                _pass(distributed.isend if outward else distributed.irecv, tensor, other, meeting.everybody)
                meeting.finish()
            return time.perf_counter() - begun

    answers = [there_and_back(short, leads) for _ in range(_PINGS)]
    latency = min(answers) / 2
    rates = {}
    for sends in (leads, not leads):
        took = min(there_and_back(long, sends) for _ in range(_MESSAGES))
        rates[sends] = long.numel() * 4 / max(took - 2 * latency, 1e-9)
    return Pair(first, second, kind, latency, rates[leads], rates[not leads], _MESSAGES)


def _joined(pairs: Sequence[Pair]) -> list[Pair]:
    """Both ranks have timed the same messages; of each way counts what the sender says, which has waited for the answer."""
    by_pair: dict[tuple[int, int], list[Pair]] = {}
    for pair in pairs:
        by_pair.setdefault((pair.first, pair.second), []).append(pair)
    return [
        Pair(a, b, said[0].group, said[0].latency, said[0].there, said[-1].back, said[0].n)
        for (a, b), said in by_pair.items()
    ]


def _pass(way: Callable[..., object], tensor: Tensor, other: int, group: ProcessGroup | None) -> None:
    """In a batch, for which NCCL needs no connections of its own."""
    for work in distributed.batch_isend_irecv([P2POp(way, tensor, other, group)]):
        work.wait()


def _turns(meeting: Meeting, seconds: float, fewest: int) -> Iterator[int]:
    """Numbers of turns, for so many seconds by the clock of rank 0."""
    until, turn = time.monotonic() + seconds, 0
    while turn < fewest or meeting.first_says(time.monotonic() < until):
        yield turn
        turn += 1


def _all_begin(meeting: Meeting, work: Callable[[], object], times: int = 1) -> float:
    """Seconds of this rank for one of so many."""
    meeting.wait_for_all()
    with meeting.exchanging():
        return timed(meeting, lambda: [work() for _ in range(times)]) / times


def _nothing() -> None:
    """Of ranks that are in no group of the kind."""


def _sizes() -> Iterator[int]:
    size = _FIRST_BYTES
    while size <= _LAST_BYTES:
        yield size
        size *= _GROWTH


def _sample(size: int, seconds: Sequence[Sequence[Sequence[float]]]) -> Sample:
    """Of each repetition the slowest rank's, and of several groups the median: group, rank, repetition."""
    taken = sorted(statistics.median(repeats) for repeats in zip(*map(_slowest, seconds), strict=True))
    return Sample(size, statistics.median(taken), taken[0], taken[-1], len(taken))


def _slowest(ranks: Sequence[Sequence[float]]) -> list[float]:
    return [max(repeat) for repeat in zip(*ranks, strict=True)]


Exchange = Callable[[ProcessGroup, int, torch.device], Callable[[], object]]


def _exchange(operation: Operation) -> tuple[Exchange, str]:
    """Its preparation for a size in bytes, and the function of torch; names have changed with torch 2.13."""
    if operation is Operation.ALL_REDUCE:
        return lambda group, size, device: _reduce(group, torch.zeros(size // 4, device=device)), "all_reduce"
    new, old = (
        ("all_gather_single", "all_gather_into_tensor")
        if operation is Operation.ALL_GATHER
        else ("reduce_scatter_single", "reduce_scatter_tensor")
    )
    name = new if hasattr(distributed, new) else old
    function = getattr(distributed, name)

    def prepare(group: ProcessGroup, size: int, device: torch.device) -> Callable[[], object]:
        part = max(1, size // 4 // group.size())
        whole, one = torch.zeros(part * group.size(), device=device), torch.zeros(part, device=device)
        into, source = (whole, one) if operation is Operation.ALL_GATHER else (one, whole)
        return lambda: function(into, source, group=group)

    return prepare, name


def _reduce(group: ProcessGroup, tensor: Tensor) -> Callable[[], object]:
    return lambda: distributed.all_reduce(tensor, group=group)
