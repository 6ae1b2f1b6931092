"""The strategies by name, with their settings: `local_sgd`, `local_sgd:every=16`, `stale_synchronous:bound=2`. No torch here.

What a setting means, and where its usual value comes from:

- `every`: steps that a worker takes between two exchanges. Of gradient accumulation, passes whose gradients are added up.
  Of a parameter server, steps between a worker's push and the next, which is followed by a pull.
- `rate`, `momentum`: of the outer optimiser of DiLoCo, 0.7 and 0.9 with Nesterov (Douillard et al. 2023, arXiv:2311.08105).
- `server`: the optimiser of the parameter server; Adagrad in Downpour (Dean et al. 2012, section 4.1).
- `lambda`: of delay compensation (Zheng et al. 2017, arXiv:1609.08326, section 6), 0.04 where it is constant. Where it is
  adaptive, 2, divided by the root of a mean square of gradients with the share `decay` = 0.95 of what was before.
- `bound`: steps that the fastest worker may be ahead of the slowest (Ho et al. 2013).
- `backups`: workers whose gradient a step does not wait for (Chen et al. 2016, arXiv:1604.00981).
- `groups`: of workers that keep step; between groups there is a parameter server.
- `rank`: of the two factors that PowerSGD sends in place of a matrix of gradients (Vogels et al. 2019).
- `stages`, `parts`: of a pipeline, and the micro-batches into which it divides a batch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from advisor.errors import InputError, Problem, did_you_mean, input_error
from advisor.wording import join_names, shorten

Setting = int | float | str
MOST = 1_000_000
MOST_STRAGGLING = 1e6
"""Times as long as the others that the last worker may take, simulated or here."""


class Kind(StrEnum):
    """The waiting of workers for each other."""

    ALL_REDUCE = "all_reduce"
    """Every worker waits for all others, and they average."""
    SERVER = "server"
    """Each worker pushes to a parameter server when it is ready, and pulls from it."""
    GROUPS = "groups"
    """Groups keep step inside, and each pushes to a parameter server when it is ready."""
    SHARDED = "sharded"
    """As all-reduce, and weights are gathered before they are used."""
    PIPELINE = "pipeline"
    """Workers hold layers, and pass on what these compute."""
    ALONE = "alone"
    """One worker trains, and there is nobody to wait for."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A strategy before somebody chooses its settings."""

    title: str
    kind: Kind
    says: str
    """One sentence for people."""
    topic: str
    """The value of sync.strategy that it is a form of."""
    settings: Mapping[str, Setting] = field(default_factory=dict)
    """The usual values."""


