"""A cluster's profile as text. No torch here."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence

from advisor.cluster.profile import ClusterProfile, Collective, Group, Pair, Rank
from advisor.wording import join_names

_MOST_ROWS = 32
_GROUPS = {Group.INSIDE: "inside a node", Group.ACROSS: "across nodes", Group.ALL: "all ranks"}
_SIZES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))


def text(profile: ClusterProfile) -> str:
    """The whole report, ending with a line break."""
    parts = [
        _head(profile),
        ["Slow:", *(f"- {one.says}" for one in profile.findings)] if profile.findings else [_nothing_slow(profile)],
        _ranks(profile),
        _collectives(profile.collectives),
        _pairs(profile.pairs),
        [*profile.notes],
    ]
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def cluster_words(profile: ClusterProfile) -> str:
    """`2 nodes, 8 ranks on NVIDIA A100, by nccl, torch 2.13.0`"""
    devices = join_names(sorted({rank.device for rank in profile.ranks}))
    return (
        f"{_count(len(profile.nodes), 'node')}, {_count(len(profile.ranks), 'rank')} on {devices}, "
        f"by {profile.backend}, torch {profile.versions.get('torch', '')}"
    )


def _head(profile: ClusterProfile) -> list[str]:
    lines = [f"Cluster: {cluster_words(profile)}, {profile.date[:10]}"]
    if profile.ended:
        lines.append(f"It ended before its time: {profile.ended} What had been measured by then follows.")
    return lines


def _nothing_slow(profile: ClusterProfile) -> str:
    return "Nothing is said of slow ranks and links." if profile.ended else "No rank and no link is slow."


def _ranks(profile: ClusterProfile) -> list[str]:
    stepped = any(rank.steps for rank in profile.ranks)
    head = ["rank", "node", "products", "to the others", *(["training step"] if stepped else [])]
    shown = profile.ranks
    if len(shown) > _MOST_ROWS:
        shown = tuple(sorted(shown, key=lambda rank: -rank.times_as_long)[:_MOST_ROWS])
    rows = [_rank_row(rank) for rank in shown]
    step = f"; training step of {profile.step}" if profile.step else ""
    title = f"Ranks, all at once ({profile.products}{step}):"
    more = len(profile.ranks) - len(shown)
    return [title, *_table([head, *rows]), *([f"and {more:,} more, which are faster"] if more else [])]


def _rank_row(rank: Rank) -> list[str]:
    steps = [_seconds(rank.steps.median)] if rank.steps else []
    return [str(rank.rank), rank.node, _seconds(rank.products.median), f"{rank.times_as_long:.2f}x", *steps]


def _collectives(found: Sequence[Collective]) -> list[str]:
    if not found:
        return []
    head = ["exchange", "group", "ranks", "latency", "rate", "rate of a ring's link"]
    rows = []
    for one in found:
        _, link = one.ring_link()
        rows.append(
            [
                str(one.operation).replace("_", "-"),
                _GROUPS[one.group],
                str(one.ranks),
                _seconds(one.alpha),
                _rate(one.bytes_per_second),
                _rate(link),
            ]
        )
    return ["Exchanges (seconds = latency + bytes / rate):", *_table([head, *rows])]


def _pairs(pairs: Sequence[Pair]) -> list[str]:
    lines: list[str] = []
    for group in (Group.INSIDE, Group.ACROSS):
        among = [pair for pair in pairs if pair.group is group]
        if among:
            rates = sorted(rate for pair in among for rate in (pair.there, pair.back))
            latencies = [pair.latency for pair in among]
            lines += [
                f"Point to point {_GROUPS[group]}, {_count(len(among), 'pair')}: "
                f"{_rate(statistics.median(rates))} in the median ({_rate(rates[0])} to {_rate(rates[-1])}), "
                f"latency {_seconds(statistics.median(latencies))} ({_seconds(min(latencies))} to {_seconds(max(latencies))})"
            ]
            if len(among) <= _MOST_ROWS:
                lines += _table([["ranks", "latency", "there", "back"], *map(_pair_row, among)])
    return lines


def _pair_row(pair: Pair) -> list[str]:
    return [f"{pair.first} - {pair.second}", _seconds(pair.latency), _rate(pair.there), _rate(pair.back)]


def _table(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Columns as wide as they need to be."""
    rows = list(rows)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _seconds(value: float) -> str:
    size, unit = next(((size, unit) for size, unit in ((1.0, "s"), (1e-3, "ms")) if value >= size), (1e-6, "us"))
    return f"{value / size:.3g} {unit}"


def _rate(bytes_per_second: float | None) -> str:
    if bytes_per_second is None:
        return "no limit seen"
    size, prefix = next((size, prefix) for size, prefix in _SIZES if bytes_per_second >= size or size == 1.0)
    return f"{bytes_per_second / size:.3g} {prefix}B/s"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
