"""Exchanges between several processes of a project, as the plan advises them, and those that no project builds."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.inference.plan import Plan
from advisor.starter.blueprint import Blueprint
from advisor.starter.sizes import advice_of, fact_of

PLAIN = "synchronous"
SHARDED = "sharded"
AVERAGED_EVERY = 8
"""Steps between two averages where workers or a simulation decided for local SGD: those that they took."""
APART_EVERY = 100
"""Steps that machines of slow links go on alone: the fewest that the rule base advises for DiLoCo."""
_SHARDING = ("sharded_data_parallel", "shard_states")
_REPLICATED = ("none", "threads", "data_parallel")
_ON_EACH_DEVICE = ("fits", "mixed_precision", "smaller_batch", "gradient_accumulation", "checkpointing")


def strategy_of(plan: Plan, blueprint: Blueprint) -> str:
    """As `train.py --strategy` takes it; the usual one where a single process trains."""
    launch = blueprint.launch
    if launch is None:
        return PLAIN
    if _shards(plan):
        return SHARDED if blueprint.can_shard else PLAIN
    if advice_of(plan, "sync.strategy") == "local_sgd":
        inside = f":inside={launch.processes}" if launch.cluster and launch.processes > 1 else ""
        tried = "local_sgd" in (fact_of(plan, "probe.sync.best"), fact_of(plan, "sim.sync.best"))
        return f"local_sgd:every={AVERAGED_EVERY}{inside}" if tried else f"diloco:every={APART_EVERY}{inside}"
    if "gradient_compression" in (advice_of(plan, "communication") or ()):
        if fact_of(plan, "sim.compression.best") == "powersgd":
            return "powersgd"
        return "fp16_compression" if blueprint.recipe.precision == "fp16" else "bf16_compression"
    return PLAIN


def _shards(plan: Plan) -> bool:
    return any(advice_of(plan, topic) in _SHARDING for topic in ("parallelism.strategy", "memory.strategy"))


def differences(plan: Plan, blueprint: Blueprint) -> Iterator[str]:
    """Sentences on what the plan advises for several devices and the project does otherwise."""
    shards = blueprint.strategy == SHARDED
    follows = {
        "parallelism.strategy": (*_REPLICATED, *(_SHARDING if shards else ())),
        "sync.strategy": ("none", "synchronous", *(() if blueprint.strategy == PLAIN else ("local_sgd",))),
        "memory.strategy": (*_ON_EACH_DEVICE, *(_SHARDING if shards else ())),
    }
    instead = {
        "parallelism.strategy": "divides the weights" if shards else "is data parallel",
        "sync.strategy": "exchanges gradients at every step",
        "memory.strategy": "keeps all states on each device",
    }
    for topic, known in follows.items():
        advised = advice_of(plan, topic)
        if advised is not None and advised not in known:
            yield f"{plan.recommendations[topic].title}: the plan advises {advised}; the project {instead[topic]}."
    compresses = blueprint.strategy.startswith(("powersgd", "bf16", "fp16"))
    if (
        blueprint.launch is not None
        and not compresses
        and "gradient_compression" in (advice_of(plan, "communication") or ())
    ):
        way = blueprint.strategy.partition(":")[0].replace("_", " ")
        yield f"{plan.recommendations['communication'].title}: gradients are not compressed, since the project is {way}."
