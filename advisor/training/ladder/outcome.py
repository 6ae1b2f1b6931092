"""The outcome of trying models on somebody's data, as it is kept and shown. No torch here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from advisor.datasets.given import AS_THE_DATA_ARE, GivenSplit
from advisor.facts.verdict import Verdict
from advisor.plain import encode
from advisor.training.ladder.insight import Insight
from advisor.training.ladder.trial_record import Kind, Trial


class Winner(StrEnum):
    """The kind of model that wins on the held-out examples, which selection never saw."""

    NETWORK = "network"
    """A network is better than everything simpler, beyond noise."""
    BASELINE = "baseline"
    """Something simpler is better than every network, beyond noise."""
    NO_DIFFERENCE = "no_difference"
    """The best network and the best baseline cannot be told apart: take the simpler."""
    NOTHING = "nothing"
    """Nothing is better than looking at no input at all."""
    UNFINISHED = "unfinished"
    """Stopped before the held-out examples were looked at."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The ranking of the examples of each class before all others by their probabilities: the ROC AUC, 0.5 for by chance."""

    auc: float
    low: float
    high: float
    """The 95 % interval, as of a score."""
    surely: float
    """The lower end that holds for all finalists together, so that the best of them may be looked at."""


@dataclass(frozen=True, slots=True)
class Final:
    """One finalist, refitted on everything that was not held out, and scored on what was; once for each seed."""

    name: str
    kind: Kind
    scores: tuple[float, ...]
    mean: float
    low: float
    high: float
    """The 95 % prediction interval of the score of as many new examples: bootstrap over the held-out examples and the
    seeds, as much wider as new ones are drawn by chance, too, and later ones may differ."""
    seconds: float = 0.0
    settings: Mapping[str, Any] = field(default_factory=dict)
    cut: bool = False
    """True if no refit came to its end in the time, or one had much fewer epochs than usual."""
    ranking: Ranking | None = None
    """Of classes."""
    also: Mapping[str, float] = field(default_factory=dict)
    """Of decisions where a class is rare: balanced accuracy, and of two classes F1 of the rarer one."""
    thresholds: Mapping[str, float] = field(default_factory=dict)
    """By these names the probability of the rarer class from which on it is decided for; chosen on the folds."""


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much one finalist is better than another on the same held-out examples, with its 95 % interval."""

    one: str
    other: str
    mean: float
    low: float
    high: float

    def turned(self) -> Difference:
        return Difference(self.other, self.one, -self.mean, -self.high, -self.low)


@dataclass(frozen=True, slots=True)
class Bet:
    """The judgement of the folds on one recommendation: the difference of paired scores, with its 95 % interval.

    The figures are of `after` over the other side where the verdict is confirmed or overturned (so above 0), of `before`
    over the rival otherwise; None where no pair of scores was there to compare.
    """

    topic: str
    network: str
    """The type of network that it was tried with; empty where the bet is the type itself."""
    before: Any
    rival: Any
    after: Any
    """The value that holds now: the one that is shown to be better, or else won; None where neither is known."""
    verdict: Verdict
    median: float | None
    low: float | None
    high: float | None
    unit: str
    """The name of the metric."""
    n: int
    """Pairs of scores: folds, or where too few have scored both, trainings that the held-out examples have scored."""
    how: Mapping[str, Any] = field(default_factory=dict)
    """Settings of `after` where that is no network, see `Candidate.settings_json`, with the name of the default variant."""


@dataclass(frozen=True, slots=True)
class Best:
    """The candidate that the plan takes over, with its score on the examples that selection never saw."""

    name: str
    kind: Kind
    score: float
    low: float
    high: float
    settings: Mapping[str, Any] = field(default_factory=dict)
    seen: bool = False
    """True where the score is that of the folds, since nothing was scored on held-out examples."""


@dataclass(frozen=True, slots=True)
class Metric:
    """The metric of a trial, under the name that JSON has for it and the title that people read."""

    name: str
    title: str
    matters: float
    """Differences within this much, either way, are none that matter."""
    greater_is_better: bool = True
    resolves: float = 0.0
    """By how much, either way, two candidates may differ that scored the same on all folds: so few examples rule no less
    out. 0 where scores are no shares of examples.
    """
    task: str = "classify"
    in_units: bool = False
    """True if it is in the units of the target, rather than a share or a number without one."""

    def shown(self, value: float) -> str:
        """A score or a difference of scores: three decimals of a share, three digits of what is in the target's units."""
        if not self.in_units:
            if abs(value) >= 1000:  # of an explained share of the variance that targets far from all others spoil
                return f"{value:.3g}"
            return f"{0.0 if abs(value) < 0.0005 else value:.3f}"
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


@dataclass(frozen=True, slots=True)
class DataTried:
    """The data that candidates learned from, and its splits."""

    path: str
    target: str | None
    fingerprint: str
    modality: str
    task: str
    examples: int
    """Examples that were used."""
    held_out: int
    learnt_from: int
    how: str
    """Of the outer split, a sentence."""
    folds: int
    """Folds of a rung."""
    held_out_share_of_a_fold: float
    """Examples that a fold scores, by those that it learns from."""
    left_out: str = ""
    torch: str = ""
    task_told: bool = False
    """True if somebody stated the task, against the look of the target."""
    uneven: bool = False
    """True if a class is rare."""
    given: GivenSplit = AS_THE_DATA_ARE
    """The split that somebody asked for."""
    warned: tuple[str, ...] = ()
    """Oddities of that split, sentences."""
    horizon: int = 1
    """Of a forecast, the steps that were predicted at once."""
    metric_told: str | None = None
    """The score that somebody asked for, by its name; None where the task's was taken."""
    seed: int = 0
    """Of the outer split."""


@dataclass(frozen=True, slots=True)
class NotTried:
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class TrialResults:
    """Everything that `advisor try` found out."""

    metric: Metric
    data: DataTried
    verdict: Winner
    says: str
    best: Best | None
    trials: tuple[Trial, ...] = ()
    finals: tuple[Final, ...] = ()
    differences: tuple[Difference, ...] = ()
    insight: Insight | None = None
    """About the best; None where it was not reached, or nothing was better than looking at no input."""
    bets: tuple[Bet, ...] = ()
    varied: tuple[Bet, ...] = ()
    """The same of a network that the plan does not recommend: what each change of it showed, which judges no bet."""
    not_tried: tuple[NotTried, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    resumed: int = 0
    """Of the trials, those that an earlier run had finished."""
    interrupted: bool = False
    stated: str = ""
    """Options of the command line with which the task was stated, for the commands that are told to be typed next."""
    told: str = ""
    """Those that only `advisor try` takes."""
    keeping: str | None = None
    """Those that the same trials are typed with once more to save the winner; None where that is done or cannot be."""

    def to_json(self) -> dict[str, Any]:
        """As `advisor/trial/1`."""
        told = encode(self)
        data, metric = told.pop("data"), told.pop("metric")
        del told["stated"], told["told"], told["keeping"]
        described = ("path", "target", "fingerprint", "examples", "modality", "task", "left_out", "horizon")
        return {
            "schema": "advisor/trial/1",
            "metric": metric["name"],
            "greater_is_better": metric["greater_is_better"],
            "data": {name: data[name] for name in described},
            "split": {
                **{name: data[name] for name in ("how", "held_out", "learnt_from", "folds", "warned")},
                **{name: data["given"][name] for name in ("test", "time_column", "group")},
            },
            "torch": data["torch"],
            **told,
        }
