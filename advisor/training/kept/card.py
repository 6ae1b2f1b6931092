"""The card of a saved model: what it predicts, from what, how well, and what it was made with. No torch here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from advisor.datasets.intake import Intake
from advisor.errors import InputError, input_error
from advisor.files.named import read_named
from advisor.networks.spec import Description
from advisor.plain import decode, encode, json_text
from advisor.training.ladder.backbones import Backbone
from advisor.training.ladder.outcome import Metric, Winner
from advisor.training.ladder.trial_record import Kind
from advisor.wording import shorten

FORMAT, VERSION = "advisor/model", 2
SCHEMA = f"{FORMAT}/{VERSION}"
CARD, README = "card.json", "README.md"
ESTIMATOR, PREPARATION, WEIGHTS = "estimator.skops", "preparation.skops", "weights.pt"
FILES = frozenset({CARD, README, ESTIMATOR, PREPARATION, WEIGHTS})
"""All that a saved model may consist of."""
TITLE = "This model cannot be applied"
REPLACED = ".replaced-"
"""Behind the name of a model that another one is about to replace."""
MOST_BYTES = 50_000_000
"""Of a card: a table may have very many columns, and a target very many classes."""


@dataclass(frozen=True, slots=True)
class Deciding:
    """The way from probabilities to classes, where another one than the most probable is taken: see `Decisions`."""

    score: float
    """The balanced accuracy that it gave on the held-out examples."""
    positive: int | None = None
    """The number of the rarer of two classes, which is taken from the threshold on; None of several."""
    threshold: float = 0.5
    shares: tuple[float, ...] = ()
    """Of several classes among the examples that were learned from; the one is taken whose probability is largest beside it."""

    def words(self, classes: Sequence[str]) -> str:
        """A sentence for people without its end."""
        if self.positive is None:
            return "Of the classes the one is taken whose probability is largest beside its share of the examples"
        return f"It is decided for {classes[self.positive]} from a probability of {self.threshold:.3g} on"


@dataclass(frozen=True, slots=True)
class Card:
    """A saved model in words and numbers; its weights lie beside it."""

    name: str
    """As the trials call it."""
    kind: Kind
    model: str
    """The type of model: gradient_boosting, ffn."""
    intake: Intake
    metric: Metric
    asked_metric: str | None
    """Its name as somebody asked for it; None where the task's was taken."""
    positive: int | None
    """The number of the class that it is about; None where it is about all."""
    score: float
    low: float
    high: float
    """The 95 % interval of the score, on examples that neither choosing nor learning saw."""
    made: str
    """The day, ISO 8601."""
    data: str
    """The name of the file or folder."""
    fingerprint: str
    """Of the data with their target."""
    examples: int
    """Without those of a test of its own."""
    learnt_from: int
    """Of them, the examples that the saved weights were fitted to: all, or those that were not held out."""
    held_out: int = 0
    """Examples that the score is of."""
    divided: str = ""
    """A sentence on how they were held out."""
    network: Description | None = None
    """The description that the network is built from; None of other models."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Of the network's training."""
    off_low: float | None = None
    off_high: float | None = None
    """Added to a predicted number, these give its 5 % and its 95 % quantile, by the held-out examples; None of classes."""
    deciding: Deciding | None = None
    """None where the most probable class is taken."""
    ahead_low: tuple[float, ...] = ()
    ahead_high: tuple[float, ...] = ()
    """The same of a forecast, for each of its steps."""
    variant: str = ""
    """Of a statistical model; it is fitted to each series anew."""
    back: int = 0
    """Steps before, whose values are repeated, or from which boosting of differences predicts them; 0 of others."""
    by: tuple[float, ...] = ()
    """Added to repeated values, for each step ahead, where a quantile is wanted."""
    backbone: Backbone | None = None
    """The frozen network whose features of pictures the model takes; it is not stored with the model."""
    needs: int = 0
    """Of a series, the steps that one must have to be forecast."""
    verdict: str = ""
    says: str = ""
    """The verdict of the trials in words."""
    plan: Mapping[str, Any] = field(default_factory=dict)
    """The recommendations of the plan that were tried, by their names."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Of the libraries that made it."""

    def __post_init__(self) -> None:
        classes, deciding = len(self.intake.classes), self.deciding
        if deciding is not None and not (
            len(deciding.shares) == classes if deciding.positive is None else 0 <= deciding.positive < classes
        ):
            raise ValueError("deciding: it is of other classes")

    @property
    def warning(self) -> str:
        """A sentence where the trials did not show it to be better than an earlier value; empty elsewhere."""
        if self.verdict != Winner.NOTHING:
            return ""
        than = "better, beyond noise, than repeating an earlier value"
        return f"No model was {than}, which is all it does." if self.kind is Kind.TRIVIAL else f"It was not {than}."

    @property
    def of_all(self) -> bool:
        return self.learnt_from == self.examples


