"""The recommendations that follow from what each way to fit training into memory needs: reasons, statuses, what would help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from advisor.agent.settling.fitting import (
    BATCH,
    MICRO_BATCH,
    MODEL_RANKS,
    NOTHING_FITS,
    STRATEGY,
    Fitted,
    with_option,
)
from advisor.agent.settling.glance import Glance
from advisor.agent.settling.network import LENGTH, PARAMETERS, recounted
from advisor.agent.settling.sharing import fitted
from advisor.agent.settling.workloads import MODEL
from advisor.facts.fact_base import FactBase, Known, Source
from advisor.facts.values import with_unit
from advisor.inference.plan import Alternative, MemoryOption, Plan, Reason, Recommendation, Status
from advisor.knowledge.model import Knowledge, School
from advisor.wording import join_names

_RULE = "memory.needs"
"""Names, among the reasons, the comparison of what each way needs."""
_CEILING = "memory.batch_ceiling"
_LARGEST = "memory.largest_model"
_MORE_CARDS = (2, 4, 8, 16, 32, 64)
_ADAPTERS = ("lora", "qlora")
"""From the one that takes more memory to the one that takes less."""


def with_memory(knowledge: Knowledge, plan: Plan, ways: Fitted, facts: FactBase) -> Plan:
    """The plan with its reasons for what the needs of training decide, and the statuses that follow.

    Args:
        facts: as they were before anything was counted.
    """
    if not ways.options:
        return _set_aside(plan, ways)
    open_ = next((figure.assumes for figure in plan.figures if figure.name == _CEILING), ())
    found = dict(plan.recommendations)
    for name in (STRATEGY, MICRO_BATCH, MODEL_RANKS, BATCH):
        told = ways.facts.known(name)
        if told is not None and told.source is Source.DERIVED and found[name].value == told.value:
            found[name] = replace(
                found[name], because=_because(name, ways, found[name]), alternatives=_others(name, ways)
            )
    if ways.chosen is None:
        entry = found[STRATEGY]
        stated = () if entry.value == NOTHING_FITS else (f"You stated it. {_told(STRATEGY, ways)}",)
        remedies = tuple(_what_would_fit(knowledge, plan, facts))
        found[STRATEGY] = replace(entry, notes=(*entry.notes, *stated, *remedies))
    if open_:
        causes = [one for name in open_ for one in _depends_on(plan, name)]
        _unsettle(knowledge, plan, ways, found, tuple(dict.fromkeys(causes)))
    return _set_aside(replace(plan, recommendations=found), ways)


def _set_aside(plan: Plan, ways: Fitted) -> Plan:
    """The plan with words on what was stated and cannot be so."""
    found = dict(plan.recommendations)
    for name, stated in ways.set_aside.items():
        place = MODEL if name == PARAMETERS else name
        found[place] = replace(found[place], notes=(*found[place].notes, _cannot_be(name, stated, plan)))
    return replace(plan, recommendations=found, unused=(*plan.unused, *ways.set_aside))


def _cannot_be(name: str, stated: Known, plan: Plan) -> str:
    """The words on a size that is not taken as it was stated, and on those that could be."""
    found = plan.recommendations
    if name == PARAMETERS:
        has = plan.facts[PARAMETERS].value
        return (
            f"You stated {stated.value:,} weights; {found[MODEL].value}, the published network that comes nearest, has {has:,}, "
            "and the plan counts with these."
        )
    value, ranks = found[name].value, found["parallelism.data_ranks"].value
    if name == BATCH:
        return (
            f"You stated {stated.value}, which {ranks} ranks cannot share equally; {value} or {value + ranks} they can."
        )
    share = found[BATCH].value // ranks
    return (
        f"You stated {stated.value}; the {share} examples that each rank takes for a step cannot be divided so. Any divisor of "
        f"{share} can be stated, or another {BATCH}."
    )


def _depends_on(plan: Plan, name: str) -> tuple[str, ...]:
    """Open facts behind a fact or recommendation that is taken for granted."""
    entry = plan.recommendations.get(name)
    return (name,) if entry is None else entry.depends_on


def _because(name: str, ways: Fitted, entry: Recommendation) -> tuple[Reason, ...]:
    if not entry.because:  # a plan without reasons
        return ()
    text = _told(name, ways)
    return (
        Reason(_RULE, text, ("arithmetic",), School.ANY),
        *(r for r in entry.because if not r.rule.endswith(".stated")),
    )


def _others(name: str, ways: Fitted) -> tuple[Alternative, ...]:
    """For every other way the first that was looked at, and why it is not taken."""
    found: dict[str, Alternative] = {}
    for option in ways.options if name == STRATEGY else ():
        needs = f"It needs {_size(option.needed)} on each device with {_count(option)} at a time"
        if option.fits:
            why = f"{needs}, which fits as well, but costs more time."
        elif option.needed <= option.usable and option.main_memory is not None:
            why = f"{needs}, and {_size(option.main_memory)} of the main memory of each machine, which has less."
        elif option.needed <= option.usable:
            why = f"{needs}, which is fewer than make good use of the device."
        else:
            why = f"{needs}, of {_size(option.usable)} that can be planned with."
        found.setdefault(option.strategy, Alternative(option.strategy, why))
    if ways.chosen is not None:
        found.pop(ways.chosen.strategy, None)
    return tuple(found.values())


def _told(name: str, ways: Fitted) -> str:
    chosen = ways.chosen
    if name == BATCH and (chosen is None or chosen.strategy != "smaller_batch"):
        return "Every rank gets as many examples as any other."
    if chosen is None:
        nearest = min(ways.options, key=lambda option: option.needed)
        stated = ways.facts.known(MICRO_BATCH)
        so = " as you stated" if stated is not None and stated.source is Source.ASKED else ""
        return (
            f"Nothing fits: the least that any way needs on each device is {_size(nearest.needed)} "
            f"({_way(nearest)}, {_count(nearest)} at a time{so}), and {_size(nearest.usable)} can be planned with."
        )
    if name == STRATEGY:
        too_much = [_way(option) for option in ways.options if option.strategy != chosen.strategy and not option.fits]
        others = f" Too much would be {join_names(list(dict.fromkeys(too_much)), 'or')}." if too_much else ""
        return (
            f"With {_count(chosen)} at a time, training needs {_size(chosen.needed)} on each "
            f"device, of {_size(chosen.usable)} that can be planned with: {_size(chosen.states)} for weights, gradients and "
            f"optimiser, {_size(chosen.activations)} for activations, {_size(chosen.reserved)} for the library.{others}"
        )
    if name == MODEL_RANKS:
        return f"A single example is too large for one device, so {chosen.model_ranks} share each (context parallel)."
    if name == BATCH:
        return "The largest batch that fits at once."
    return "As many as fit into memory beside weights, gradients and optimiser, and divide the share of each rank."


def _size(size: float) -> str:
    return with_unit(float(f"{size:.3g}"), "bytes")


def _count(option: MemoryOption) -> str:
    return f"{option.micro_batch} {'example' if option.micro_batch == 1 else 'examples'}"


def _way(option: MemoryOption) -> str:
    return "the whole batch at once" if option.strategy == "fits" else option.strategy.replace("_", " ")


def _what_would_fit(knowledge: Knowledge, plan: Plan, facts: FactBase) -> Iterator[str]:
    """Changes after which some way fits, one of each kind; and the largest network whose states would."""
    yield from _fewer_at_a_time(knowledge, plan, facts)
    if _may_adapt(plan):
        for adaptation in _lighter(plan.value("training.adaptation")):
            adapted = {"project.pretrained_allowed": True, "training.adaptation": adaptation}
            if _fits(knowledge, plan, facts, adapted, moved=False):
                yield f"It would fit with published weights and training.adaptation={adaptation}."
                break
    cards = plan.facts.get("machine.gpu.count")
    if cards is not None and isinstance(cards.value, int) and cards.value > 0:
        for factor in _MORE_CARDS:
            count = cards.value * factor
            if count <= _MORE_CARDS[-1] and _fits(knowledge, plan, facts, {"machine.gpu.count": count}):
                yield f"It would fit on {count} of these cards (machine.gpu.count={count})."
                break
    steps = plan.facts.get(LENGTH)
    if steps is not None and isinstance(steps.value, int):
        shorter = steps.value // 2
        while shorter >= 128:
            if _fits(knowledge, plan, facts, {LENGTH: shorter}):
                yield f"It would fit with sequences of {shorter} (data.sequence_length={shorter})."
                break
            shorter //= 2
    has, most = plan.facts.get(PARAMETERS), next((one.value for one in plan.figures if one.name == _LARGEST), None)
    if has is not None and most is not None and most < has.value:  # type: ignore[operator]
        yield (
            f"It could fit with a smaller network, of less than {_rounded(most):,} weights: with so many a device is full before "
            "any example."
        )


def _fewer_at_a_time(knowledge: Knowledge, plan: Plan, facts: FactBase) -> Iterator[str]:
    """The examples at a time that fit, where more were stated."""
    stated = facts.known(MICRO_BATCH)
    if stated is None or stated.source is not Source.ASKED:
        return
    chosen = fitted(knowledge, facts.without(MICRO_BATCH), plan.school).chosen
    if chosen is not None:
        yield (
            f"You stated {stated.value:,} examples at a time, which do not fit; {chosen.micro_batch:,} would "
            f"({MICRO_BATCH}={chosen.micro_batch}, {_way(chosen)})."
        )


def _may_adapt(plan: Plan) -> bool:
    """True unless published weights are ruled out, or there are none of the network that somebody named."""
    unknown_or = (plan.facts.get(name) for name in ("project.pretrained_allowed", "network.has_weights"))
    return all(known is None or known.value is not False for known in unknown_or)


def _lighter(adaptation: object) -> Sequence[str]:
    """The ways to train beside frozen weights that take less memory than the one that is chosen."""
    return _ADAPTERS[_ADAPTERS.index(adaptation) + 1 :] if adaptation in _ADAPTERS else _ADAPTERS


def _rounded(number: float) -> int:
    """Two digits, downwards."""
    step = int("1".ljust(len(str(int(number))) - 1, "0"))
    return int(number) // step * step


def _fits(
    knowledge: Knowledge, plan: Plan, facts: FactBase, changed: Mapping[str, object], *, moved: bool = True
) -> bool:
    """True if some way fits after a change; unless `moved`, one that does not move the states out of the card."""
    supposed = facts.with_values(changed, Source.ASKED)  # type: ignore[arg-type]
    if LENGTH in changed:
        supposed = recounted(knowledge, supposed)
    chosen = fitted(knowledge, supposed, plan.school).chosen
    return chosen is not None and (moved or chosen.strategy != "offload")


def _unsettle(
    knowledge: Knowledge, plan: Plan, ways: Fitted, found: dict[str, Recommendation], open_: tuple[str, ...]
) -> None:
    """Say leaning of all that rests on needs which rest on something open."""
    others = [
        Glance(knowledge, with_option(knowledge, ways.facts, plan.school, one), plan.school) for one in ways.options
    ]
    for name, entry in found.items():
        moves = name in (STRATEGY, MICRO_BATCH, "training.accumulation") or any(
            other.value(name) != _as_outcome(entry.value) for other in _differing(ways.options, others)
        )
        if entry.status is Status.SETTLED and moves:
            lacks = tuple(dict.fromkeys((*entry.depends_on, *open_)))
            found[name] = replace(entry, status=Status.LEANING, depends_on=lacks)


def _differing(options: tuple[MemoryOption, ...], glances: list[Glance]) -> list[Glance]:
    """One glance for each strategy and number of devices."""
    first = {(option.strategy, option.model_ranks): glance for option, glance in zip(options, glances, strict=True)}
    return list(first.values())


def _as_outcome(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value
