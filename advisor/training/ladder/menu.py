"""The candidates for a data set: models from simple to deep, and one-factor variations around the best network. No torch here.

scikit-learn's own default network (one hidden layer of 100, Adam, 200 epochs) is always among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from advisor.networks.description import ACTIVATIONS
from advisor.networks.registry import default_hidden_units, families
from advisor.training.ladder.backbones import LIBRARIES
from advisor.training.ladder.candidates import (
    SCIKIT_LEARN_LIKE,
    Candidate,
    Factor,
    Member,
    NetworkSettings,
    Planned,
    decay_of,
)
from advisor.training.ladder.forecasters import forecasters
from advisor.training.ladder.trial_record import Kind, Stage
from advisor.training.ladder.variants import DEFAULT, is_there, variants
from advisor.training.recipe import AS_BUILT, INITIALISATIONS, LEARNING_RATES, OPTIMIZERS

MORE, LESS = 5, 0.05
"""Times the weight decay."""
EARLY_STOPPING_FROM = 3000
"""Examples of a table below which those that would say when to stop serve better to learn from; the schedule and weight
decay keep weights small. To stop early is then a variation.
"""
WIDEST, NARROWEST = 2048, 8
AS_PLANNED = " as planned"
"""Ends the name of the network that is the plan's in everything."""
PLAIN = " plain"
"""Ends the name of the network that is trained as scikit-learn's is."""
WEIGHTED = " with class weights"
"""Ends the name of a model whose rare classes count more."""
ON_FEATURES = "linear on features of "
"""Begins the name of the linear model that learns from what a frozen network makes of pictures or texts."""
_WITH_WEIGHTS = ("linear", "gradient_boosting")
VARIED = ", "
"""Between the name of a network and what was changed of it."""


@dataclass(frozen=True, slots=True)
class Menu:
    """Everything that may be tried for one data set, simple first."""

    openers: tuple[Candidate, ...]
    planned: Planned = field(default_factory=Planned)
    settings: tuple[Candidate, ...] = ()
    """Models that are no networks with other settings, which are tried of those that look best."""

    def variations(self, base: Candidate) -> tuple[Candidate, ...]:
        """Around a network, one factor at a time; a factor's first variation is what the plan says of it."""
        settings = base.settings
        assert settings is not None  # noqa: S101 - networks have them
        made = [
            [
                Candidate(f"{base.name}{VARIED}{words}", Kind.NETWORK, Stage.VARIATIONS, base.model, changed, factor)
                for words, changed in _changes(settings, factor, self.planned)
            ]
            for factor in Factor
        ]
        taken = [candidate for turn in zip_longest(*made) for candidate in turn if candidate is not None]
        return tuple(taken)


MODELS = {
    "linear": "linear",
    "naive_bayes": "naive Bayes",
    "knn": "nearest neighbours",
    "svm": "support vectors",
    "random_forest": "random forest",
    "gradient_boosting": "gradient boosting",
}
"""Models that learn and are no networks, with the names that people read; the simplest and quickest first."""
NARROWER = {" half as wide as planned": 2, " a quarter as wide as planned": 4}
"""End the names of networks that take the place of the plan's where there is no time for that one."""


def menu(
    planned: Planned,
    modality: str,
    examples: int | None = None,
    *,
    uneven: bool = False,
    forecast: bool = False,
    classes: bool = True,
) -> Menu:
    """Trivial and classical models, then networks: shallow before deep, those of the plan among them.

    Args:
        examples: to learn from; None for many.
        uneven: a class is rare, so simple models are also tried with weights that make up for it.
        forecast: the next values of series are predicted, for which there are models of their own.
        classes: the task is to tell classes apart.
    """
    trivial = Candidate("trivial", Kind.TRIVIAL, Stage.TRIVIAL, "trivial")
    left_out = () if modality == "text" and classes else ("naive_bayes",)
    if forecast:
        left_out = (*left_out, "svm", "knn")
    simple = [_simple(model) for model in MODELS if model not in left_out]
    varied = [
        replace(one, name=f"{one.name}{VARIED}{name.replace('_', ' ')}", variant=name)
        for one in simple
        for name in variants(one.model, classes=classes)
        if name != DEFAULT and is_there(name)
    ]
    if uneven:
        fast = (one for one in simple if one.model in _WITH_WEIGHTS)
        simple += [replace(one, name=f"{one.name}{WEIGHTED}", weighted=True) for one in fast]
    if forecast:
        simple += forecasters()
    if planned.backbone and modality in LIBRARIES:
        simple.append(replace(_simple("linear"), name=f"{ON_FEATURES}{planned.backbone}", backbone=planned.backbone))
    few = modality == "tabular" and examples is not None and examples < EARLY_STOPPING_FROM
    networks = _networks(planned, modality)
    openers = (trivial, *simple, *(_all_epochs(one) if few else one for one in networks))
    return Menu(openers, planned, tuple(varied))


def named(member: Member) -> str:
    """`gradient boosting, few leaves 30 %`"""
    variant = f"{VARIED}{member.variant.replace('_', ' ')}" if member.variant else ""
    return f"{MODELS[member.model]}{variant}{WEIGHTED if member.weighted else ''} {member.share:.0%}".replace("%", " %")


def _simple(model: str) -> Candidate:
    return Candidate(MODELS[model], Kind.BASELINE, Stage.BASELINES, model)