def card_text(card: Card) -> str:
    """As `advisor/model/2`. Raises ValueError for nan and infinity."""
    return f"{json_text({'schema': SCHEMA, **encode(card)})}\n"


def read_card(folder: Path) -> Card:
    """Read the card of a saved model.

    Raises InputError where there is no saved model, it is one of another version of this program, or damaged.
    """
    where = shorten(folder, 200)
    if not folder.is_dir() or not (folder / CARD).exists():
        what = "this is no folder of a saved model" if folder.exists() else "nothing is there"
        if not folder.exists() and (before := _replaced(folder)) is not None:
            what = f"a program was ended while it replaced this model, and the one before it is in {before.name}"
            raise input_error(TITLE, what, where=where, remedy="Give that folder this name again.")
        raise input_error(TITLE, what, where=where, remedy="Name the folder that `advisor try --save` has written.")
    raw = read_named(folder / CARD, MOST_BYTES, TITLE)
    try:
        told = json.loads(raw)
        schema = told.get("schema") if isinstance(told, dict) else None
        if schema != SCHEMA:
            raise _of_another_version(schema, told, where)
        return decode(Card, told, "card")
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise damaged(folder / CARD, str(error)) from None


def _replaced(folder: Path) -> Path | None:
    """The model that stood there before another one was about to take its place."""
    try:
        found = (one for one in folder.parent.iterdir() if one.name.startswith(f"{folder.name}{REPLACED}"))
        return next((one for one in found if (one / CARD).is_file()), None)
    except OSError:
        return None


def is_card(path: Path) -> bool:
    """True if a saved model of some version has this file: somebody's own card.json is none. Raises OSError."""
    try:
        told = json.loads(path.read_bytes()[:MOST_BYTES])
    except (ValueError, RecursionError):
        return False
    return isinstance(told, dict) and str(told.get("schema")).startswith(f"{FORMAT}/")


def damaged(path: Path, why: str) -> InputError:
    remedy = "Save the model once more; do not use one that others may have changed."
    what = f"the saved model is damaged ({shorten(why, 120)})"
    return input_error(TITLE, what, where=shorten(path, 200), remedy=remedy)


def raise_if_out_of_memory(error: Exception) -> None:
    """Raise MemoryError where memory ran out, which PyTorch reports by a RuntimeError: the model may be sound."""
    said = str(error)
    if isinstance(error, MemoryError) or "allocate memory" in said or "not enough memory" in said:
        raise MemoryError(said) from None


def _of_another_version(schema: object, told: Any, where: str) -> InputError:
    if not isinstance(schema, str) or not schema.startswith(f"{FORMAT}/"):
        return input_error(TITLE, "its card is none of a saved model", where=where, remedy="Name another folder.")
    versions = told.get("versions")
    maker = versions.get("advisor") if isinstance(versions, dict) else None
    by = f" by version {shorten(maker, 20)} of the advisor" if isinstance(maker, str) else ""
    form = shorten(schema.removeprefix(f"{FORMAT}/"), 10)
    what = f"it was saved{by} in format {form}, and this version reads format {VERSION}"
    return input_error(
        TITLE, what, where=where, remedy="Apply it with the version that saved it, or save it once more."
    )
