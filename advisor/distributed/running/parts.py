"""The part that a rank has in a strategy, by its name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from advisor.distributed.running.alone import Alone
from advisor.distributed.running.averaging import DiLoCo, LocalSgd, Synchronous
from advisor.distributed.running.part import Assignment, Idle, Part
from advisor.distributed.running.pushing import Grouped, Pushing
from advisor.distributed.running.serving import (
    BackupServer,
    BoundedServer,
    GroupServer,
    ParameterServer,
    groups_of,
)
from advisor.distributed.strategies import Kind, Strategy

_OF_WORKERS: Mapping[str, type[Part]] = MappingProxyType({
    "synchronous": Synchronous, "gradient_accumulation": Synchronous, "fp16_compression": Synchronous, "powersgd": Synchronous,
    "local_sgd": LocalSgd, "diloco": DiLoCo, "mixed_asynchronous": Grouped,
})  # fmt: skip
"""Others push to a server, or are divided."""
_OF_THE_SERVER: Mapping[str, type[Part]] = MappingProxyType({
    "asynchronous": ParameterServer, "downpour": ParameterServer, "delay_compensated": ParameterServer,
    "delay_compensated_adaptive": ParameterServer, "stale_synchronous": BoundedServer, "backup_workers": BackupServer,
    "mixed_asynchronous": GroupServer,
})  # fmt: skip


def part_of(run: Assignment) -> Part:
    """Made by all ranks at once, as they make groups together.

    Raises InputError, on all ranks alike, where the network does not fit the strategy.
    """
    name, team = run.strategy.name, run.team
    if run.strategy.kind is Kind.PIPELINE:
        check_fit(run)
    for ranks in _groups(run.strategy, team.workers):
        team.group(ranks)
    if team.is_server:
        return _OF_THE_SERVER.get(name, Idle)(run)
    if run.strategy.kind is Kind.ALONE:
        return Alone(run) if team.rank == 0 else Idle(run)
    if team.rank >= run.strategy.whole("stages", team.workers):
        return Idle(run)
    return _divided(run) or _OF_WORKERS.get(name, Pushing)(run)


def check_fit(run: Assignment) -> None:
    """Raises InputError where the network cannot be divided into so many stages."""
    from advisor.distributed.running.pipeline import divided

    divided(run.lesson.network, run.lesson.inputs[:1], run.strategy.whole("stages"))


def _divided(run: Assignment) -> Part | None:
    """The part in a strategy that divides the network; what torch has for it takes a second to import."""
    match run.strategy.kind:
        case Kind.SHARDED:
            from advisor.distributed.running.sharded import Sharded

            return Sharded(run)
        case Kind.PIPELINE:
            from advisor.distributed.running.pipeline import Pipeline

            return Pipeline(run)
        case _:
            return None


def _groups(strategy: Strategy, workers: int) -> list[list[int]]:
    """Those that exchange with each other only."""
    if strategy.kind is Kind.PIPELINE:
        return [list(range(strategy.whole("stages")))]
    if strategy.kind is Kind.ALONE:
        return [[0]]
    return groups_of(strategy, workers) if strategy.kind is Kind.GROUPS else []


def teller_of(run: Assignment) -> int:
    """The rank that knows the loss of a run under way."""
    return run.strategy.whole("stages") - 1 if run.strategy.kind is Kind.PIPELINE else judge_of(run)


def judge_of(run: Assignment) -> int:
    """The rank that has the whole weights in the end, and looks at held-out examples."""
    return run.team.server if run.strategy.name in _OF_THE_SERVER else 0
