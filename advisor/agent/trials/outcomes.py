"""The findings of `advisor try` on a plan's recommendations, as measurements that count for the same data only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.agent.remembered.dates import oldest_first
from advisor.errors import InputError
from advisor.facts.fact_base import FactBase
from advisor.machine.state import (
    NEWER,
    NothingSavedError,
    SetAsideError,
    StateError,
    copy_aside,
    load_json,
    locked,
    newer,
    save_json,
    state_folder,
)
from advisor.plain import decode
from advisor.probes.outcome import Outcome, readable
from advisor.training.ladder.candidates import Member
from advisor.training.ladder.variants import DEFAULT

if TYPE_CHECKING:
    from advisor.training.ladder.outcome import Bet, TrialResults

SCHEMA = "advisor/trials/1"
DATA, NETWORK_TYPE = "data", "network_type"
"""The conditions that bind a trial's outcome: the fingerprint of the data, and the type of network that was trained."""
FINGERPRINT = "data.fingerprint"
KEEP = 5
"""Outcomes of one recommendation for one network on the same data."""
MOST = 1000
"""Outcomes in all; the oldest go first."""
VARIANT, WEIGHTED, ENSEMBLE = "trial.variant.", "trial.weighted.", "trial.ensemble."
LAGGED, BACKBONE = "trial.lagged", "trial.backbone"
"""Begin the facts on the settings of models that are no networks; the last two are such facts."""
SPLIT = "trial.split."
"""Begins the facts on the split that somebody asked for."""
SEED = f"{SPLIT}seed"
"""The fact on the random seed of the split, where it is not 0."""
HORIZON = "trial.horizon"
"""The fact on how many steps ahead forecasts were."""
METRIC = "trial.metric"
"""The fact on the score that somebody asked for."""
PLACES = ("first", "second", "third")
LAYERS = ("first", "second", "third", "fourth")
"""Hidden layers whose widths are facts; deeper networks are not remembered."""
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Tried:
    """The name of the trial of one topic, and the fact that takes the better value."""

    probe: str
    fact: str


TOPICS: Mapping[str, Tried] = {
    "network.type": Tried("trial.network", "trial.network.best"),
    "network.hidden_units": Tried("trial.hidden_units", "trial.hidden_units"),
    "network.init": Tried("trial.init", "trial.init.best"),
    "network.activation": Tried("trial.activation", "trial.activation.best"),
    "training.optimizer": Tried("trial.optimizer", "trial.optimizer.best"),
}
_BY_PROBE = {tried.probe: (topic, tried) for topic, tried in TOPICS.items()}


def is_trial(probe: str) -> bool:
    """True if trainings on somebody's data decided it, rather than a probe."""
    return probe in _BY_PROBE


def trial_outcomes(found: TrialResults, machine: str, date: str) -> list[Outcome]:
    """The bets that the trials judged, each as a measurement. Bets on what the advisor cannot use are left out.

    `median`, `low` and `high` are a difference of scores (its `unit` is the metric), above 0 where the first is better; None
    where nothing was compared.

    Args:
        machine: the fingerprint of the machine, for the record; scores do not depend on it.
        date: ISO 8601.
    """
    data = found.data
    known = {DATA: data.fingerprint, "target": data.target, "examples": str(data.examples), "torch": data.torch}
    applies = {name: value for name, value in {**known, "machine": machine}.items() if value}
    asked = {"test": data.given.test, "time_column": data.given.time_column, "group": data.given.group}
    how: dict[str, int | str] = {f"{SPLIT}{name}": value for name, value in asked.items() if value is not None}
    how |= {SEED: data.seed} if data.seed else {}
    how |= {HORIZON: data.horizon} if data.task == "forecast" else {}
    how |= {METRIC: data.metric_told} if data.metric_told is not None else {}
    made = (_outcome(bet, applies, how, date) for bet in found.bets if bet.topic in TOPICS)
    return [outcome for outcome in made if outcome is not None]


def _outcome(bet: Bet, applies: Mapping[str, str], how: Mapping[str, int | str], date: str) -> Outcome | None:
    tried = TOPICS[bet.topic]
    before, rival, after = (_setting(value) for value in (bet.before, bet.rival, bet.after))
    if before is None or rival is None:
        return None
    bound = {NETWORK_TYPE: bet.network} if bet.network else {}
    also = _also(bet, after) if after is not None else {}
    return Outcome(
        probe=tried.probe,
        topic=bet.topic,
        fact=tried.fact,
        before=before,
        rival=rival,
        after=after,
        verdict=bet.verdict,
        median=bet.median,
        low=bet.low,
        high=bet.high,
        n=bet.n,
        unit=bet.unit,
        applies={**applies, **bound},
        date=date,
        work="training",
        also=also,
        besides=how,
        kept=bool(also) and bet.topic == "network.type",
        bound_by=(DATA, *bound),
    )


def _setting(value: object) -> str | None:
    """A value of a topic as a probe's setting; widths as the text `64, 32`. None for what is no such value."""
    if isinstance(value, list | tuple):
        widths = [unit for unit in value if isinstance(unit, int) and not isinstance(unit, bool) and unit > 0]
        return ", ".join(map(str, widths)) if 0 < len(widths) == len(value) <= len(LAYERS) else None
    return value if isinstance(value, str) and 0 < len(value) <= _LONGEST_NAME else None


def widths_of(setting: str) -> list[int]:
    """The reverse for hidden units. Raises ValueError for any other text."""
    return [int(width) for width in setting.split(", ")]


