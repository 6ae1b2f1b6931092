"""The ways to fit training into memory, what each needs by the plan's own figures, and the first that fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from advisor.agent.settling.figures import given_quantities
from advisor.agent.settling.glance import Glance
from advisor.agent.settling.network import with_network
from advisor.facts.fact_base import FactBase, Known, Source
from advisor.inference.advise import engine_for
from advisor.inference.figures import figure_values
from advisor.inference.plan import MemoryOption
from advisor.knowledge.model import Knowledge, Policy, School

STRATEGY = "memory.strategy"
MODEL_RANKS = "parallelism.model_ranks"
MICRO_BATCH = "training.micro_batch"
BATCH = "training.batch_size"
FOUND = (STRATEGY, MICRO_BATCH, MODEL_RANKS, BATCH)
"""Facts that the figures tell, where nobody states them."""
NOTHING_FITS = "does_not_fit"
_FEW = 8
"""Pictures and the like are computed at least so many at a time before anything is computed twice; of texts, each is long."""


@dataclass(frozen=True)
class Fitted:
    """The facts with the network as it is counted, and the way that was found; no options where its needs are not known.

    `set_aside` was stated and cannot be so: sizes of a batch which cannot be shared out (the facts have the next smaller
    ones), the size of a network of which there are no published weights (they have that of the nearest).
    """

    facts: FactBase
    options: tuple[MemoryOption, ...] = ()
    set_aside: Mapping[str, Known] = field(default_factory=dict)

    @property
    def chosen(self) -> MemoryOption | None:
        return next((option for option in self.options if option.fits), None)


def fitted_as_advised(knowledge: Knowledge, facts: FactBase, school: School, *, whole: bool = False) -> Fitted:
    """The facts with the first way that fits the devices that rules advise, and how many examples are computed at a time.

    Args:
        whole: look at every way, those after the first that fits too.
    """
    for name in FOUND:
        facts = facts.without(name, Source.DERIVED)
    network = with_network(knowledge, facts, school)
    facts = network.facts
    options: list[MemoryOption] = []
    for strategy, ranks in _ways(Glance(knowledge, facts, school), school):
        found = {STRATEGY: strategy} | ({MODEL_RANKS: ranks} if ranks > 1 else {})
        option = _option(
            knowledge, Glance(knowledge, facts.with_values(found, Source.DERIVED), school), school, strategy
        )
        if option is None:
            options.clear()
            break
        options.append(option)
        if option.fits and not whole:
            break
    chosen = next((option for option in options if option.fits), None)
    if chosen is not None:
        told = with_option(knowledge, facts, school, chosen)
    elif not options:
        told = _shared_out(knowledge, facts, school, None)
    else:
        told = _shared_out(knowledge, facts.with_values({STRATEGY: NOTHING_FITS}, Source.DERIVED), school, 1)
    stated = {name: known for name in (BATCH, MICRO_BATCH) if (known := facts.known(name)) is not None}
    aside = {name: known for name, known in stated.items() if told.known(name) != known}
    return Fitted(told, tuple(options), {**network.set_aside, **aside})


def resting_on_memory(knowledge: Knowledge, school: School) -> list[str]:
    """The topics that read, also through others, how training fits into memory."""
    topics = engine_for(knowledge, school).program.topics
    return [name for name, topic in topics.items() if any(one.name in FOUND for one in topic.upstream)]


def with_option(knowledge: Knowledge, facts: FactBase, school: School, option: MemoryOption) -> FactBase:
    """The facts as they are with this way."""
    found: dict[str, Any] = {STRATEGY: option.strategy}
    if option.shared:
        found[MODEL_RANKS] = option.model_ranks
    facts = facts.with_values(found, Source.DERIVED)
    glance = Glance(knowledge, facts, school)
    if option.strategy == "smaller_batch":
        smaller = {BATCH: option.micro_batch * glance.value("parallelism.data_ranks")}
        return facts.with_values({**smaller, MICRO_BATCH: option.micro_batch}, Source.DERIVED)
    return _shared_out(knowledge, facts, school, option.micro_batch)


def _shared_out(knowledge: Knowledge, facts: FactBase, school: School, ceiling: int | None) -> FactBase:
    """The facts with a batch that the ranks can share, and as many examples at a time as fit and make it up.

    Args:
        ceiling: examples that fit; None where it is not known, then no more are taken than the rules say.
    """
    glance = Glance(knowledge, facts, school)
    batch, ranks = glance.value(BATCH), glance.value("parallelism.data_ranks")
    if batch is None or ranks is None or glance.means_nothing(BATCH):
        return facts
    share = max(1, batch // ranks)
    most = ceiling if ceiling is not None else glance.value(MICRO_BATCH) or share
    sizes = {BATCH: share * ranks, MICRO_BATCH: _micro_batch(glance, share, most)}
    for name, size in sizes.items():
        if glance.value(name) != size:
            facts = facts.without(name).with_values({name: size}, Source.DERIVED)
    return facts


def _ways(glance: Glance, school: School) -> Iterator[tuple[str, int]]:
    """The strategies that make sense here, and how many devices then compute the same examples; 1 where rules tell."""
    if glance.means_nothing(BATCH) or glance.value(BATCH) is None:
        return
    stated = glance.stated.known(STRATEGY)
    if stated is not None:
        yield str(stated.value), 1
        return
    device, cards = glance.value("compute.device"), _number(glance, "machine.gpu.count")
    yield "fits", 1
    if school is School.SURVEY:
        yield "smaller_batch", 1
    else:
        yield "gradient_accumulation", 1
        yield "checkpointing", 1
    if device in ("multi_gpu", "cluster"):
        yield "shard_states", 1
        if cards > 1 and glance.value("network.type") == "transformer" and school is not School.SURVEY:
            yield "shard_states", cards
    backend = glance.facts.get("machine.gpu.backend")
    shared = backend is not None and backend.value == "mps"  # one memory for processor and card
    if device != "cpu" and cards > 0 and not shared:
        yield "offload", 1


def _option(knowledge: Knowledge, glance: Glance, school: School, strategy: str) -> MemoryOption | None:
    """The needs of one way; None where they cannot be computed."""
    values = _values(knowledge, glance)
    figures = figure_values(knowledge, values, school)
    ceiling, ranks = figures.get("memory.batch_ceiling"), values.get("parallelism.data_ranks")
    if ceiling is None or ranks is None:
        return None
    share = max(1, values[BATCH] // ranks)
    measured = glance.facts.get("probe.batch.best")
    if measured is not None and measured.source is Source.MEASURED:  # so many did fit
        ceiling = max(ceiling, int(measured.value))  # type: ignore[arg-type]
    micro = _micro_batch(glance, share, int(ceiling))
    least = 1
    if strategy in ("fits", "mixed_precision"):  # without passes
        least = share
        micro = micro if glance.stated.known(MICRO_BATCH) is not None else share
    if strategy == "gradient_accumulation" and not _one_is_long(glance):
        least = min(share, _FEW)
    if micro != values[MICRO_BATCH]:
        figures = figure_values(knowledge, {**values, MICRO_BATCH: micro}, school)
    elsewhere = figures.get("memory.states_in_main_memory")
    room = _number(glance, "machine.memory_bytes")
    fits = least <= micro <= ceiling and (elsewhere is None or not room or elsewhere <= 0.9 * room)
    return MemoryOption(
        strategy,
        values[MODEL_RANKS],
        micro,
        figures["memory.states_on_device"],
        figures["memory.activations"],
        figures["memory.reserved"],
        figures["memory.usable"],
        fits,
        elsewhere,
        glance.stated.known(MODEL_RANKS) is not None,
    )


def figures_of(knowledge: Knowledge, glance: Glance, school: School) -> Mapping[str, float]:
    """The computed numbers that are known, by name."""
    return figure_values(knowledge, _values(knowledge, glance), school)


def _values(knowledge: Knowledge, glance: Glance) -> dict[str, Any]:
    """Facts, recommendations and given numbers by name, as formulas read them."""
    values: dict[str, Any] = {name: known.value for name, known in glance.facts.items()}
    for name, topic in knowledge.topics.items():
        value = glance.value(name)
        values[name] = frozenset(value) if topic.policy is Policy.ALL and value is not None else value
    return values | {name: quantity.value for name, quantity in given_quantities(glance).items()}


def _micro_batch(glance: Glance, share: int, ceiling: int) -> int:
    """As many examples at a time as fit, or as stated: always a divisor of the share of a rank, one in any case."""
    stated = glance.stated.known(MICRO_BATCH)
    most = ceiling if stated is None else int(stated.value)  # type: ignore[arg-type]
    return next(size for size in range(min(share, max(1, most)), 0, -1) if share % size == 0)


def _one_is_long(glance: Glance) -> bool:
    """True where a single example keeps a device busy: a text of many tokens, a film, a volume."""
    modality = glance.facts.get("data.modality")
    return modality is not None and modality.value in ("text", "video")


def _number(glance: Glance, name: str) -> int:
    known: Known | None = glance.facts.get(name)
    return known.value if known is not None and isinstance(known.value, int) else 0