DECLARED: Mapping[str, Declared] = MappingProxyType({
    "synchronous": Declared(
        "synchronous", Kind.ALL_REDUCE, "Every step, all workers average their gradients and wait for the slowest.", "synchronous"
    ),
    "gradient_accumulation": Declared(
        "synchronous, accumulated", Kind.ALL_REDUCE,
        "Each worker adds up the gradients of several batches before all average them.", "synchronous", {"every": 4},
    ),
    "local_sgd": Declared(
        "local SGD", Kind.ALL_REDUCE, "Each worker takes several steps of its own, then all average their weights.",
        "local_sgd", {"every": 8},
    ),
    "diloco": Declared(
        "DiLoCo", Kind.ALL_REDUCE,
        "Each worker takes many steps with AdamW, then Nesterov's method steps along the average of what they changed.",
        "local_sgd", {"every": 50, "rate": 0.7, "momentum": 0.9},
    ),
    "asynchronous": Declared(
        "asynchronous", Kind.SERVER, "Each worker sends its gradient to a server when it is ready, and waits for nobody.",
        "asynchronous", {"every": 1, "server": "sgd"},
    ),
    "downpour": Declared(
        "Downpour", Kind.SERVER, "Asynchronous, with Adagrad on the server and several steps between exchanges.",
        "asynchronous", {"every": 2, "server": "adagrad"},
    ),
    "delay_compensated": Declared(
        "delay-compensated", Kind.SERVER, "Asynchronous; the server corrects each late gradient by how far the weights went on.",
        "delay_compensated", {"every": 1, "server": "sgd", "lambda": 0.04},
    ),
    "delay_compensated_adaptive": Declared(
        "delay-compensated, adaptive", Kind.SERVER,
        "Delay-compensated, with more correction where gradients have been small.",
        "delay_compensated", {"every": 1, "server": "sgd", "lambda": 2.0, "decay": 0.95},
    ),
    "stale_synchronous": Declared(
        "stale-synchronous", Kind.SERVER, "No worker may be more than a few steps ahead of the slowest.",
        "asynchronous", {"bound": 3},
    ),
    "backup_workers": Declared(
        "synchronous, backup workers", Kind.SERVER, "A step takes the first gradients that come and drops the slowest.",
        "synchronous", {"backups": 1},
    ),
    "mixed_asynchronous": Declared(
        "mixed", Kind.GROUPS, "Groups of workers keep step; between the groups a server waits for nobody.",
        "mixed_asynchronous", {"groups": 2, "server": "sgd"},
    ),
    "sharded": Declared(
        "sharded (FSDP)", Kind.SHARDED, "Each worker keeps a share of the weights, and fetches the rest when they are needed.",
        "synchronous",
    ),
    "fp16_compression": Declared(
        "synchronous, gradients in 16 bits", Kind.ALL_REDUCE, "As synchronous, with half the bytes.", "synchronous"
    ),
    "powersgd": Declared(
        "synchronous, PowerSGD", Kind.ALL_REDUCE, "As synchronous, with two thin factors in place of each matrix of gradients.",
        "synchronous", {"rank": 1},
    ),
    "pipeline": Declared(
        "pipeline", Kind.PIPELINE, "Each worker holds some of the layers, and passes on what they compute.",
        "synchronous", {"stages": 2, "parts": 4},
    ),
})  # fmt: skip
"""Every strategy by its name."""
ALONE = "alone"
"""One worker alone, with which all strategies are compared: none of those declared, as it exchanges nothing."""
_ONE_WORKER = Declared("one worker alone", Kind.ALONE, "One worker trains by itself, while the others rest.", "none")
ALIASES: Mapping[str, str] = MappingProxyType({
    "ddp": "synchronous", "none": "synchronous", "accumulation": "gradient_accumulation", "asgd": "asynchronous",
    "dc_asgd": "delay_compensated", "dc_asgd_a": "delay_compensated_adaptive", "ssp": "stale_synchronous",
    "mixed": "mixed_asynchronous", "fsdp": "sharded", "fp16": "fp16_compression", "backup": "backup_workers",
})  # fmt: skip
SERVER_OPTIMIZERS = ("sgd", "adagrad")
_WHOLE = {"every": 1, "bound": 0, "backups": 0, "groups": 1, "rank": 1, "stages": 1, "parts": 1}
"""Settings that are whole numbers, and the least of each."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """A strategy with its settings."""

    name: str
    """Of `DECLARED`."""
    settings: Mapping[str, Setting]
    """All that it has."""

    @property
    def declared(self) -> Declared:
        return _ONE_WORKER if self.name == ALONE else DECLARED[self.name]

    @property
    def kind(self) -> Kind:
        return self.declared.kind

    def whole(self, name: str, usual: int = 1) -> int:
        """A setting that is a whole number; `usual` for a strategy without it."""
        return int(self.settings.get(name, usual))

    def number(self, name: str, usual: float = 0.0) -> float:
        """A setting that is a number; `usual` for a strategy without it."""
        return float(self.settings.get(name, usual))

    def __str__(self) -> str:
        """As somebody would write it: with the settings that are not the usual ones."""
        changed = [f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
                   for name, value in self.settings.items() if value != self.declared.settings[name]]  # fmt: skip
        return ":".join([self.name, *changed])


def strategy(text: str) -> Strategy:
    """The strategy that somebody names.

    Raises InputError with every wrong setting at once.
    """
    name, *settings = (part.strip() for part in text.split(":"))
    name = name.lower().replace("-", "_")
    name = ALIASES.get(name, name)
    if name == ALONE and not settings:
        return Strategy(ALONE, MappingProxyType({}))
    if name not in DECLARED:
        raise input_error(
            "There is no such strategy", shorten(name), where="strategy",
            remedy=f"{did_you_mean(name, [*DECLARED, *ALIASES])} Known: {join_names(list(DECLARED))}.".strip(),
        )  # fmt: skip
    found, problems = dict(DECLARED[name].settings), []
    for one in settings:
        key, equals, value = (part.strip() for part in one.partition("="))
        if key not in found:
            remedy = did_you_mean(key, list(found)) or f"It has {join_names(list(found)) or 'no settings'}."
            problems.append(Problem(f"strategy {name}", f"it has no setting {shorten(key)}.", remedy))
        elif not equals or (set_ := _value(key, value)) is None:
            problems.append(
                Problem(f"strategy {name}, {key}", f"{shorten(value)} {_WRONG.get(key, _NO_NUMBER)}.", _example(key))
            )
        else:
            found[key] = set_
    if problems:
        raise InputError("The strategy is not right", problems)
    return Strategy(name, MappingProxyType(found))


def strategies(text: str) -> Sequence[Strategy]:
    """Those of a list with commas. Raises InputError for an empty list, and as `strategy` does."""
    parts = [part for part in (part.strip() for part in text.split(",")) if part]
    if not parts:
        raise input_error(
            "No strategy is named",
            "the list is empty",
            where="strategies",
            remedy=f"Known: {join_names(list(DECLARED))}.",
        )
    return list({str(found): found for found in map(strategy, parts)}.values())


_WRONG = {
    "server": f"is none of {join_names(list(SERVER_OPTIMIZERS))}",
    **dict.fromkeys(_WHOLE, "is no whole number that it can have"),
}
_NO_NUMBER = "is no number from 0"


def _example(key: str) -> str:
    return f"For example {key}={_WHOLE.get(key, 'adagrad' if key == 'server' else 0.5)}."


def _value(key: str, text: str) -> Setting | None:
    if key == "server":
        return text if text in SERVER_OPTIMIZERS else None
    try:
        number = int(text) if key in _WHOLE else float(text)
    except ValueError:
        return None
    most = 1.0 if key in ("momentum", "decay") else MOST
    return number if _WHOLE.get(key, 0) <= number <= most else None