def _also(bet: Bet, after: str) -> dict[str, Any]:
    """Facts beside the value that holds now: widths of layers, or the settings of a model that is no network."""
    if bet.topic == "network.hidden_units":
        return _widths(after)
    if bet.topic != "network.type":
        return {}
    members = [decode(Member, one, "member") for one in bet.how.get("members", ())]
    found: dict[str, Any] = {}
    for place, one in zip(PLACES, members, strict=False):
        own = {"": one.model, "_share": one.share, "_variant": one.variant or DEFAULT, "_weighted": one.weighted}
        found |= {f"{ENSEMBLE}{place}{what}": value for what, value in own.items() if value is not False}
    if bet.how and not members:
        found[f"{VARIANT}{after}"] = bet.how.get("variant") or DEFAULT
        if bet.how.get("weighted"):
            found[f"{WEIGHTED}{after}"] = True
    if bet.how.get("lagged"):
        found[LAGGED] = True
    return found | ({BACKBONE: bet.how["backbone"]} if bet.how.get("backbone") else {})


def _widths(setting: str) -> dict[str, int]:
    widths = widths_of(setting)
    named = {f"trial.hidden_units.{name}": width for name, width in zip(LAYERS, widths, strict=False)}
    return {"trial.hidden_units.layers": len(widths), **named}


# --- what is remembered ------------------------------------------------------------------------------------------


def remember_trials(outcomes: Sequence[Outcome]) -> Path:
    """Add outcomes to what this host remembers of trials.

    Raises InputError when that cannot be written, and when what is there cannot be read: it stays as it is.
    """
    path = _file()
    with locked(path):
        earlier: list[Outcome] = []
        damaged: list[str] = []
        with suppress(NothingSavedError, SetAsideError):
            earlier, damaged = _read(path)
        if damaged:
            copy_aside(path)
        kept = _newest([*earlier, *outcomes])
        save_json(path, {"schema": SCHEMA, "outcomes": [outcome.to_json() for outcome in kept]})
    return path


def recall_trials(facts: FactBase) -> tuple[list[Outcome], list[InputError]]:
    """Earlier trials on this very data, oldest first, and problems of reading them; nothing where no data was named."""
    known = facts.known(FINGERPRINT)
    if known is None:
        return [], []
    try:
        path = _file()
        outcomes, damaged = _read(path)
    except NothingSavedError:
        return [], []
    except InputError as error:
        return [], [error]
    problems = [StateError(path, damaged[0], "Try again on these data: `advisor try`.")] if damaged else []
    found = [outcome for outcome in outcomes if outcome.applies[DATA] == known.value]
    return oldest_first(found), list(problems)


def _file() -> Path:
    return state_folder() / "trials.json"


def _newest(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The newest few of each kind, in the order of their dates."""
    counts: dict[tuple[str, ...], int] = {}
    kept: list[Outcome] = []
    for outcome in reversed(oldest_first(outcomes)):
        kind = (outcome.probe, outcome.applies[DATA], outcome.applies.get(NETWORK_TYPE, ""))
        counts[kind] = counts.get(kind, 0) + 1
        if counts[kind] <= KEEP and len(kept) < MOST:
            kept.append(outcome)
    return kept[::-1]


def _read(path: Path) -> tuple[list[Outcome], list[str]]:
    """The outcomes that can be read, and a sentence for each of the others. Raises StateError."""
    document = load_json(path)
    if newer(document, SCHEMA):
        raise StateError(path, f"{NEWER}.", "Use that version, or move it away.")
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise StateError(path, "it holds no trials of this program.", "Move it away.")
    entries = document.get("outcomes")
    return readable(entries if isinstance(entries, list) else [None], _checked, "a trial")


def _checked(outcome: Outcome) -> Outcome:
    """The outcome, if its parts are what `trial_outcomes` would have made. Raises ValueError."""
    topic, tried = _BY_PROBE.get(outcome.probe, ("", None))
    if tried is None or (outcome.topic, outcome.fact) != (topic, tried.fact):
        raise ValueError("no trial measures this")
    settings = [outcome.before, outcome.rival] + ([outcome.after] if outcome.after is not None else [])
    if not all(isinstance(value, str) and _setting(value) == value for value in settings):
        raise ValueError("its settings are no values of a recommendation")
    if topic == "network.hidden_units":
        _check_widths(outcome, settings)
    elif (topic != "network.type" and outcome.also) or not all(
        name.startswith((VARIANT, WEIGHTED, ENSEMBLE, LAGGED, BACKBONE)) for name in outcome.also
    ):
        raise ValueError("it tells more than a trial does")
    told = {n: value for n, value in outcome.besides.items() if n == SEED or not n.startswith((SPLIT, METRIC))}
    if told.keys() - {HORIZON, SEED} or not all(type(value) is int and value > 0 for value in told.values()):
        raise ValueError("it tells more than a trial does")
    if outcome.n and None in (outcome.median, outcome.low, outcome.high):
        raise ValueError("its figures are missing")
    if DATA not in outcome.applies or DATA not in outcome.bound_by:
        raise ValueError("it does not say on which data")
    return outcome if outcome.n else replace(outcome, median=None, low=None, high=None)  # earlier versions wrote zeros


def _check_widths(outcome: Outcome, settings: Sequence[object]) -> None:
    for setting in settings:
        widths_of(str(setting))
    if outcome.also != ({} if outcome.after is None else _widths(str(outcome.after))):
        raise ValueError("its widths disagree")