def _all_epochs(candidate: Candidate) -> Candidate:
    assert candidate.settings is not None  # noqa: S101 - networks have them
    return replace(candidate, settings=replace(candidate.settings, early_stopping=False))


def _networks(planned: Planned, modality: str) -> Iterator[Candidate]:
    found = [SCIKIT_LEARN_LIKE]
    places = {}
    for network, declared in families().items():
        small = declared.candidates
        if small is None or (small.takes is not None and modality not in small.takes):
            continue
        places[network] = small.place
        if network == planned.network:
            mine = _as_planned(planned, network)
            deep = len(small.sizes) > 1 and len(mine.hidden_units) > 1
            found += [replace(mine, hidden_units=mine.hidden_units[:1]), mine] if deep else [mine]
        elif small.always or network in planned.runners_up:
            found += [NetworkSettings(network, units) for units in small.sizes]
    found.sort(key=lambda settings: (places[settings.network], settings.network, len(settings.hidden_units)))
    seen: set[str] = set()
    for settings in found:
        name = _name(settings)
        if settings is SCIKIT_LEARN_LIKE:
            name += PLAIN
        elif settings == _as_planned(planned, settings.network) and settings.network == planned.network:
            name += AS_PLANNED
        if name in seen:
            continue
        seen.add(name)
        made = Candidate(name, Kind.NETWORK, Stage.NETWORKS, settings.network, settings)
        yield made
        if name.endswith(AS_PLANNED):
            yield from _narrower(made, settings)


def _narrower(wide: Candidate, settings: NetworkSettings) -> Iterator[Candidate]:
    before = wide.name
    for words, times in NARROWER.items():
        widths = tuple(max(1, units // times) for units in settings.hidden_units)
        if max(widths, default=0) >= NARROWEST:
            name = f"{settings.network}{words}"
            yield replace(wide, name=name, settings=replace(settings, hidden_units=widths), instead_of=before)
            before = name


def _as_planned(planned: Planned, network: str) -> NetworkSettings:
    """The plan's settings; one that cannot be tried (weights trained by others, say) is as for any network of its type."""
    usual = NetworkSettings(network, planned.hidden_units or default_hidden_units(network))
    optimizer = planned.optimizer if planned.optimizer in OPTIMIZERS else usual.optimizer
    return replace(
        usual,
        init=planned.init if planned.init in INITIALISATIONS and planned.init != AS_BUILT else usual.init,
        activation=planned.activation if planned.activation in ACTIVATIONS else usual.activation,
        normalization="none"
        if planned.batch_size == 1
        else planned.normalization,  # one example is no batch to normalise
        dropout=planned.dropout,
        optimizer=optimizer,
        learning_rate=planned.learning_rate or LEARNING_RATES[optimizer],
        weight_decay=decay_of(optimizer),
        batch_size=planned.batch_size or usual.batch_size,
    )


def _name(settings: NetworkSettings) -> str:
    return f"{settings.network} {'-'.join(map(str, settings.hidden_units))}"


def _changes(base: NetworkSettings, factor: Factor, planned: Planned) -> Iterator[tuple[str, NetworkSettings]]:
    """A few words and the changed settings, the plan's own choice first."""
    match factor:
        case Factor.WIDTH:
            yield from _widths(base, planned)
        case Factor.INIT:
            for name in _others(base.init, planned.init, ("he", "glorot", "orthogonal", "lecun", "small_normal")):
                yield f"{name} weights", replace(base, init=name)
        case Factor.ACTIVATION:
            for name in _others(base.activation, planned.activation, ("relu", "tanh", "gelu", "leaky_relu", "swish")):
                yield name, replace(base, activation=name)
        case Factor.OPTIMIZER:
            for name in _others(base.optimizer, planned.optimizer, ("adamw", "sgd_momentum", "adam", "nadam")):
                rate = planned.learning_rate if name == planned.optimizer else None
                rate = rate or LEARNING_RATES[name]
                yield name, replace(base, optimizer=name, learning_rate=rate, weight_decay=decay_of(name))
        case Factor.REGULARISATION:
            yield "more weight decay", replace(base, weight_decay=base.weight_decay * MORE)
            words = "all epochs" if base.early_stopping else "early stopping"
            yield words, replace(base, early_stopping=not base.early_stopping)
            yield "less weight decay", replace(base, weight_decay=base.weight_decay * LESS)


def _widths(base: NetworkSettings, planned: Planned) -> Iterator[tuple[str, NetworkSettings]]:
    plans = planned.hidden_units if planned.network == base.network else ()
    twice = tuple(min(WIDEST, 2 * units) for units in base.hidden_units)
    half = tuple(max(1, units // 2) for units in base.hidden_units)
    done = {base.hidden_units}
    for words, widths in (("-".join(map(str, plans)), plans), ("twice as wide", twice), ("half as wide", half)):
        if widths and widths not in done:
            done.add(widths)
            yield words, replace(base, hidden_units=widths)


def _others(own: str, planned: str | None, known: Sequence[str]) -> list[str]:
    possible = (*OPTIMIZERS, *INITIALISATIONS, *ACTIVATIONS)
    named = [planned] if planned in possible and planned != AS_BUILT else []
    return [name for name in dict.fromkeys([*named, *known]) if name != own]
